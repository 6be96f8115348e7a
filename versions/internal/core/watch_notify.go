package core

import "sync"

// notifier wakes the watchers of a home after a change. It is notified by the commits of this
// process, and by a watch on SQLite's log for the commits of others.
type notifier struct {
	mu      sync.Mutex
	waiting map[chan struct{}]bool
}

// Subscribe returns a channel that gets a token after each change, until leave is called.
func (b *notifier) Subscribe() (ring chan struct{}, leave func()) {
	ring = make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = map[chan struct{}]bool{}
	}
	b.waiting[ring] = true
	return ring, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.waiting, ring)
	}
}

// Notify wakes the watchers after a commit.
func Notify(t *Trail) {
	t.Notifier.mu.Lock()
	defer t.Notifier.mu.Unlock()
	for ring := range t.Notifier.waiting {
		select {
		case ring <- struct{}{}:
		default: // a notification is already pending
		}
	}
}
