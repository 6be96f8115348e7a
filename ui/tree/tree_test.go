package tree

import (
	"fmt"
	"testing"
	"time"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/versions"
)

var clock = time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)

func at(s string) memfs.Path {
	p, err := memfs.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}

// crowd is n memories in a thousand folders.
func crowd(n int) []versions.Entry {
	out := make([]versions.Entry, n)
	for i := range out {
		area, topic := i*40/n, i*1000/n%25
		p := at(fmt.Sprintf("area%02d/topic%02d/note-%06d.md", area, topic, i))
		out[i] = versions.Entry{Kind: versions.Memory, Path: p, Memory: versions.MemoryID(fmt.Sprintf("mem_%d", i)), Change: int64(i + 1),
			Actor: versions.Actor{Kind: versions.Agent, Name: "claude"}, Time: clock.Add(-time.Duration(i) * time.Minute), Size: int64(i % 9000)}
	}
	return out
}

func crowded(n int) *Pane {
	t := New(theme.New(true, theme.Many), nil)
	t.SetSize(46, 38)
	t.SetFocused(true)
	t.Load(Build(crowd(n)), clock)
	t.foldAll(true)
	return t
}

func BenchmarkCursor(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			t := crowded(n)
			for b.Loop() {
				t.move(1)
				if t.cur == len(t.rows)-1 {
					t.move(-len(t.rows))
				}
				_ = t.View()
			}
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			entries := crowd(n)
			b.ResetTimer()
			for b.Loop() {
				Build(entries)
			}
		})
	}
}
