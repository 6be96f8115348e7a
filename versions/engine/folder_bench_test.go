package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/plan"
)

// filledStore is a store with so many small memories, adopted.
func filledStore(b *testing.B, folders, files int) *core.Store {
	s := benchStore(b)
	for d := range folders {
		folder := filepath.Join(s.Opened.Folder, "tree", fmt.Sprintf("d%04d", d))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			b.Fatal(err)
		}
		for f := range files {
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%04d.md", f)), savedContent(d*files+f), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	if r, err := s.Sync(context.Background()); err != nil || r.Files != folders*files {
		b.Fatal(r, err)
	}
	return s
}

// BenchmarkSync looks at a large folder in which nothing changed.
func BenchmarkSync(b *testing.B) {
	for _, files := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("%d files", files), func(b *testing.B) {
			s := filledStore(b, files/100, 100)
			for b.Loop() {
				if r, err := s.Sync(context.Background()); err != nil || r.Read != 0 {
					b.Fatal(r, err)
				}
			}
		})
	}
}

// BenchmarkFolder moves and removes a folder of 1,000 memories, and brings it back.
func BenchmarkFolder(b *testing.B) {
	ctx := context.Background()
	b.Run("rename", func(b *testing.B) {
		s := filledStore(b, 10, 100)
		for i := 0; b.Loop(); i++ {
			names := [2]string{"tree", "moved"}
			if _, err := s.Rename(ctx, robot, mustPath(names[i%2]), mustPath(names[1-i%2])); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("delete and undo", func(b *testing.B) {
		s := filledStore(b, 10, 100)
		for b.Loop() {
			c, err := s.Delete(ctx, robot, mustPath("tree"))
			if err != nil {
				b.Fatal(err)
			}
			if _, err := plan.Do(ctx, s, robot, plan.UndoChange(c.Number)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
