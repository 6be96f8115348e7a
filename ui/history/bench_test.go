package history

import (
	"fmt"
	"testing"
)

// BenchmarkMove measures a key and a frame; the cost must not depend on how much is loaded.
func BenchmarkMove(b *testing.B) {
	for _, n := range []int{50, 5000} {
		f := newFake()
		for i := range n {
			f.write(agent, "/a.md", fmt.Sprintf("text %d\n", i))
		}
		p := newPane(f, 120, 40)
		drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
		for len(p.of.rows) < n {
			press(p, "G")
		}
		b.Run(fmt.Sprintf("%d_versions", n), func(b *testing.B) {
			i := 0
			for b.Loop() {
				pressed(p, []string{"k", "j"}[i%2])
				_ = p.View()
				i++
			}
		})
	}
}

// BenchmarkChanges measures a key and a frame in the list of changes with headings.
func BenchmarkChanges(b *testing.B) {
	for _, n := range []int{100, 20_000} {
		f := long(n)
		p := newPane(f, 120, 40)
		press(p, "c")
		for !p.all.done {
			press(p, "G")
		}
		b.Run(fmt.Sprintf("%d_changes", n), func(b *testing.B) {
			i := 0
			for b.Loop() {
				pressed(p, []string{"k", "j"}[i%2])
				_ = p.View()
				_, _ = p.Title()
				i++
			}
		})
	}
}
