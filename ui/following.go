package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
)

// following is the mode in which the memory that an agent reads or writes is opened,
// until the person opens one.
type following struct {
	on     bool
	asks   screen.Question
	busy   bool // what was done last is being asked for,
	more   bool // and has to be once more
	last   activityKey
	reveal memfs.Path // is to be shown in the tree
}

// activityKey tells something that was done from all else.
type activityKey struct {
	read bool
	id   int64
}

// followedMsg brings what an agent did last, and the text before that when it was a
// write.
type followedMsg struct {
	id     int
	deed   activityKey
	path   memfs.Path // the root when there is nothing to show of it
	line   int        // the first that it changed, from 1; 0 for none
	before []byte     // of what was written; nil when it was only read
}

// toggleFollow follows agents, or no longer: the memories that they are at, and in
// their own pane the conversations that begin.
func (a *App) toggleFollow() tea.Cmd {
	if a.following.on && (a.agents == nil || a.agents.Follows()) {
		a.following.on = false
		if a.agents != nil {
			a.agents.Follow(false)
		}
		return a.say("agents are followed no more", false)
	}
	a.following.on, a.following.last = true, activityKey{}
	cmds := []tea.Cmd{a.say("following: what an agent reads or writes opens, until you open a memory", false), a.askDeed(time.Time{})}
	if a.agents != nil {
		cmds = append(cmds, a.agents.Follow(true))
	}
	return tea.Batch(cmds...)
}

// stopFollowing ends the mode for the memory: the person has one that is to stay.
func (a *App) stopFollowing() { a.following.on = false }

// pressedMemory ends it when a key was for the memory.
func (a *App) pressedMemory(r keys.Result) {
	if r == keys.Done && a.focus == slotMemory && len(a.screens) == 0 {
		a.stopFollowing()
	}
}

// mayFollow reports whether another memory may be shown without a person being
// disturbed in something.
func (a *App) mayFollow() bool {
	return a.following.on && a.edit == nil && a.overlay == nil && a.prompt == nil && len(a.screens) == 0 && a.focus != slotHistory
}

// followEvent asks what an agent did, when one may have done something.
func (a *App) followEvent(e versions.Event) tea.Cmd {
	if !e.Reads && !e.Reload && !byAgent(e.Changes) && !byAgent(e.Attributed) || !a.mayFollow() {
		return nil
	}
	return a.askDeed(a.now.Add(-fresh))
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
func (a *App) askDeed(since time.Time) tea.Cmd {
	f := &a.following
	if f.busy {
		f.more = true
		return nil
	}
	f.busy = true
	ctx, id := f.asks.Begin(a.ctx)
	store, last := a.cfg.Store, f.last
	return func() tea.Msg { return lookAtDeed(ctx, id, store, since, last) }
}

// lookAtDeed finds what an agent did last; nothing when that is known already.
func lookAtDeed(ctx context.Context, id int, store Store, since time.Time, known activityKey) followedMsg {
	msg := followedMsg{id: id, deed: known}
	list, _, err := store.Activity(ctx, versions.ActivityFilter{Actor: versions.Agent, Since: since}, versions.Cursor{}, 1)
	if err != nil || len(list) == 0 {
		return msg
	}
	x := list[0]
	d := activityKey{true, x.ID}
	if !x.Read {
		d = activityKey{false, x.Change.Number}
	}
	if d == known {
		return msg
	}
	msg.deed = d
	if x.Version == "" && !x.Read || x.Redacted || x.Operation == versions.Deleted {
		return msg
	}
	msg.path = x.Path
	switch {
	case x.Read:
	case !x.Change.To.IsRoot():
		msg.path = x.Change.To
	default:
		msg.before, msg.line = writtenOn(ctx, store, x)
	}
	return msg
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
func (a *App) followed(msg followedMsg) tea.Cmd {
	f := &a.following
	if !f.asks.Current(msg.id) {
		return nil
	}
	f.busy = false
	var again tea.Cmd
	if f.more {
		f.more = false
		again = a.askDeed(a.now.Add(-fresh))
	}
	if !a.mayFollow() || msg.deed == f.last {
		return again
	}
	f.last = msg.deed
	if msg.path.IsRoot() {
		return again
	}
	f.reveal = msg.path
	a.tree.Showing(msg.path)
	a.revealFollowed()
	cmds := []tea.Cmd{again}
	if msg.before != nil || a.memory.Path() != msg.path {
		cmds = append(cmds, a.memory.ShowSince(msg.path, msg.line, msg.before), a.flashMemory())
	}
	return tea.Batch(append(cmds, a.showHistory())...)
}

// revealFollowed shows in the tree where the memory stands that was opened for the
// person, unless they are at something in the tree. What an agent has just made is
// in it only when that was read again.
func (a *App) revealFollowed() {
	p := a.following.reveal
	if d := a.tree.Data(); p.IsRoot() || d == nil || d.Entry(p) == nil {
		return
	}
	a.following.reveal = memfs.Root
	if a.following.on && a.focus != slotTree {
		a.tree.Reveal(p)
	}
}

// pointedAt ends the mode when the mouse is used on the memory.
func (a *App) pointedAt(msg tea.MouseMsg) {
	switch msg.(type) {
	case tea.MouseClickMsg, tea.MouseWheelMsg:
		a.stopFollowing()
	}
}

// bannerMsg brings another banner.
type bannerMsg string

// awaitBanner waits for another banner; each one arms it again.
func awaitBanner(banners <-chan string) tea.Cmd {
	if banners == nil {
		return nil
	}
	return func() tea.Msg {
		s, ok := <-banners
		if !ok {
			return nil
		}
		return bannerMsg(s)
	}
}
