package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// storeEvent passes an event of the store to the panes, and reads the open memory again if the
// event may concern it.
func (a *App) storeEvent(e versions.Event) tea.Cmd {
	concerned := e.Reload || e.Others
	for _, c := range e.Changes {
		concerned = a.follow(c) || concerned
	}
	cmds := []tea.Cmd{a.editing.CheckRedacted()} // a redaction of earlier versions is not a change
	if concerned || e.Reads || e.Trust || len(e.Changes)+len(e.Attributed) > 0 {
		cmds = append(cmds, a.notifyPanes(e))
	}
	if e.Trust || e.Reload || len(e.Changes) > 0 {
		cmds = append(cmds, a.branches.Load())
	}
	if concerned {
		cmds = append(cmds, a.refreshOpen())
	}
	return tea.Batch(cmds...)
}

func (a *App) notifyPanes(e versions.Event) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range a.panes() {
		if w, ok := p.(screen.Watcher); ok {
			cmds = append(cmds, w.Event(e))
		}
	}
	return tea.Batch(cmds...)
}

// look lets the panes find out what no event reports.
func (a *App) look() tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range a.panes() {
		if l, ok := p.(screen.Looker); ok {
			cmds = append(cmds, l.Look())
		}
	}
	return tea.Batch(cmds...)
}

// follow reports whether a change may concern the open memory. The panes follow what it renamed: that one, those to which
// the person can go back, and folders.
func (a *App) follow(c versions.Change) bool {
	p := a.memory.Path()
	if a.editing.Pane() != nil {
		p = a.editing.Path()
	}
	from, to := c.Effect.From, c.Effect.Path // by an undo, a redo or a restore
	if c.Kind == versions.KindRename {
		from, to = c.Path, c.To
	}
	if !from.IsRoot() {
		a.rename(from, to)
	}
	return !p.IsRoot() && (p.In(c.Path) || !from.IsRoot() && (p.In(from) || p.In(to)) || c.Versions > 1)
}

// rename lets the panes follow a memory or a folder to its new path.
func (a *App) rename(from, to memfs.Path) {
	a.editing.Moved(from, to)
	a.memory.Moved(from, to)
	a.tree.Moved(from, to)
}

// moved follows a memory that a change of several memories moved: an undo, a redo or a restore.
func (a *App) moved(from, to memfs.Path) tea.Cmd {
	a.rename(from, to)
	return tea.Batch(a.memory.Reload(), a.editing.Reload())
}

// refreshOpen reads the open memory again.
func (a *App) refreshOpen() tea.Cmd {
	if a.editing.Pane() != nil {
		return a.editing.Reload()
	}
	return tea.Batch(a.memory.Reload(), a.live.FlashMemory())
}

// refresh reads everything again: redacted content must disappear from all lists.
func (a *App) refresh() tea.Cmd {
	return tea.Batch(a.editing.CheckRedacted(), a.live.Reload(), a.refreshOpen(), a.notifyPanes(versions.Event{Reload: true}))
}

// did reports the outcome of an operation to the user and to the requester. What the operation
// changed is read when the store's event arrives, or now if there will be none.
func (a *App) did(msg screen.Did) tea.Cmd {
	a.live.Own(msg.Change)
	var cmds []tea.Cmd
	if msg.Then != nil {
		cmds = append(cmds, func() tea.Msg { return msg.Then(msg.Change, msg.Err) })
	}
	if msg.Err != nil {
		text := wording.Why(msg.Err)
		if !strings.HasPrefix(text, msg.What+" ") { // a message such as "undo change 5: …" includes it
			text = msg.What + ": " + text
		}
		return tea.Batch(append(cmds, a.say(text, true))...)
	}
	undoable := msg.Change
	if undoable.Actor.Kind == versions.Agent { // an accepted change is its author's: the key that undoes one's own would not undo it
		undoable = versions.Change{}
	}
	cmds = append(cmds, a.notices.SayDone(msg.What, undoable, a.now), a.offerNote(msg.Change))
	for from, to := range msg.Moved {
		a.rename(from, to)
	}
	if !msg.Open.IsRoot() {
		a.out.Do(screen.Open{Path: msg.Open, Stay: true})
	}
	if !a.live.ExpectsEvent(msg.Change) {
		cmds = append(cmds, a.live.Reload())
		if a.follow(msg.Change) {
			cmds = append(cmds, a.refreshOpen())
		}
	}
	return tea.Batch(cmds...)
}
