package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/memend/memend/versions"
)

// On a full disk nothing can be saved, and the agent goes on anyway.
func TestHook_OnAFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("memend-test", disk, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("no disk to fill: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, 0) })
	h := &hooked{t: t, home: filepath.Join(disk, "home"), folder: filepath.Join(disk, "folder")}
	if err := os.Mkdir(h.folder, 0o755); err != nil {
		t.Fatal(err)
	}
	h.with(func(*versions.Trail, *versions.Store) {})
	input := h.write()
	fill(t, filepath.Join(disk, "filler"))
	for range *hookRuns {
		h.run(strings.NewReader(input))
	}
	h.logTimes()
	if err := os.Remove(filepath.Join(disk, "filler")); err != nil {
		t.Fatal(err)
	}
	h.run(strings.NewReader(h.write()))
	h.isWriters()
}

func fill(t *testing.T, file string) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	for size := 64 << 10; size > 0; {
		if n, err := f.Write(make([]byte, size)); err != nil || n < size {
			size /= 2
		}
	}
	_ = f.Close()
}
