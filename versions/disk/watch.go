package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
	"github.com/memend/memend/memfs"
)

// Watch is an fsnotify watcher whose errors never block it. Receive from Events and Lost
// only. Folders may be added in the goroutine that receives.
type Watch struct {
	*fsnotify.Watcher
	Lost    <-chan struct{} // receives a value after events were lost
	folders map[string]bool // that were added; the Watcher has forgotten those that are gone
}

// NewWatch returns a watch of nothing.
func NewWatch() (*Watch, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	lost := make(chan struct{}, 1)
	go func() { // fsnotify sends some errors while it holds the lock that Add needs
		for range w.Errors {
			select {
			case lost <- struct{}{}:
			default:
			}
		}
	}()
	return &Watch{w, lost, map[string]bool{}}, nil
}

// readAtOnce is how many entries of a folder are read at once when only its subfolders matter.
const readAtOnce = 512

// AddFolder watches a folder. It ignores one that is gone or can't be read.
func (w *Watch) AddFolder(folder string) error {
	w.folders[folder] = true
	err := w.Add(folder)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// Moved reports whether e moved a watched folder. The watch is useless then: the system goes on to report
// what happens in the folder and below, but the Watcher knows only the old path, even if the new one is added.
func (w *Watch) Moved(e fsnotify.Event) bool {
	moved := e.Has(fsnotify.Rename) && w.folders[e.Name]
	if e.Has(fsnotify.Remove) {
		delete(w.folders, e.Name)
	}
	return moved
}

// AddTree watches a folder and the folders below it, without hidden ones. It ignores a folder that is
// gone or can't be read.
func (w *Watch) AddTree(folder string) error {
	if err := w.AddFolder(folder); err != nil {
		return err
	}
	dir, err := os.Open(folder)
	if err != nil {
		return nil
	}
	var below []string
	for {
		some, err := dir.ReadDir(readAtOnce) // unordered, and in parts when the folder is large
		for _, e := range some {
			if e.IsDir() && !memfs.HiddenName(e.Name()) {
				below = append(below, e.Name())
			}
		}
		if err != nil {
			break
		}
	}
	_ = dir.Close() // close it before opening its subfolders: they may be deeply nested
	for _, name := range below {
		if err := w.AddTree(filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}
