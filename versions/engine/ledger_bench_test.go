package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vengine "github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/stores"
)

func viewedStore(b *testing.B, memories int) *core.Store {
	b.Helper()
	t, err := vengine.Open(b.Context(), filepath.Join(b.TempDir(), "home"), versions.Options{})
	if err != nil {
		b.Fatal(err)
	}
	info, err := stores.CreateStore(b.Context(), t, alice, "bench", "", "")
	if err != nil {
		b.Fatal(err)
	}
	s, err := t.OpenStore(b.Context(), info.ID)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _ = s.Close(), t.Close() })
	body := []byte(strings.Repeat("a line of thirty-nine characters, more\n", 26))
	for i := range memories {
		name := filepath.Join(info.Folder, fmt.Sprintf("d%d", i%100), fmt.Sprintf("m%d.md", i))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, body, 0o600)); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := s.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
	return s
}

// Views of 1 kB by an agent, whose reads go to the ledger, against the same by a
// person, whose looking is no read: in turns of 50, so that what else the machine
// does falls on both. "waiting" is what the agent waits; "flat out" lets the
// writing in the background take its share of the processors too, as for an agent
// that never pauses. Both are ratios of medians, 1 for no cost at all.
func BenchmarkViewWithTheLedger(b *testing.B) {
	for _, row := range []struct {
		name   string
		beside bool
	}{{"waiting", true}, {"flat out", false}} {
		b.Run(row.name, func(b *testing.B) {
			s := viewedStore(b, 200)
			took := map[versions.By][]time.Duration{}
			turn := func(by versions.By) {
				began := time.Now()
				for i := range 50 {
					c := memfs.View{Path: fmt.Sprintf("/memories/d%d/m%d.md", i, i)}
					if r, _, err := s.Tool(context.Background(), by, c, memfs.Options{}); err != nil || r.IsError {
						b.Fatal(r, err)
					}
				}
				took[by] = append(took[by], time.Since(began))
			}
			for b.Loop() {
				turn(alice)
				turn(robot)
				if row.beside {
					if err := s.Trail.FlushReads(context.Background()); err != nil {
						b.Fatal(err)
					}
				}
			}
			for _, all := range took {
				slices.Sort(all)
			}
			median := func(by versions.By) float64 { return float64(took[by][len(took[by])/2]) }
			b.ReportMetric(median(robot)/median(alice), "agent/person")
			b.ReportMetric(median(alice)/50, "ns/view")
		})
	}
}
