// Package versionstest makes homes for tests. It does not import the engine, so that the engine's own
// tests can use it.
package versionstest

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

var first struct {
	sync.Once
	files map[string][]byte // of a home with an empty trail
	err   error
}

// Home returns a new home with an empty trail. It is a copy of the one that open creates for the first
// test of the process: to create one takes ten times as long as to copy it.
func Home[T io.Closer](tb testing.TB, open func(ctx context.Context, dir string) (T, error)) string {
	tb.Helper()
	first.Do(func() { first.files, first.err = create(open) })
	if first.err != nil {
		tb.Fatal(first.err)
	}
	home := filepath.Join(tb.TempDir(), "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		tb.Fatal(err)
	}
	for name, content := range first.files {
		if err := os.WriteFile(filepath.Join(home, name), content, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return home
}

// create returns the files of a new home.
func create[T io.Closer](open func(ctx context.Context, dir string) (T, error)) (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "memend-home-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	trail, err := open(context.Background(), dir)
	if err != nil {
		return nil, err
	}
	if err := trail.Close(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	return files, nil
}
