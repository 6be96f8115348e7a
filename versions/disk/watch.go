package disk

import "github.com/fsnotify/fsnotify"

// Watch is an fsnotify watcher whose errors never block it. Receive from Events and Lost
// only. Folders may be added in the goroutine that receives.
type Watch struct {
	*fsnotify.Watcher
	Lost <-chan struct{} // receives a value after events were lost
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
	return &Watch{w, lost}, nil
}
