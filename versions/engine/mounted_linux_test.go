package engine_test

import (
	"path/filepath"
	"syscall"
	"testing"
)

// Where the disk of a store is not mounted its memories are out of reach, not deleted.
func TestAFolderThatIsNotMountedIsRefused(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "1m")
	w := &world{t: t, home: filepath.Join(t.TempDir(), "home"), folder: disk}
	w.open()
	w.write(alice, "a", "a1\n")
	w.write(alice, "b", "b1\n")
	id := w.store.Opened.ID
	must(w, w.store.Close()) // a disk in use can't be unmounted
	must(w, syscall.Unmount(disk, 0))
	if s, err := w.trail.OpenStore(t.Context(), id); err == nil {
		_ = s.Close()
		t.Error("opened")
	}
	must(w, syscall.Mount("memend-test", disk, "tmpfs", 0, "size=1m"))
	w.outside("a", "a1\n")
	var err error
	w.store, err = w.trail.OpenStore(t.Context(), id)
	must(w, err)
	if r := w.sync(); r.Adopted != 1 { // of a disk that has only one of them
		t.Errorf("%+v", r)
	}
	w.close()
}
