package versions

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// notifier wakes those who wait for changes of a home: rung by this process's own
// commits, and by a watch on SQLite's log for those of others.
type notifier struct {
	mu      sync.Mutex
	waiting map[chan struct{}]bool
}

func (b *notifier) subscribe() (ring chan struct{}, leave func()) {
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

// notify says that something was committed.
func (t *Trail) notify() {
	t.notifier.mu.Lock()
	defer t.notifier.mu.Unlock()
	for ring := range t.notifier.waiting {
		select {
		case ring <- struct{}{}:
		default: // rung already
		}
	}
}

// pollOthers is how often the trail is asked for other processes' changes where
// the home can't be watched.
const pollOthers = 100 * time.Millisecond

// afterWrite is when to ask after a write to SQLite's log was seen: the writer
// syncs the log before readers may see what it wrote, and of that moment nobody is
// told. Mostly it is a matter of milliseconds, on a disk that has much to do of
// seconds.
var afterWrite = []time.Duration{5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond,
	400 * time.Millisecond, 1500 * time.Millisecond, 5 * time.Second, 15 * time.Second}

// unanswered is when to ask again what the trail could not answer.
const unanswered = 5 * time.Second

// tell sends what is new after change number last, until ctx ends. While the
// receiver is busy, what comes is gathered for the next event.
func (w *watcher) tell(ctx context.Context, last int64) {
	ring, leave := w.s.t.notifier.subscribe()
	defer leave()
	log := w.watchLog()
	defer log.stop()
	var pending *Event
	ask := true // what was made before the subscription
	var soon <-chan time.Time
	var due time.Time // soon comes then
	var again []time.Duration
	in := func(d time.Duration) { soon, due = time.After(d), time.Now().Add(d) }
	written := func() {
		again = w.afterWrite
		if soon == nil || due.After(time.Now().Add(again[0])) { // under steady writing the next ask is not put off
			in(again[0])
		}
	}
	written() // it may have been before the subscription, and be seen after it
	var trouble string
	for {
		if ask {
			var err error
			if pending, last, err = w.gather(ctx, pending, last); err == nil {
				trouble = ""
			} else if soon == nil {
				again = nil
				in(unanswered)
			}
			if err != nil && ctx.Err() == nil && err.Error() != trouble { // else it is known already
				trouble = err.Error()
				pending = merge(pending, Event{Err: err})
			}
			ask = false
		}
		out, send := w.out, Event{}
		if pending == nil {
			out = nil
		} else {
			send = *pending
		}
		select {
		case <-ctx.Done():
			return
		case out <- send:
			pending = nil
		case <-ring:
			ask = true
		case e := <-log.events:
			if strings.HasSuffix(e.Name, "-wal") {
				written()
			}
		case <-log.lost:
			ask = true
			written()
		case <-soon:
			ask, soon = true, nil
			if len(again) > 1 {
				again = again[1:]
				in(again[0])
			}
		case <-log.poll:
			ask = true
		case n := <-w.notes:
			pending = merge(pending, n)
		}
	}
}

// gather adds what is new after last to the event that waits.
func (w *watcher) gather(ctx context.Context, pending *Event, last int64) (*Event, int64, error) {
	if w.newReads(ctx) {
		pending = merge(pending, Event{Reads: true, Polling: w.polling.Load()})
	}
	if known := w.attributed(ctx, last); len(known) > 0 {
		pending = merge(pending, Event{Attributed: known, Polling: w.polling.Load()})
	}
	changes, err := w.s.changesAfter(ctx, last, maxEvents+1)
	if err != nil || len(changes) == 0 {
		return pending, last, err
	}
	if len(changes) > maxEvents {
		if newest, err := w.s.LastChange(ctx); err == nil {
			return merge(pending, Event{Reload: true}), newest, nil
		}
	}
	return merge(pending, Event{Changes: changes, Polling: w.polling.Load()}), changes[len(changes)-1].Number, nil
}

// newReads reports whether the ledger has reads of the store that were not told of.
// Where it can't be asked, the next time will do.
func (w *watcher) newReads(ctx context.Context) bool {
	last, err := w.s.lastRead(ctx)
	if err != nil || last <= w.read {
		return false
	}
	var ours bool
	if err := w.s.t.get(ctx, `SELECT EXISTS(SELECT 1 FROM read WHERE id>? AND +store=?)`, []any{w.read, w.s.id}, &ours); err != nil {
		return false
	}
	w.read = last
	return ours
}

// attributed lists the changes up to number last whose writers were concluded anew.
// Where the trail can't be asked, the next time will do.
func (w *watcher) attributed(ctx context.Context, last int64) []Change {
	newest, err := w.s.lastInference(ctx)
	if err != nil || newest <= w.inferred {
		return nil
	}
	known, err := w.s.listChanges(ctx, `c.store=? AND c.inferred>0 AND c.inferred>? AND c.number<=? ORDER BY c.number LIMIT ?`, w.s.id, w.inferred, last, maxEvents)
	if err != nil {
		return nil
	}
	w.inferred = newest
	return known
}

// lastInference is the number of the store's newest conclusion.
func (s *Store) lastInference(ctx context.Context) (n int64, err error) {
	err = s.t.get(ctx, `SELECT coalesce(max(inferred),0) FROM change WHERE store=? AND inferred>0`, []any{s.id}, &n)
	return n, err
}

// lastRead is the newest row of the ledger, whatever store it is of.
func (s *Store) lastRead(ctx context.Context) (n int64, err error) {
	err = s.t.get(ctx, `SELECT coalesce(max(id),0) FROM read`, nil, &n)
	return n, err
}

func merge(pending *Event, e Event) *Event {
	if pending == nil {
		return &e
	}
	e.Changes = append(pending.Changes, e.Changes...)
	e.Attributed = append(pending.Attributed, e.Attributed...)
	e.Reload = e.Reload || pending.Reload || len(e.Changes) > maxEvents
	e.Others = e.Others || pending.Others
	e.Reads = e.Reads || pending.Reads
	if e.Upstream == nil {
		e.Upstream = pending.Upstream
	}
	if e.Reload {
		e.Changes, e.Attributed = nil, nil
	}
	return &e
}

// logWatch tells of writes to SQLite's log.
type logWatch struct {
	events <-chan fsnotify.Event
	lost   <-chan error     // something was not told of
	poll   <-chan time.Time // where nothing can be told: ask now
	stop   func()
}

// watchLog watches the files of the database; where that can't be done, poll ticks.
func (t *Trail) watchLog() logWatch {
	w, err := fsnotify.NewWatcher()
	if err == nil {
		if err = w.Add(filepath.Clean(t.home)); err == nil {
			return logWatch{events: w.Events, lost: w.Errors, stop: func() { _ = w.Close() }}
		}
		_ = w.Close()
	}
	tick := time.NewTicker(pollOthers)
	return logWatch{poll: tick.C, stop: tick.Stop}
}
