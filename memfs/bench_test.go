//go:build unix

package memfs

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
)

// The rows of the benchmark of the TypeScript handler, by the same names, sizes
// and resets, so that both can be run in turn on one machine. Writes here sync
// the file and its folder; that handler syncs the file alone.

// benchText is size bytes in lines of 40; the middle holds the one MARK_A.
func benchText(size int) string {
	var b strings.Builder
	for i := 1; b.Len() < size; i++ {
		line := fmt.Sprintf("line %06d lorem ipsum dolor sit am", i)
		b.WriteString(line[:min(39, len(line))] + "\n")
	}
	text := b.String()[:size-1] + "\n"
	return text[:size/2] + "MARK_A" + text[size/2+6:]
}

func (d *Dir) must(b *testing.B, c Command) {
	plan, result, err := Apply(d, c, Options{})
	if err == nil {
		err = d.do(plan)
	}
	if err != nil || result.IsError {
		b.Fatal(err, result.Text)
	}
}

func BenchmarkCommands(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1KB", 1000}, {"100KB", 100_000}} {
		body := benchText(size.bytes)
		name := size.name + ".txt"
		p := "/memories/" + name
		row := func(row string, call func(b *testing.B, d *Dir)) {
			b.Run(row, func(b *testing.B) {
				d := newDir(b)
				put(b, d, name, body)
				call(b, d)
			})
		}
		row("view "+size.name, func(b *testing.B, d *Dir) {
			for b.Loop() {
				d.must(b, View{Path: p})
			}
		})
		row("view "+size.name+" [10,20]", func(b *testing.B, d *Dir) {
			for b.Loop() {
				d.must(b, View{Path: p, Range: &[2]int64{10, 20}})
			}
		})
		row("create "+size.name, func(b *testing.B, d *Dir) {
			for i := 0; b.Loop(); i++ {
				d.must(b, Create{fmt.Sprintf("/memories/new/f%d.txt", i), body})
			}
		})
		row("str_replace "+size.name, func(b *testing.B, d *Dir) {
			mark := [2]string{"MARK_A", "MARK_B"}
			for i := 0; b.Loop(); i++ {
				d.must(b, StrReplace{p, mark[i%2], mark[1-i%2]})
			}
		})
		row("insert "+size.name, func(b *testing.B, d *Dir) {
			for i := 0; b.Loop(); i++ {
				if i%10 == 0 {
					b.StopTimer()
					put(b, d, name, body)
					b.StartTimer()
				}
				d.must(b, Insert{p, 5, "an inserted line\n"})
			}
		})
		row("rename "+size.name, func(b *testing.B, d *Dir) {
			names := [2]string{p, p + ".b"}
			for i := 0; b.Loop(); i++ {
				d.must(b, Rename{names[i%2], names[1-i%2]})
			}
		})
		row("delete "+size.name, func(b *testing.B, d *Dir) {
			for b.Loop() {
				b.StopTimer()
				put(b, d, "del.txt", body)
				b.StartTimer()
				d.must(b, Delete{"/memories/del.txt"})
			}
		})
	}
	b.Run("view missing file (error)", func(b *testing.B) {
		d := newDir(b)
		for b.Loop() {
			if _, result, err := Apply(d, View{Path: "/memories/none.txt"}, Options{}); err != nil || !result.IsError {
				b.Fatal(err, result.Text)
			}
		}
	})
}

func BenchmarkListing(b *testing.B) {
	for _, shape := range []struct {
		name           string
		folders, files int
	}{
		{"view dir, 100 files flat", 0, 100},
		{"view dir, 1000 files flat", 0, 1000},
		{"view dir, 10000 files flat", 0, 10000},
		{"view dir, 100 dirs x 100 files", 100, 100},
	} {
		b.Run(shape.name, func(b *testing.B) {
			d := newDir(b)
			fill(b, d, shape.folders, shape.files)
			for b.Loop() {
				d.must(b, View{Path: "/memories"})
			}
		})
	}
}

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
	body := []byte(benchText(200))
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
