// Package drawtest checks frames in the tests of panes.
package drawtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/text"
)

// Width returns the columns of a drawn row.
func Width(row string) (cols int) {
	for row = ansi.Strip(row); row != ""; {
		cluster, n := text.Cluster(row)
		row, cols = row[len(cluster):], cols+n
	}
	return cols
}

// Problem returns what is wrong with a frame that should have h rows of w columns and no
// control or invisible characters, or "".
func Problem(view string, w, h int) string {
	if w <= 0 || h <= 0 {
		if view != "" {
			return "something is drawn in no space"
		}
		return ""
	}
	rows := strings.Split(view, "\n")
	if len(rows) != h {
		return fmt.Sprintf("%d rows", len(rows))
	}
	for y, r := range rows {
		if got := Width(r); got != w {
			return fmt.Sprintf("row %d is %d wide: %q", y, got, r)
		}
		prev := rune(0)
		plain := []rune(ansi.Strip(r))
		for i, c := range plain {
			next := rune(0)
			if i+1 < len(plain) {
				next = plain[i+1]
			}
			if c < 0x20 || c >= 0x7f && c < 0xa0 || memfs.HiddenRune(c) && !memfs.Joins(prev, c, next) {
				return fmt.Sprintf("row %d lets %U through", y, c)
			}
			prev = c
		}
	}
	return ""
}

// Golden compares a frame without its colours with testdata/name.txt, or with update writes
// that file. The use of roles is tested elsewhere, so that a theme may change without the
// frames.
func Golden(t *testing.T, update bool, name, frame string) {
	t.Helper()
	if got := ansi.Strip(frame); !golden(t, update, name, got) {
		t.Log("all of it:\n" + got)
	}
}

// Styled is Golden with the styles. Escape is written as ␛, so that the file can be read
// and compared.
func Styled(t *testing.T, update bool, name, frame string) {
	t.Helper()
	golden(t, update, name, strings.ReplaceAll(frame, "\x1b", "␛"))
}

func golden(t *testing.T, update bool, name, got string) (same bool) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	got += "\n"
	if update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return true
	}
	w, g := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	y := 0
	for y < min(len(w), len(g))-1 && w[y] == g[y] {
		y++
	}
	t.Errorf("%s differs from row %d (-update rewrites it):\n got %s\nwant %s", file, y, g[y], w[y])
	return false
}
