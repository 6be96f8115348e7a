package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
)

// BenchmarkKey measures one key press and the frame after it. The cost depends on the
// height of the screen, so large memories take no longer than small ones.
func BenchmarkKey(b *testing.B) {
	f := newFake()
	const log = "2026-03-14 09:00:00 level=info msg=\"a line as logs have them\" request=1234567\n"
	const doc = "## A heading\n\nSome **strong** words, a [link](a.md) and more of them, enough to be wrapped at the edge of a pane.\n\n- an item\n- another\n\n"
	for name, n := range map[string]int{"small": 100, "large": versions.DefaultMaxBytes/len(log) - 1} {
		f.write(name+".log", strings.Repeat(log, n))
		f.write(name+".bin", "\x00"+strings.Repeat(log, n))
	}
	for name, n := range map[string]int{"small": 100, "large": 6500} {
		f.write(name+".md", strings.Repeat(doc, n))
		id := versions.VersionID("memver_" + name)
		f.versions[at(name+".md")] = []versions.Version{{ID: id, Memory: versions.MemoryID(name), Number: 2}}
		bl := &versions.Blame{Content: []byte(strings.Repeat(doc, n))}
		for i := range n * 7 {
			bl.Runs = append(bl.Runs, versions.BlameRun{Start: i + 1, Lines: 1, By: &versions.Version{Number: i, Actor: versions.Actor{Name: "claude"}}})
		}
		f.blames[id] = bl
	}
	f.write("small.line", strings.Repeat("words in one line ", 50))
	f.write("large.line", strings.Repeat("words in one line ", versions.DefaultMaxBytes/18))
	for _, view := range []struct{ name, file, keys string }{
		{"raw", ".log", ""}, {"unwrapped", ".log", "w"}, {"bytes", ".bin", ""}, {"line", ".line", ""}, {"markdown", ".md", ""}, {"rendered", ".md", "m"}, {"blame", ".md", "B"},
	} {
		for _, size := range []string{"small", "large"} {
			b.Run(fmt.Sprintf("%s/%s", view.name, size), func(b *testing.B) {
				s := newSim(b, f, 120, 38)
				s.open(size + view.file)
				s.keys(view.keys + " G")
				seqs := [2][]string{{"k"}, {"j"}}
				b.ReportAllocs()
				b.ResetTimer()
				for i := 0; b.Loop(); i++ {
					s.pane.Press(seqs[i/30%2], 0)
					_ = s.pane.View()
				}
			})
		}
	}
}

// BenchmarkRender_100KB measures the layout of a memory, which happens when it is opened or
// the pane's width changes.
func BenchmarkRender_100KB(b *testing.B) {
	f := newFake()
	f.write("a.md", strings.Repeat("## A heading\n\nSome **strong** words, and more of them, enough to be wrapped at the edge.\n\n", 1100))
	s := newSim(b, f, 120, 38)
	s.open("a.md")
	s.keys("m")
	for i := 0; b.Loop(); i++ {
		s.pane.SetSize(100+i%2, 38)
	}
}

// BenchmarkLargest opens the largest memory, and searches in it: what its commands take.
func BenchmarkLargest(b *testing.B) {
	f := newFake()
	for _, name := range []string{"a.log", "a.md"} {
		f.write(name, strings.Repeat("## A heading\n\nSome **strong** words, and more of them, enough to be wrapped at the edge.\n\n", versions.DefaultMaxBytes/90))
		b.Run("open/"+name, func(b *testing.B) {
			for b.Loop() {
				openFile(b.Context(), f, at(name), nil, "")
			}
		})
	}
	d := openFile(b.Context(), f, at("a.log"), nil, "").doc
	for _, query := range []string{"nowhere", "/no+where/"} {
		match, _ := newMatcher(query)
		b.Run("find/"+query, func(b *testing.B) {
			for b.Loop() {
				match.all(b.Context(), d.text)
			}
		})
	}
}
