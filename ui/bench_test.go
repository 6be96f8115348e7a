package ui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/stores"
)

// crowded returns a store of 10,000 memories and one file of a million lines.
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

// BenchmarkKey measures moving the cursor of a large tree and drawing the frame.
func BenchmarkKey(b *testing.B) {
	s := newSim(b, crowded(), 120, 40)
	s.keys("=")
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		msg := tea.KeyPressMsg{Code: 'j', Text: "j"}
		if i/5000%2 == 1 {
			msg = tea.KeyPressMsg{Code: 'k', Text: "k"}
		}
		s.app.Update(msg)
		_ = s.app.View()
	}
}

// fullStore returns a store on disk with that many memories, a hundred in each folder.
func fullStore(b *testing.B, memories int) *engine.Store {
	b.Helper()
	folder := b.TempDir()
	for i := range memories {
		dir := filepath.Join(folder, fmt.Sprintf("topic-%04d", i/100))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("note-%06d.md", i)), fmt.Appendf(nil, "# Note %d\n", i), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	ctx := context.Background()
	trail, err := engine.Open(ctx, b.TempDir(), versions.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = trail.Close() })
	info, err := stores.CreateStore(ctx, trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, "full", "", folder)
	if err != nil {
		b.Fatal(err)
	}
	s, err := trail.OpenStore(ctx, info.ID)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	if _, err := s.Sync(ctx); err != nil {
		b.Fatal(err)
	}
	return s
}

// BenchmarkOpen measures reading a store from disk and drawing the first complete frame.
func BenchmarkOpen(b *testing.B) {
	for _, memories := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(memories), func(b *testing.B) {
			store := fullStore(b, memories)
			b.ReportAllocs()
			for b.Loop() {
				a := New(b.Context(), Config{Store: local.Store{Store: store}, By: me, Now: func() time.Time { return clock }, Background: Dark})
				a.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
				a.Update(a.live.Reload()())
				if !strings.Contains(a.View(), fmt.Sprint(memories)+" memories") {
					b.Fatal(a.View())
				}
			}
		})
	}
}
