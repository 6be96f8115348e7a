package live

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
)

// following is the mode in which the memory that others read or write is opened, until the
// person opens one. Others are agents and other programs, not people.
type following struct {
	on     bool
	asks   screen.Load[activity]
	last   activityKey
	reveal memfs.Path // to be shown in the tree
}

// activityKey identifies an activity.
type activityKey struct {
	read bool
	id   int64
}

// activity is the latest activity of others and, for a write, the text before it.
type activity struct {
	key    activityKey
	path   memfs.Path // the root if there is nothing to show
	line   int        // the first changed line, from 1; 0 for none
	before []byte     // of a write; nil for a read
}

// Person is the state of the person at the keyboard.
type Person struct {
	Busy   bool // with something that opening another memory would disturb
	InTree bool
}

// SetPerson sets the state of the person.
func (r *Room) SetPerson(p Person) { r.person = p }

// Follows reports whether follow mode is on.
func (r *Room) Follows() bool { return r.following.on }

// Follow turns follow mode on and opens what others did last.
func (r *Room) Follow() tea.Cmd {
	r.following.on, r.following.last = true, activityKey{}
	return r.requestActivity(time.Time{})
}

// SetFollowing turns follow mode on or off; off keeps the open memory.
func (r *Room) SetFollowing(on bool) { r.following.on = on }

// mayFollow reports whether another memory may be shown without disturbing the person.
func (r *Room) mayFollow() bool { return r.following.on && !r.person.Busy }

// followEvent requests the latest activity if others may have done something.
func (r *Room) followEvent(e versions.Event) tea.Cmd {
	if !e.Reads && !e.Reload && !byOthers(e.Changes) && !byOthers(e.Attributed) || !r.mayFollow() {
		return nil
	}
	return r.requestActivity(r.now.Add(-recent))
}

func byOthers(changes []versions.Change) bool {
	return slices.ContainsFunc(changes, func(c versions.Change) bool { return c.Actor.Kind != versions.Person })
}

// recent is how recent an activity must be to be followed without a request: times are
// rounded to the minute here.
const recent = 2 * time.Minute

// requestActivity requests the latest activity; one request at a time.
func (r *Room) requestActivity(since time.Time) tea.Cmd {
	f := &r.following
	if f.asks.After(func() tea.Cmd { return r.requestActivity(r.now.Add(-recent)) }) {
		return nil
	}
	store, last := r.cfg.Store, f.last
	return f.asks.Begin(r.env.Ctx, func(ctx context.Context) (activity, error) {
		return findActivity(ctx, store, since, last), nil
	}, r.followed)
}

// latestOfOthers returns the latest activity that is not a person's.
func latestOfOthers(ctx context.Context, store Store, since time.Time) (latest versions.Activity, ok bool) {
	for _, kind := range []versions.ActorKind{versions.Agent, versions.APIKey, versions.Outside} {
		list, _, err := store.Activity(ctx, versions.ActivityFilter{Actor: kind, Since: since}, "", 1)
		if err == nil && len(list) > 0 && (!ok || list[0].Time.After(latest.Time)) {
			latest, ok = list[0], true
		}
	}
	return latest, ok
}

// findActivity finds the latest activity of others, or nothing if it is known already.
func findActivity(ctx context.Context, store Store, since time.Time, known activityKey) activity {
	found := activity{key: known}
	x, ok := latestOfOthers(ctx, store, since)
	if !ok {
		return found
	}
	key := activityKey{true, x.ID}
	if !x.Read {
		key = activityKey{false, x.Change.Number}
	}
	if key == known {
		return found
	}
	found.key = key
	switch {
	case x.Redacted || x.Operation == versions.Deleted:
	case x.Read:
		found.path = x.Path
	case x.Change.Versions > 1:
		found.firstOf(ctx, store, x.Change.Number)
	case x.Version == "":
	case !x.Change.To.IsRoot():
		found.path = x.Change.To
	default:
		found.path = x.Path
		found.before, found.line = writtenOn(ctx, store, versions.Version{ID: x.Version, Memory: x.Memory, Number: x.Number})
	}
	return found
}

// firstOf shows the first memory of a change that is there after it.
func (d *activity) firstOf(ctx context.Context, store Store, change int64) {
	_, list, err := store.Change(ctx, change)
	if err != nil {
		return
	}
	for _, v := range list {
		if v.Operation != versions.Deleted && v.Redacted.IsZero() {
			d.path = v.Path
			d.before, d.line = writtenOn(ctx, store, v)
			return
		}
	}
}

// writtenOn returns the text before a version, and the first line that the version changed. If
// that is unknown, nothing is highlighted.
func writtenOn(ctx context.Context, store Store, v versions.Version) (before []byte, line int) {
	before = []byte{}
	if v.Number > 1 {
		page, err := store.History(ctx, v.Memory, v.Number, 1)
		if err != nil || len(page) == 0 {
			return nil, 0
		}
		if page[0].Operation != versions.Deleted {
			if before, err = store.Content(ctx, page[0].ID); err != nil {
				return nil, 0
			}
		}
	}
	after, err := store.Content(ctx, v.ID)
	if err != nil {
		return nil, 0
	}
	if edits := diff.Lines(before, after).Edits(); len(edits) > 0 {
		line = edits[0].New + 1
	}
	return before, line
}

// followed opens what others work on.
func (r *Room) followed(d activity, _ error) tea.Cmd {
	f := &r.following
	if !r.mayFollow() || d.key == f.last {
		return nil
	}
	f.last = d.key
	if d.path.IsRoot() {
		return nil
	}
	f.reveal = d.path
	r.tree.Showing(d.path)
	r.revealFollowed()
	r.env.Do(screen.Followed{})
	if d.before == nil && r.memory.Path() == d.path {
		return nil
	}
	return tea.Batch(r.memory.ShowSince(d.path, d.line, d.before), r.FlashMemory())
}

// revealFollowed shows in the tree the memory that was opened by follow mode, unless the
// person uses the tree. A memory that was just created is in the tree only after
// the next reading.
func (r *Room) revealFollowed() {
	p := r.following.reveal
	if d := r.tree.Data(); p.IsRoot() || d == nil || d.Entry(p) == nil {
		return
	}
	r.following.reveal = memfs.Root
	if r.following.on && !r.person.InTree {
		r.tree.Reveal(p)
	}
}
