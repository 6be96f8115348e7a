//go:build unix

package memfs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func readAllOf(t testing.TB, d *Dir, from Path, want func(Path) bool) map[string]string {
	t.Helper()
	var mu sync.Mutex
	got := map[string]string{}
	err := d.ReadAll(t.Context(), from, 1000, want, func(_ int, f Text) error {
		mu.Lock()
		defer mu.Unlock()
		got[f.Path.Rel()] = string(f.Content)
		if f.Err != nil {
			got[f.Path.Rel()] = f.Err.Error()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func all(Path) bool { return true }

func TestReadAllReturnsWhatAScanReturns(t *testing.T) {
	d := newDir(t)
	want := map[string]string{}
	for i := range 300 {
		p := fmt.Sprintf("d%d/e/f%d.md", i%3, i)
		want[p] = fmt.Sprint("text ", i)
		put(t, d, p, want[p])
	}
	want["empty"], want["most"] = "", strings.Repeat("x", 1000)
	put(t, d, "empty", "")
	put(t, d, "most", want["most"])
	put(t, d, "toobig", strings.Repeat("x", 1001))
	put(t, d, ".hidden/a", "no")
	put(t, d, "node_modules/a", "no")
	put(t, d, ".a", "no")
	link(t, d, "link", "empty")
	link(t, d, "out", "../canary")
	link(t, d, "folder", "d1")
	if err := syscall.Mkfifo(d.host("fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := readAllOf(t, d, Root, all); !maps.Equal(got, want) {
		t.Errorf("read %d files, want %d: %.300q", len(got), len(want), got)
	}
	if got := readAllOf(t, d, at(t, "/d1/e/f1.md"), all); !maps.Equal(got, map[string]string{"d1/e/f1.md": "text 1"}) {
		t.Errorf("of one file: %q", got)
	}
	if got := readAllOf(t, d, at(t, "/d2"), func(p Path) bool { return p.Base() == "f5.md" }); !maps.Equal(got, map[string]string{"d2/e/f5.md": "text 5"}) {
		t.Errorf("of those wanted: %q", got)
	}
}

func TestReadAllFollowsNoLinkThatIsSwappedIn(t *testing.T) {
	d := newDir(t)
	put(t, d, "d/a", "x")
	link(t, d, "d/link", "a")
	link(t, d, "d/out", "../../canary")
	folder, err := d.openFolder(at(t, "/d"))
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	var buf []byte
	for _, p := range []string{"/d/link", "/d/out"} {
		if b, _, err := d.readIn(folder, at(t, p), &buf, 0); err == nil {
			t.Errorf("%s gives %q", p, b)
		}
	}
	if b, _, err := d.readIn(folder, at(t, "/d/a"), &buf, 0); err != nil || string(b) != "x" {
		t.Errorf("the file gives %q, %v", b, err)
	}
}

func TestReadAllStopsWithItsContextOrVisitor(t *testing.T) {
	d := newDir(t)
	for i := range 500 {
		put(t, d, fmt.Sprintf("d%d/f%d", i%7, i), "x")
	}
	stop := errors.New("stop")
	if err := d.ReadAll(t.Context(), Root, 0, all, func(int, Text) error { return stop }); err != stop {
		t.Errorf("visit's error became %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var once sync.Once
	err := d.ReadAll(ctx, Root, 0, all, func(int, Text) error { once.Do(cancel); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	wantErr(t, d.ReadAll(t.Context(), at(t, "/none"), 0, all, nil), ErrNotExist)
	if open, err := os.ReadDir("/proc/self/fd"); err == nil && len(open) > 40 {
		t.Errorf("%d descriptors stay open", len(open))
	}
}

func TestReadAllSaysWhatCannotBeRead(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	d := newDir(t)
	put(t, d, "a", "x")
	if err := os.Chmod(d.host("a"), 0); err != nil {
		t.Fatal(err)
	}
	if got := readAllOf(t, d, Root, all)["a"]; got != "read /memories/a: permission denied" {
		t.Errorf("got %q", got)
	}
}

func BenchmarkReadAll_10000Files(b *testing.B) {
	d := newDir(b)
	text := strings.Repeat("line lorem ipsum dolor sit amet consect\n", 52)
	for i := range 10000 {
		put(b, d, fmt.Sprintf("d%d/f%d", i%100, i), text)
	}
	for b.Loop() {
		if err := d.ReadAll(b.Context(), Root, 0, all, func(int, Text) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
