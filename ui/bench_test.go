package ui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/versions"
)

// crowded is a store of 10,000 memories and one file of a million lines.
func crowded() *fakeStore {
	f := newFake()
	t := map[string]fakeMemory{}
	for i := range 10_000 {
		p := fmt.Sprintf("area%02d/topic%02d/note-%05d.md", i%40, i/40%25, i)
		t[p] = fakeMemory{versions.MemoryID(p), "# A note\n", 1, agent, clock}
	}
	t["a-big.log"] = fakeMemory{"big", strings.Repeat("2026-03-14 09:00:00 level=info msg=\"a line as logs have them\" request=1234567\n", 1_000_000), 1, agent, clock}
	tree := f.trees[0]
	for p, m := range t {
		tree[at(p)] = m
	}
	return f
}

func BenchmarkView_10000MemoriesAndAMillionLines(b *testing.B) {
	s := newSim(b, crowded(), 120, 40)
	s.keys("=")
	s.send(screen.Open{Path: at("a-big.log"), Line: 500_000})
	s.shows("500000 2026")
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		_ = s.app.View()
	}
}

func BenchmarkView_Markdown(b *testing.B) {
	f := newFake()
	f.write(agent, "plan.md", strings.Repeat(planText, 20))
	s := newSim(b, f, 120, 40)
	s.keys("enter")
	for b.Loop() {
		_ = s.app.View()
	}
}
