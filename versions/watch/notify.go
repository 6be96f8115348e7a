package watch

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// pollOthers is how often the trail is queried for other processes' changes when the home can't be
// watched.
const pollOthers = 100 * time.Millisecond

// AfterWrite holds the delays of the queries after a write to SQLite's log. The writer syncs the
// log before readers can see the change, and no notification follows the sync. It usually takes
// milliseconds, but seconds on a busy disk.
var AfterWrite = []time.Duration{5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond,
	400 * time.Millisecond, 1500 * time.Millisecond, 5 * time.Second, 15 * time.Second}

// While others write all the time, the queries of a watcher take at most a part of the time: where a hundred
// processes watch a home, they would leave nothing to the one that writes. The slower the system answers, the
// longer is the rest.
const (
	restAfter   = 20 // times as long as a query took
	longestRest = time.Second
)

// unanswered is the delay before a failed query is retried.
const unanswered = 5 * time.Second

// tell sends events for what is new after change number last, until ctx ends. While the receiver is
// busy, it collects what is new for the next event.
func (w *Watcher) tell(ctx context.Context, last int64) {
	ring, leave := w.s.Trail.Notifier.Subscribe()
	defer leave()
	log := w.WatchLog()
	defer log.Stop()
	var pending *versions.Event
	ask := true // changes before the subscription
	var soon <-chan time.Time
	var due time.Time // when soon fires
	var again []time.Duration
	var rested time.Time // no notification of another process leads to a query before
	in := func(d time.Duration) {
		d = max(d, time.Until(rested))
		soon, due = time.After(d), time.Now().Add(d)
	}
	written := func() {
		again = w.AfterWrite
		if soon == nil || due.After(rested) && due.After(time.Now().Add(again[0])) { // steady writes must not postpone the next query
			in(again[0])
		}
	}
	written() // a write before the subscription may become visible after it
	for {
		if ask {
			var err error
			began := time.Now()
			if pending, last, err = w.gather(ctx, pending, last); err != nil && soon == nil {
				again = nil
				in(unanswered)
			}
			if ctx.Err() == nil && w.troubles.set(inTrail, err) {
				pending = merge(pending, versions.Event{})
			}
			ask, rested = false, time.Now().Add(min(restAfter*time.Since(began), longestRest))
		}
		out, send := w.Out, versions.Event{}
		if pending == nil {
			out = nil
		} else {
			send = *pending
			send.Polling, send.Err = w.polling.Load(), w.troubles.now()
		}
		select {
		case <-ctx.Done():
			return
		case out <- send:
			pending = nil
		case <-ring:
			ask = true
		case e := <-log.Events:
			if strings.HasSuffix(e.Name, "-wal") {
				written()
			}
		case <-log.Lost:
			written()
		case <-soon:
			ask, soon = true, nil
			if len(again) > 1 {
				again = again[1:]
				in(again[0])
			}
		case <-log.poll:
			ask = time.Now().After(rested)
		case n := <-w.notes:
			pending = merge(pending, n)
		}
	}
}

// gather adds what is new after last to the pending event.
func (w *Watcher) gather(ctx context.Context, pending *versions.Event, last int64) (*versions.Event, int64, error) {
	now, err := Newest(ctx, w.s)
	if err == nil {
		if w.newReads(ctx, now.read) {
			pending = merge(pending, versions.Event{Reads: true})
		}
		if known := w.attributed(ctx, now.attribution, last); len(known) > maxEvents {
			pending = merge(pending, versions.Event{Reload: true})
		} else if len(known) > 0 {
			pending = merge(pending, versions.Event{Attributed: known})
		}
		w.followFiles(now.files)
		if now.trust != w.trust {
			w.trust = now.trust
			pending = merge(pending, versions.Event{Trust: true})
		}
		if now.used != w.used {
			if w.used = now.used; now.used != w.s.Decided.Load() {
				pending = merge(pending, versions.Event{Reviewed: true})
			}
		}
		if now.Change == last {
			return pending, last, nil
		}
	} // else damage to these tables does not hide the changes
	changes, err := core.ChangesAfter(ctx, w.s, last, maxEvents+1)
	if err != nil || len(changes) == 0 {
		return pending, last, err
	}
	if len(changes) > maxEvents {
		if newest, err := w.s.LastChange(ctx); err == nil {
			return merge(pending, versions.Event{Reload: true}), newest, nil
		}
	}
	return merge(pending, versions.Event{Changes: changes}), changes[len(changes)-1].Number, nil
}

// newest says how far the tables have got that a watcher follows. One query tells whether there is anything new:
// each process that watches a store asks after each write to the home.
type newest struct {
	Change, read, attribution, used int64

	files string
	trust tables.TrustState
}

// Newest reads what a watch compares to see what is new.
func Newest(ctx context.Context, s *core.Store) (n newest, err error) {
	err = s.Trail.DB.Row(ctx, `SELECT changes, files, used, (SELECT coalesce(max(id),0) FROM read), (SELECT coalesce(max(id),0) FROM attribution), `+tables.TrustColumns+` FROM store WHERE id=?1`, s.Row).
		Scan(append([]any{&n.Change, &n.files, &n.used, &n.read, &n.attribution}, n.trust.To()...)...)
	return n, err
}

// newReads reports whether the ledger, up to row last, has reads of the store that were not reported yet. After an
// error, the next call reports them.
func (w *Watcher) newReads(ctx context.Context, last int64) bool {
	if last <= w.read {
		return false
	}
	var ours bool
	if err := w.s.Trail.DB.Row(ctx, `SELECT EXISTS(SELECT 1 FROM read WHERE id>? AND +store=?)`, w.read, w.s.Row).Scan(&ours); err != nil {
		return false
	}
	w.read = last
	return ours
}

// followFiles wakes adopt if the files of the store were changed.
func (w *Watcher) followFiles(now string) {
	if w.files == "" || now == w.files { // a whole folder stays one
		return
	}
	w.files = now
	select {
	case w.renamed <- struct{}{}:
	default:
	}
}

// attributed lists the changes up to number last whose actors were inferred since the last call, if there is a newer
// attribution. After an error, the next call lists them.
func (w *Watcher) attributed(ctx context.Context, newest, last int64) []versions.Change {
	if newest <= w.attributions {
		return nil
	}
	known, newest, err := Attributed(ctx, w.s, w.attributions, last)
	if err != nil {
		return nil
	}
	w.attributions = newest
	return known
}

// Attributed lists the changes, up to number last, whose actors were inferred or turned
// out to be unknown after the attribution with the given number, ordered by number. It returns the
// number of the trail's newest attribution, for the next call. An after of -1 lists none.
func Attributed(ctx context.Context, s *core.Store, after, last int64) (changes []versions.Change, newest int64, err error) {
	if err := s.Trail.DB.Row(ctx, `SELECT coalesce(max(id),0) FROM attribution`).Scan(&newest); err != nil {
		return nil, after, err
	}
	if after < 0 || newest <= after {
		return nil, newest, nil
	}
	changes, err = core.ListChanges(ctx, s, `c.store=? AND c.id IN (SELECT change FROM attribution WHERE id>?) AND c.number<=? ORDER BY c.number`, s.Row, after, last)
	if err != nil {
		return nil, after, err
	}
	return changes, newest, nil
}

func merge(pending *versions.Event, e versions.Event) *versions.Event {
	if pending == nil {
		return &e
	}
	e.Changes = append(pending.Changes, e.Changes...)
	e.Attributed = append(pending.Attributed, e.Attributed...)
	e.Reload = e.Reload || pending.Reload || len(e.Changes) > maxEvents || len(e.Attributed) > maxEvents
	e.Others = e.Others || pending.Others
	e.Reads = e.Reads || pending.Reads
	e.Trust = e.Trust || pending.Trust
	e.Reviewed = e.Reviewed || pending.Reviewed
	if e.Upstream == nil {
		e.Upstream = pending.Upstream
	}
	if e.Reload {
		e.Changes, e.Attributed = nil, nil
	}
	return &e
}

// LogWatch notifies of writes to SQLite's log.
type LogWatch struct {
	Events <-chan fsnotify.Event
	Lost   <-chan error     // notifications were lost
	poll   <-chan time.Time // without notifications: query now
	Stop   func()
}

// watchLog watches the files of the database. If that fails, poll ticks.
func watchLog(t *core.Trail) LogWatch {
	w, err := fsnotify.NewWatcher()
	if err == nil {
		if err = w.Add(filepath.Clean(t.Folder)); err == nil {
			return LogWatch{Events: w.Events, Lost: w.Errors, Stop: func() { _ = w.Close() }}
		}
		_ = w.Close()
	}
	tick := time.NewTicker(pollOthers)
	return LogWatch{poll: tick.C, Stop: tick.Stop}
}
