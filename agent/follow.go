package agent

import (
	"cmp"
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
// attached to, in any process, until ctx ends or report fails. A store's changes, a conversation and
// all events from before the call are reported in order and each once. If reads are reported, other
// events wait for them for settleTime, so that all are in the order of their times.
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
	reportAll := func(events []Event) error {
		for _, e := range events {
			if err := report(e); err != nil {
				return err
			}
		}
		return nil
	}
	if err := reportAll(before); err != nil {
		return err
	}
	for _, watch := range starts {
		all.Go(func() { watch(ctx) })
	}
	q := settling{reads: !f.NoReads}
	for {
		var err error
		select {
		case <-ctx.Done():
			err = context.Cause(ctx)
		case events := <-f.External:
			q.add(events)
		case read := <-w.wakeups:
			var events []Event
			events, err = read(ctx)
			q.add(events)
		case <-q.tick():
		case <-f.Until:
			if err := t.FlushReads(ctx); err != nil {
				return err
			}
			for _, progress := range seen {
				events, err := progress.readNew(ctx)
				if q.add(events); err != nil {
					return err
				}
			}
			return reportAll(q.all())
		}
		if err != nil {
			return cmp.Or(reportAll(q.all()), err)
		}
		if err := reportAll(q.settled(time.Now())); err != nil {
			return err
		}
	}
}

// settleTime is how long an event waits for earlier ones if reads are reported: a read reaches the ledger some time after it happened, when
// the change that followed it may be known already.
const settleTime = 500 * time.Millisecond

// settling holds events until they can be reported in the order of their times.
type settling struct {
	reads   bool // are reported; otherwise nothing waits
	waiting []settlingEvent
}

type settlingEvent struct {
	Event
	until time.Time
}

// add adds events that became known now.
func (q *settling) add(events []Event) {
	until := time.Now()
	if q.reads {
		until = until.Add(settleTime)
	}
	for _, e := range events {
		q.waiting = append(q.waiting, settlingEvent{e, until})
	}
	slices.SortStableFunc(q.waiting, func(a, b settlingEvent) int { return a.Time.Compare(b.Time) })
}

// tick returns a channel that receives when to look again whether an event can be reported.
func (q *settling) tick() <-chan time.Time {
	if len(q.waiting) == 0 {
		return nil
	}
	return time.After(settleTime / 10)
}

// settled removes and returns the events up to the last one that has waited long enough.
func (q *settling) settled(now time.Time) (out []Event) {
	n := len(q.waiting)
	for n > 0 && q.waiting[n-1].until.After(now) {
		n--
	}
	for _, e := range q.waiting[:n] {
		out = append(out, e.Event)
	}
	q.waiting = q.waiting[n:]
	return out
}

// all removes and returns all events.
func (q *settling) all() []Event { return q.settled(time.Now().Add(settleTime)) }

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
	known  int64 // number of the newest reported attribution
	read   int64 // and of the ledger's newest read that was looked at
}

// store returns the past events of a store, and how much of it they are.
func (w *follower) store(ctx context.Context, s *engine.Store) (past []Event, sight *storeProgress, err error) {
	last, err := s.LastChange(ctx)
	if err != nil {
		return nil, nil, err
	}
	sight = &storeProgress{s: s, f: w.f, change: last}
	if _, sight.known, err = watch.Attributed(ctx, s, -1, 0); err != nil {
		return nil, nil, err
	}
	if w.f.Since.IsZero() {
		_, sight.read, err = vhistory.ReadsAfter(ctx, s, -1, "", time.Time{})
		return nil, sight, err
	}
	if sight.change, err = vhistory.ChangesUntil(ctx, s, w.f.Since.Add(-time.Microsecond)); err != nil {
		return nil, nil, err
	}
	past, err = sight.readNew(ctx)
	sight.f.Since = time.Time{} // what is new from now on is new even if the clock is set back
	return past, sight, err
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
		w.wake(ctx, sight.readNew)
	}
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
	lost, err := v.lost(ctx, changes)
	if changes = append(changes, lost...); err != nil || v.f.NoReads {
		return append(out, changes...), err
	}
	reads, newest, err := vhistory.ReadsAfter(ctx, v.s, v.read, v.f.Session, v.f.Since)
	if err == nil {
		v.read = newest
	}
	for _, a := range reads {
		out = append(out, readEvent(v.s.Info().ID, a))
	}
	return append(out, changes...), err
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
	v.f.Since = time.Time{} // as in store
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
