package diff

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// diffPair is two texts that are hard in one way.
type diffPair struct {
	name     string
	old, new func() []byte
}

func diffPairs() []diffPair {
	prose := func(seed int64, size int) []byte {
		r := rand.New(rand.NewSource(seed))
		var b []byte
		for len(b) < size {
			for range r.Intn(9) {
				b = fmt.Appendf(b, "word%d ", r.Intn(4000))
			}
			b = append(b, '\n')
		}
		return b
	}
	touch := func(text []byte, every int) []byte {
		r := rand.New(rand.NewSource(5))
		var out []byte
		s := splitLines(text)
		for i := range s.lines() {
			if r.Intn(every) == 0 {
				out = append(out, "touched "...)
			}
			out = append(out, s.line(i)...)
		}
		return out
	}
	numbered := func(from, n, step int) []byte {
		var b []byte
		for i := range n {
			b = fmt.Appendf(b, "line %d\n", from+i*step)
		}
		return b
	}
	return []diffPair{
		{"2KB_one_line", func() []byte { return prose(1, 2000) }, func() []byte { return touch(prose(1, 2000), 40) }},
		{"100KB_1_percent", func() []byte { return prose(1, 100_000) }, func() []byte { return touch(prose(1, 100_000), 100) }},
		{"100KB_rewritten", func() []byte { return prose(1, 100_000) }, func() []byte { return prose(2, 100_000) }},
		{"10MB_1_percent", func() []byte { return prose(1, 10_000_000) }, func() []byte { return touch(prose(1, 10_000_000), 100) }},
		{"10MB_rewritten", func() []byte { return prose(1, 10_000_000) }, func() []byte { return prose(2, 10_000_000) }},
		{"70k_lines_reversed", func() []byte { return numbered(0, 70_000, 1) }, func() []byte { return numbered(69_999, 70_000, -1) }},
		{"400k_lines_all_new", func() []byte { return numbered(0, 400_000, 1) }, func() []byte { return numbered(1_000_000, 400_000, 1) }},
		{"1200k_lines_all_new", func() []byte { return numbered(0, 1_200_000, 1) }, func() []byte { return numbered(2_000_000, 1_200_000, 1) }},
		{"few_different_lines", func() []byte { return fewLines(1) }, func() []byte { return fewLines(2) }},
	}
}

// fewLines is random lines out of ten: no anchor anywhere.
func fewLines(seed int64) []byte {
	r := rand.New(rand.NewSource(seed))
	var b []byte
	for range 200_000 {
		b = fmt.Appendf(b, "- %d\n", r.Intn(10))
	}
	return b
}

func BenchmarkDiffLines(b *testing.B) {
	for _, p := range diffPairs() {
		old, new := p.old(), p.new()
		b.Run(p.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d := Lines(old, new)
				b.ReportMetric(float64(d.Added+d.Removed), "changed")
			}
		})
	}
}

// BenchmarkGitDiff is the figure to hold against BenchmarkDiffLines: the same
// pairs, start of the program included.
func BenchmarkGitDiff(b *testing.B) {
	git, err := exec.LookPath("git")
	if err != nil {
		b.Skip("no git on this machine")
	}
	for _, p := range diffPairs() {
		dir := b.TempDir()
		for name, text := range map[string][]byte{"old": p.old(), "new": p.new()} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(p.name, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(git, "diff", "--no-index", "--numstat", "old", "new")
				cmd.Dir = dir
				out, _ := cmd.Output() // fails by design when the files differ
				var added, removed int
				fmt.Sscan(string(out), &added, &removed)
				b.ReportMetric(float64(added+removed), "changed")
			}
		})
	}
}

func BenchmarkWords(b *testing.B) {
	old := bytes.Repeat([]byte("some words, and some more of them; "), 4)
	d := Lines(append(old[:len(old):len(old)], "end\n"...), append(old[:len(old):len(old)], "END\n"...))
	for b.Loop() {
		if len(d.Words(d.Row(0))) != 1 {
			b.Fatal("lost the word")
		}
	}
}
