package agent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/conversations"
	"github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/watch"
)

// FollowOptions selects the events that Follow reports.
type FollowOptions struct {
	Since    time.Time          // report events from this time on first; zero: only new ones
	Session  versions.SessionID // of this one only
	NoReads  bool
	NoTalk   bool           // no conversations: only what happened to memories
	External <-chan []Event // events from another source, to report among the others

	// Until makes Follow return nil after it is closed, when all that happened before in this
	// process is reported.
	Until <-chan struct{}

	Upstream func(versions.StoreInfo, versions.UpstreamState) // called with the state of hosted stores; may be nil
}

// Follow reports what happens in stores, and the conversations of sessions that they are
// attached to, in any process, until ctx ends or report fails. A store's changes are reported in
// order and each once, its reads as they reach the ledger, and a conversation in order; between
// these sources the order is that of discovery. Events from before the call are reported in the
// order of their times.
func Follow(ctx context.Context, t *engine.Trail, stores []*engine.Store, f FollowOptions, report func(Event) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &follower{f: f, wakeups: make(chan func(context.Context) ([]Event, error))}
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel(nil)
	var before []Event
	var starts []func(context.Context)
	var seen []*storeProgress
	for _, s := range stores {
		past, progress, err := w.store(ctx, s)
		if err != nil {
			return err
		}
		seen = append(seen, progress)
		before, starts = append(before, past...), append(starts, func(ctx context.Context) { w.watch(ctx, progress) })
	}
	if !f.NoTalk {
		past, watch, err := w.talk(ctx, t.Conversations(), stores)
		if err != nil {
			return err
		}
		before, starts = append(before, past...), append(starts, watch)
	}
	slices.SortStableFunc(before, func(a, b Event) int { return a.Time.Compare(b.Time) })
	reportAll := func(events []Event, err error) error {
		for _, e := range events {
			if err := report(e); err != nil {
				return err
			}
		}
		return err
	}
	if err := reportAll(before, nil); err != nil {
		return err
	}
	for _, watch := range starts {
		all.Go(func() { watch(ctx) })
	}
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case events := <-f.External:
			if err := reportAll(events, nil); err != nil {
				return err
			}
		case read := <-w.wakeups:
			if err := reportAll(read(ctx)); err != nil {
				return err
			}
		case <-f.Until:
			if err := t.FlushReads(ctx); err != nil {
				return err
			}
			for _, progress := range seen {
				if err := reportAll(progress.readNew(ctx)); err != nil {
					return err
				}
			}
			return nil
		}
	}
}

// follower waits for several sources; each sends a function that returns its new events.
type follower struct {
	f       FollowOptions
	wakeups chan func(context.Context) ([]Event, error)
}

func (w *follower) wake(ctx context.Context, read func(context.Context) ([]Event, error)) {
	select {
	case w.wakeups <- read:
	case <-ctx.Done():
	}
}

// storeProgress is how much of a store was reported.
type storeProgress struct {
	s      *engine.Store
	f      FollowOptions
	change int64
	known  int64     // number of the newest reported attribution
	read   int64     // id of the newest reported read
	at     time.Time // start of the reads to query
}

// lateRead is how long after it happened a read may reach the ledger.
const lateRead = time.Minute

// store returns the past events of a store, and how much of it they are.
func (w *follower) store(ctx context.Context, s *engine.Store) (past []Event, sight *storeProgress, err error) {
	last, err := s.LastChange(ctx)
	if err != nil {
		return nil, nil, err
	}
	sight = &storeProgress{s: s, f: w.f, change: last, at: w.f.Since}
	if _, sight.known, err = watch.Attributed(ctx, s, -1, 0); err != nil {
		return nil, nil, err
	}
	if !w.f.Since.IsZero() {
		if sight.change, err = vhistory.ChangesUntil(ctx, s, w.f.Since.Add(-time.Microsecond)); err != nil {
			return nil, nil, err
		}
		if past, err = sight.readNew(ctx); err != nil {
			return nil, nil, err
		}
	} else if err := sight.skipReads(ctx); err != nil {
		return nil, nil, err
	}
	return past, sight, nil
}

// watch reads a store again whenever something happened in it.
func (w *follower) watch(ctx context.Context, sight *storeProgress) {
	events, err := watch.Watch(ctx, sight.s)
	if err != nil {
		w.wake(ctx, func(context.Context) ([]Event, error) { return nil, err })
		return
	}
	w.wake(ctx, sight.readNew) // what happened before it watched
	for ev := range events {
		if u := ev.Upstream; u != nil && w.f.Upstream != nil {
			w.wake(ctx, func(context.Context) ([]Event, error) {
				w.f.Upstream(sight.s.Info(), *u)
				return nil, nil
			})
		}
		if ev.Err != nil {
			continue // retried later: the folder may return, and until then nothing happens in it
		}
		w.wake(ctx, sight.readNew)
	}
}

// skipReads marks the existing reads as reported.
func (v *storeProgress) skipReads(ctx context.Context) error {
	found, _, err := vhistory.Activity(ctx, v.s, versions.ActivityFilter{NoWrites: true}, "", 1)
	if err != nil {
		return err
	}
	for _, a := range found {
		v.at = a.Time
	}
	_, err = v.reads(ctx)
	return err
}

// attributed returns events for reported changes whose author changed.
func (v *storeProgress) attributed(ctx context.Context) (out []Event, err error) {
	changes, newest, err := watch.Attributed(ctx, v.s, v.known, v.change)
	for _, c := range changes {
		if v.f.Session == "" || v.f.Session == c.Session {
			out = append(out, Event{Kind: Attributed, Time: c.Time, Store: v.s.Info().ID, Session: c.Session, Actor: c.Actor, Turn: c.Turn,
				ToolUse: c.ToolUse, Inferred: c.Inferred, Command: requested(c.Kind), Path: c.Path.Tool(), Change: c.Number})
		}
	}
	v.known = newest
	return out, err
}

// readNew returns the new events.
func (v *storeProgress) readNew(ctx context.Context) (out []Event, err error) {
	if out, err = v.attributed(ctx); err != nil {
		return nil, err
	}
	last, err := v.s.LastChange(ctx)
	if err != nil {
		return nil, err
	}
	var changes []Event
	for ; v.change < last; v.change++ {
		c, made, err := vhistory.Change(ctx, v.s, v.change+1)
		if err != nil {
			return append(out, changes...), err
		}
		if v.f.Session == "" || v.f.Session == c.Session {
			changes = append(changes, changeEvents(v.s.Info().ID, c, made)...)
		}
	}
	out = append(out, changes...)
	if v.f.NoReads {
		return out, nil
	}
	lost, err := v.lost(ctx, changes)
	if err != nil {
		return out, err
	}
	read, err := v.reads(ctx)
	return slices.Concat(out, lost, read), err
}

// lost returns the events for mass deletions that contain changes.
func (v *storeProgress) lost(ctx context.Context, changes []Event) (out []Event, err error) {
	i := slices.IndexFunc(changes, func(e Event) bool { return e.Operation == versions.Deleted })
	if i < 0 || v.f.Session != "" {
		return nil, nil
	}
	all, err := vhistory.Bulks(ctx, v.s, changes[i].Time)
	for _, b := range all {
		if b.Loss {
			out = append(out, Event{Kind: MassDeleted, Time: b.Until, Store: v.s.Info().ID, Session: b.Session, Actor: b.Actor, Change: b.Deleting[len(b.Deleting)-1], Deleted: b.Deleted, Bulk: &b})
		}
	}
	return out, err
}

// reads returns the reads that are newer than the reported ones, oldest first.
func (v *storeProgress) reads(ctx context.Context) (out []Event, err error) {
	f := versions.ActivityFilter{NoWrites: true, Since: v.at, Session: v.f.Session}
	if !f.Since.IsZero() {
		f.Since = f.Since.Add(-lateRead)
	}
	newest := v.read
	for at := versions.Cursor(""); ; {
		page, next, err := vhistory.Activity(ctx, v.s, f, at, 500)
		if err != nil {
			return nil, err
		}
		for _, a := range page {
			if a.ID > v.read && (v.f.Since.IsZero() || !a.Time.Before(v.f.Since)) {
				out = append(out, readEvent(v.s.Info().ID, a))
			}
			newest = max(newest, a.ID)
			if a.Time.After(v.at) {
				v.at = a.Time
			}
		}
		if at = next; at == "" {
			break
		}
	}
	v.read = newest
	slices.Reverse(out)
	return out, nil
}

func changeEvents(store versions.StoreID, c versions.Change, made []versions.Version) (out []Event) {
	e := Event{Kind: Changed, Time: c.Time, Store: store, Session: c.Session, Actor: c.Actor, Turn: c.Turn, ToolUse: c.ToolUse,
		Command: requested(c.Kind), Change: c.Number, Inferred: c.Inferred}
	for _, v := range made {
		e := e
		e.Version, e.Operation = v.ID, v.Operation
		if v.Redacted.IsZero() {
			e.Path, e.Plus, e.Minus = v.Path.Tool(), v.Added, v.Removed
			if v.Renamed() {
				e.From, e.Operation = v.From.Tool(), Renamed
			}
		}
		out = append(out, e)
	}
	for _, l := range c.Links {
		e := e
		e.Path, e.Target, e.Operation = l.Path.Tool(), l.Now, versions.Modified
		if l.Was == "" {
			e.Operation = versions.Created
		} else if l.Now == "" {
			e.Operation = versions.Deleted
		}
		out = append(out, e)
	}
	if len(out) == 0 {
		if e.Path = c.Path.Tool(); c.Kind == versions.KindUndo || c.Kind == versions.KindRedo {
			e.Path = ""
		}
		out = append(out, e)
	}
	return out
}

// requested returns what a change was asked to do. Nothing was asked of memend for what another program did.
func requested(k versions.ChangeKind) string {
	if k == versions.KindAdopt {
		return ""
	}
	return string(k)
}

func readEvent(store versions.StoreID, a versions.Activity) Event {
	e := Event{Kind: Read, Time: a.Time, Store: store, Session: a.Session, Actor: a.Actor, Turn: a.Turn, ToolUse: a.ToolUse, Version: a.Version}
	if !a.Redacted {
		e.Path = a.Path.Tool()
	}
	return e
}

// talkProgress is how much of the conversations was reported.
type talkProgress struct {
	all      *conversations.Folder
	f        FollowOptions
	stores   []versions.StoreID
	at       map[versions.SessionID]int64
	followed map[versions.SessionID]bool // whether the session has a followed store
}

// talk returns the past events of conversations, and a function that watches for new ones.
func (w *follower) talk(ctx context.Context, all *conversations.Folder, stores []*engine.Store) ([]Event, func(context.Context), error) {
	v := &talkProgress{all: all, f: w.f, at: map[versions.SessionID]int64{}, followed: map[versions.SessionID]bool{}}
	for _, s := range stores {
		v.stores = append(v.stores, s.Info().ID)
	}
	list, err := all.List()
	if err != nil {
		return nil, nil, err
	}
	var past []Event
	for _, info := range list {
		if w.f.Since.IsZero() || info.Written.Before(w.f.Since) {
			v.at[info.Session] = info.Bytes
			continue
		}
		events, err := v.readNew(info.Session)
		if err != nil {
			return nil, nil, err
		}
		past = append(past, events...)
	}
	grown := all.Watch(ctx)
	return past, func(ctx context.Context) {
		w.wake(ctx, func(context.Context) ([]Event, error) { return v.readAll() })
		for id := range grown {
			w.wake(ctx, func(context.Context) ([]Event, error) {
				if id == "" {
					return v.readAll()
				}
				return v.readNew(id)
			})
		}
	}, nil
}

func (v *talkProgress) readAll() (out []Event, err error) {
	list, err := v.all.List()
	if err != nil {
		return nil, err
	}
	for _, info := range list {
		events, err := v.readNew(info.Session)
		if err != nil {
			return out, err
		}
		out = append(out, events...)
	}
	return out, nil
}

func (v *talkProgress) readNew(id versions.SessionID) (out []Event, err error) {
	if v.f.Session != "" && v.f.Session != id {
		return nil, nil
	}
	for {
		objects, next, err := v.all.Read(id, v.at[id])
		if errors.Is(err, conversations.ErrNotFound) {
			return out, nil // deleted, or no conversation
		}
		if err != nil {
			return out, err
		}
		if next == v.at[id] {
			return out, nil
		}
		v.at[id] = next
		for _, o := range objects {
			var e Event
			if json.Unmarshal(o, &e) != nil || !v.f.Since.IsZero() && e.Time.Before(v.f.Since) {
				continue
			}
			if v.isFollowed(id, e) {
				out = append(out, e)
			}
		}
	}
}

// isFollowed reports whether a session has a followed store; its first event says so.
func (v *talkProgress) isFollowed(id versions.SessionID, e Event) bool {
	ours, known := v.followed[id]
	if known {
		return ours
	}
	if e.Kind != Started { // it began before the part that was read
		objects, _, err := v.all.Read(id, 0)
		if err != nil || len(objects) == 0 || json.Unmarshal(objects[0], &e) != nil {
			return false
		}
	}
	ours = slices.ContainsFunc(e.Stores, func(a Attachment) bool { return slices.Contains(v.stores, a.Store) })
	v.followed[id] = ours
	return ours
}
