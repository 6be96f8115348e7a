package engine_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
)

// smallDisk mounts a file system of a few megabytes, for the length of the test.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("memend-test", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("a small disk can't be mounted here (it takes root): %v", err)
	}
	t.Cleanup(func() {
		err := syscall.Unmount(dir, 0)
		// A process that another test starts has our files open until it runs its program.
		for end := time.Now().Add(5 * time.Second); errors.Is(err, syscall.EBUSY) && time.Now().Before(end); time.Sleep(time.Millisecond) {
			err = syscall.Unmount(dir, 0)
		}
		if err != nil {
			t.Error(err)
			_ = syscall.Unmount(dir, syscall.MNT_DETACH)
		}
	})
	return dir
}

func TestAFullDiskLosesNothing(t *testing.T) {
	t.Parallel()
	for _, size := range []int{300, 20_000, 200_000} {
		t.Run(fmt.Sprintf("writes of %d bytes", size), func(t *testing.T) { fillDisk(t, size) })
	}
}

func fillDisk(t *testing.T, size int) {
	disk := smallDisk(t, "8m")
	ballast := filepath.Join(disk, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 3<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, home: filepath.Join(disk, "home"), folder: filepath.Join(disk, "folder")}
	if err := os.Mkdir(w.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	w.open()
	defer w.close()
	random := rand.NewChaCha8([32]byte{byte(size)})
	want := map[string]string{}
	promised := map[string]string{} // refused, but journaled so that they will be done
	refused := 0
	for i := 0; refused < 30; i++ {
		if i > 20_000 {
			t.Fatal("the disk never gets full")
		}
		p := fmt.Sprintf("f%d", i%40) // new ones, then edits
		b := make([]byte, size)
		_, _ = random.Read(b)
		_, err := w.store.Write(t.Context(), robot, mustPath(p), b, versions.Pre{})
		if err == nil {
			want[p] = string(b)
			continue
		}
		if strings.Contains(err.Error(), "will be finished") {
			promised[p] = string(b)
		}
		if refused++; !errors.Is(err, memfs.ErrNoSpace) {
			t.Errorf("a write on a full disk: %v", err)
		}
	}
	if len(want) < 5 {
		t.Fatalf("only %d files before the disk was full", len(want))
	}
	for p, b := range want {
		if w.file(p) != b {
			t.Errorf("%s is not what was last acknowledged", p)
		}
	}
	if got := w.files(); len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	w.write(alice, "next", "works")
	w.sync()
	w.check()
	maps.Copy(want, promised)
	for p, b := range want {
		if e := w.entry(p); e.SHA256 != versions.Sum([]byte(b)) || w.file(p) != b {
			t.Errorf("%s is not what was last acknowledged, once there was space again", p)
		}
	}
	outside, err := vhistory.Changes(t.Context(), w.store, versions.Filter{Actor: versions.Outside}, 0, 10)
	if err != nil || len(outside) != 0 {
		t.Errorf("taken for another program's: %+v, %v", outside, err)
	}
	n := w.write(alice, "f0", "a last edit").Number
	if _, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(n)); err != nil {
		t.Fatal(err)
	}
	w.wantFile("f0", want["f0"])
}

// A process that opened its home on a full disk reads it. It does not write before it is
// started again, and says so.
func TestAHomeThatWasOpenedOnAFullDiskSaysHowToWriteAgain(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "8m")
	w := &world{t: t, home: filepath.Join(disk, "home"), folder: filepath.Join(t.TempDir(), "folder")}
	must(w, os.Mkdir(w.folder, 0o700))
	w.open()
	w.write(alice, "a", "one\n")
	w.close()
	ballast := filepath.Join(disk, "ballast")
	for size := 4 << 20; size > 0; size /= 2 {
		f, err := os.OpenFile(ballast, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		must(w, err)
		for err == nil {
			_, err = f.Write(make([]byte, size))
		}
		must(w, f.Close())
	}
	w.open()
	must(w, os.Remove(ballast))
	if b, err := vhistory.Content(t.Context(), w.store, w.versionOf("a", 1).ID); err != nil || string(b) != "one\n" {
		t.Errorf("%q, %v", b, err)
	}
	_, err := w.store.Write(t.Context(), alice, mustPath("a"), []byte("two\n"), versions.Pre{})
	if !errors.Is(err, memfs.ErrNoSpace) || !strings.Contains(err.Error(), "when it was opened: free some space, then start memend again") {
		t.Errorf("%v", err)
	}
	w.close()
	w.open()
	w.write(alice, "a", "two\n")
	w.close()
}
