package disk

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Folders that are renamed and removed while they are being watched make fsnotify send
// errors. The goroutine that receives goes on all the same, also when it adds folders.
func TestWatch_GoesOnWhileFoldersAreRenamedAndRemoved(t *testing.T) {
	t.Parallel()
	w, err := NewWatch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { go w.Close() }) // Close waits for the lock too
	dir := t.TempDir()
	if err := w.Add(dir); err != nil {
		t.Fatal(err)
	}
	churned := make(chan struct{})
	go func() {
		defer close(churned)
		a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
		for range 3000 {
			_ = os.Mkdir(a, 0o755)
			_ = os.Rename(a, b)
			_ = os.Remove(b)
		}
		_ = os.Mkdir(filepath.Join(dir, "last"), 0o755)
	}()
	hang := time.After(time.Minute)
	for {
		select {
		case e := <-w.Events:
			if filepath.Base(e.Name) == "last" {
				<-churned
				return
			}
			if e.Has(fsnotify.Create) {
				_ = w.Add(e.Name)
			}
		case <-w.Lost:
			select {
			case <-churned: // the last event may be among those that were lost
				return
			default:
			}
		case <-hang:
			t.Fatal("no event arrives any more")
		}
	}
}
