package engine_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
)

// benchProse is lines of words, some of them seldom.
func benchProse(r *rand.Rand, size int) []byte {
	var b []byte
	for len(b) < size {
		for range 10 {
			b = fmt.Appendf(b, "%s%d ", []string{"deploy", "Customer", "memory", "the", "of", "session", "refund", "note"}[r.Intn(8)], r.Intn(3000))
		}
		b = append(b, '\n')
	}
	return b
}

// benchFolder fills a store's folder with memories of 2 KB, a hundred a folder.
func benchFolder(b *testing.B, s *core.Store, memories int) {
	b.Helper()
	r := rand.New(rand.NewSource(1))
	for i := range memories {
		host := filepath.Join(s.Info().Folder, fmt.Sprintf("d%03d", i/100), fmt.Sprintf("m%02d.md", i%100))
		if err := os.MkdirAll(filepath.Dir(host), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(host, benchProse(r, 2048), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := s.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkSearch_10000Memories tells how long a search takes beside what others
// take for the same folder at the same time: reported are ratios, ours to theirs.
func BenchmarkSearch_10000Memories(b *testing.B) {
	s := benchStore(b)
	benchFolder(b, s, 10_000)
	for _, q := range []string{"refund7", "REFUND17", "customer refund7", "refund77 customer88 nowhere", "e", "the"} {
		search := func(b *testing.B) {
			if _, err := vhistory.Search(b.Context(), s, versions.Query{Text: q, Limit: 100, Lines: 3}, func(versions.Hit) bool { return true }); err != nil {
				b.Fatal(err)
			}
		}
		b.Run("cold/"+q, func(b *testing.B) {
			rivals := rivals(b, s.Info().Folder, q)
			for b.Loop() {
				s.Texts = core.NewTexts(s)
				search(b)
				rivals.run(b)
			}
			rivals.report(b)
		})
		b.Run("warm/"+q, func(b *testing.B) {
			search(b)
			search(b)
			rivals := rivals(b, s.Info().Folder, q)
			for b.Loop() {
				search(b)
				rivals.run(b)
			}
			rivals.report(b)
		})
	}
}

// BenchmarkSearchPattern_10000Memories is the same of regular expressions, when all
// texts are in memory.
func BenchmarkSearchPattern_10000Memories(b *testing.B) {
	s := benchStore(b)
	benchFolder(b, s, 10_000)
	for _, pattern := range []string{"refund7\\d\\b", "(deploy|customer)1234", "[a-f]{5,}\\d{4} the", "^the"} {
		b.Run(pattern, func(b *testing.B) {
			rivals := &rivalRuns{}
			rivals.add("rg", "--count", "--smart-case", "--", pattern, s.Info().Folder)
			for b.Loop() {
				if _, err := vhistory.Search(b.Context(), s, versions.Query{Text: pattern, Regexp: true, Limit: 100, Lines: 3}, func(versions.Hit) bool { return true }); err != nil {
					b.Fatal(err)
				}
				rivals.run(b)
			}
			rivals.report(b)
		})
	}
}

// rivalRuns is other ways to search a folder, and how long they took.
type rivalRuns struct {
	names []string
	runs  []func() error
	took  []time.Duration
}

func (v *rivalRuns) addRun(name string, run func() error) {
	v.names, v.runs, v.took = append(v.names, name), append(v.runs, run), append(v.took, 0)
}

// add adds a program, if it is there.
func (v *rivalRuns) add(name string, args ...string) {
	if _, err := exec.LookPath(name); err != nil {
		return
	}
	v.addRun(name, func() error {
		err := exec.Command(name, args...).Run()
		if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() == 1 { // nothing found
			return nil
		}
		return err
	})
}

func rivals(b *testing.B, folder, query string) *rivalRuns {
	b.Helper()
	v := &rivalRuns{}
	v.add("rg", "--count", "--smart-case", "--fixed-strings", "--", query, folder)
	v.add("grep", "-rFc", "--", query, folder)
	var texts [][]byte
	dir, err := memfs.OpenDir(folder)
	if err != nil {
		b.Fatal(err)
	}
	defer dir.Close()
	if err := dir.Scan(b.Context(), func(f memfs.Found) error {
		text, _, err := dir.Read(f.Path, 0)
		texts = append(texts, text)
		return err
	}); err != nil {
		b.Fatal(err)
	}
	v.addRun("contains", func() error {
		for _, text := range texts {
			bytes.Contains(text, []byte(query))
		}
		return nil
	})
	return v
}

func (v *rivalRuns) run(b *testing.B) {
	b.StopTimer()
	defer b.StartTimer()
	for i, run := range v.runs {
		start := time.Now()
		if err := run(); err != nil {
			b.Fatal(v.names[i], err)
		}
		v.took[i] += time.Since(start)
	}
}

func (v *rivalRuns) report(b *testing.B) {
	for i, name := range v.names {
		b.ReportMetric(float64(b.Elapsed())/float64(v.took[i]), "x-"+name)
	}
}
