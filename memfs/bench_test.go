//go:build unix

package memfs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"
)

func BenchmarkScanOf100kFiles(b *testing.B) {
	d := newDir(b)
	fill(b, d, 1000, 100)
	for b.Loop() {
		n := 0
		if err := d.Scan(context.Background(), func(Found) error { n++; return nil }); err != nil || n != 100_000 {
			b.Fatal(n, err)
		}
	}
}

// fill makes files of 200 bytes, in so many folders; flat when there are none.
func fill(b *testing.B, d *Dir, folders, files int) {
	body := bytes.Repeat([]byte("x"), 200)
	for f := range max(folders, 1) {
		folder := d.folder
		if folders > 0 {
			folder = d.host(fmt.Sprintf("d%04d", f))
			if err := os.Mkdir(folder, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		for i := range files {
			if err := os.WriteFile(fmt.Sprintf("%s/f%05d.md", folder, i), body, 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
}
