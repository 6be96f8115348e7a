package live

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
)

// following is the mode in which the memory that an agent reads or writes is opened,
// until the person opens one.
type following struct {
	on     bool
	asks   screen.Load[deed]
	last   activityKey
	reveal memfs.Path // is to be shown in the tree
}

// activityKey tells something that was done from all else.
type activityKey struct {
	read bool
	id   int64
}

// deed is what an agent did last, and the text before that when it was a write.
type deed struct {
	key    activityKey
	path   memfs.Path // the root when there is nothing to show of it
	line   int        // the first that it changed, from 1; 0 for none
	before []byte     // of what was written; nil when it was only read
}

// Person is what the person at the keyboard is doing.
type Person struct {
	Busy   bool // with something that another memory would disturb
	InTree bool
}

// SetPerson says what the person is doing.
func (r *Room) SetPerson(p Person) { r.person = p }

// Follows reports whether what agents do is opened.
func (r *Room) Follows() bool { return r.following.on }

// Follow opens what an agent did last, and what agents do from now on.
func (r *Room) Follow() tea.Cmd {
	r.following.on, r.following.last = true, activityKey{}
	return r.askDeed(time.Time{})
}

// SetFollowing opens what agents do from now on, or leaves the memory that is open: the
// person has one that is to stay.
func (r *Room) SetFollowing(on bool) { r.following.on = on }

// mayFollow reports whether another memory may be shown without a person being
// disturbed in something.
func (r *Room) mayFollow() bool { return r.following.on && !r.person.Busy }

// followEvent asks what an agent did, when one may have done something.
func (r *Room) followEvent(e versions.Event) tea.Cmd {
	if !e.Reads && !e.Reload && !byAgent(e.Changes) && !byAgent(e.Attributed) || !r.mayFollow() {
		return nil
	}
	return r.askDeed(r.now.Add(-fresh))
}

func byAgent(changes []versions.Change) bool {
	for _, c := range changes {
		if c.Actor.Kind == versions.Agent {
			return true
		}
	}
	return false
}

// fresh is how long ago something can have been done that is followed by itself: the
// time is known to the minute here.
const fresh = 2 * time.Minute

// askDeed asks what an agent did last; once at a time.
func (r *Room) askDeed(since time.Time) tea.Cmd {
	f := &r.following
	if f.asks.After(func() tea.Cmd { return r.askDeed(r.now.Add(-fresh)) }) {
		return nil
	}
	store, last := r.cfg.Store, f.last
	return f.asks.Begin(r.env.Ctx, func(ctx context.Context) (deed, error) {
		return lookAtDeed(ctx, store, since, last), nil
	}, r.followed)
}

// lookAtDeed finds what an agent did last; nothing when that is known already.
func lookAtDeed(ctx context.Context, store Store, since time.Time, known activityKey) deed {
	found := deed{key: known}
	list, _, err := store.Activity(ctx, versions.ActivityFilter{Actor: versions.Agent, Since: since}, versions.Cursor{}, 1)
	if err != nil || len(list) == 0 {
		return found
	}
	x := list[0]
	key := activityKey{true, x.ID}
	if !x.Read {
		key = activityKey{false, x.Change.Number}
	}
	if key == known {
		return found
	}
	found.key = key
	if x.Version == "" && !x.Read || x.Redacted || x.Operation == versions.Deleted {
		return found
	}
	found.path = x.Path
	switch {
	case x.Read:
	case !x.Change.To.IsRoot():
		found.path = x.Change.To
	default:
		found.before, found.line = writtenOn(ctx, store, x)
	}
	return found
}

// writtenOn is the text that a write was made on, and the first line that it changed.
// Where that can't be told nothing lights up.
func writtenOn(ctx context.Context, store Store, x versions.Activity) (before []byte, line int) {
	before = []byte{}
	if x.Number > 1 {
		page, err := store.History(ctx, x.Memory, x.Number, 1)
		if err != nil || len(page) == 0 {
			return nil, 0
		}
		if page[0].Operation != versions.Deleted {
			if before, err = store.Content(ctx, page[0].ID); err != nil {
				return nil, 0
			}
		}
	}
	after, err := store.Content(ctx, x.Version)
	if err != nil {
		return nil, 0
	}
	if edits := diff.Lines(before, after).Edits(); len(edits) > 0 {
		line = edits[0].New + 1
	}
	return before, line
}

// followed opens what an agent is at.
func (r *Room) followed(d deed, _ error) tea.Cmd {
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
	r.env.Ask(Opened{})
	if d.before == nil && r.memory.Path() == d.path {
		return nil
	}
	return tea.Batch(r.memory.ShowSince(d.path, d.line, d.before), r.FlashMemory())
}

// revealFollowed shows in the tree where the memory stands that was opened for the
// person, unless they are at something in the tree. What an agent has just made is
// in it only when that was read again.
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
