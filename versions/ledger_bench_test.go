package versions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtrail/memtrail/memfs"
)

func viewedStore(b *testing.B, memories int) *Store {
	b.Helper()
	t, err := Open(b.Context(), filepath.Join(b.TempDir(), "home"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	info, err := t.CreateStore(b.Context(), "bench", "", "")
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

// The same views of 1 kB, by a person, whose looking is no read, and by an agent,
// whose reads go to the ledger. Compare the two of one run.
func BenchmarkView(b *testing.B) {
	for _, by := range []By{alice, robot} {
		b.Run(string(by.Actor.Kind), func(b *testing.B) {
			s := viewedStore(b, 200)
			i := 0
			for b.Loop() {
				i++
				c := memfs.View{Path: fmt.Sprintf("/memories/d%d/m%d.md", i%100, i%200)}
				if r, _, err := s.Tool(context.Background(), by, c, memfs.Options{}); err != nil || r.IsError {
					b.Fatal(r, err)
				}
			}
		})
	}
}
