package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/request"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// happened tells the panes what is new in the store, and reads the open memory again
// when it may be meant.
func (a *App) happened(e versions.Event) tea.Cmd {
	meant := e.Reload || e.Others
	for _, c := range e.Changes {
		meant = a.follow(c) || meant
	}
	cmds := []tea.Cmd{a.editing.CheckRedacted()} // a redaction of the past is no change
	if meant || e.Reads || len(e.Changes)+len(e.Attributed) > 0 {
		cmds = append(cmds, a.tellWatchers(e))
	}
	if meant {
		cmds = append(cmds, a.refreshOpen())
	}
	return tea.Batch(cmds...)
}

func (a *App) tellWatchers(e versions.Event) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range a.panes() {
		if w, ok := p.(request.Watcher); ok {
			cmds = append(cmds, w.Event(e))
		}
	}
	return tea.Batch(cmds...)
}

// follow reports whether a change may concern the open memory, and goes with it
// where it was moved to.
func (a *App) follow(c versions.Change) bool {
	p := a.memory.Path()
	if a.editing.Pane() != nil {
		p = a.editing.Path()
	}
	if p.IsRoot() {
		return false
	}
	if c.Kind == versions.KindRename && p.In(c.Path) {
		a.editing.Moved(c.Path, c.To)
		a.memory.Moved(c.Path, c.To)
		a.tree.Moved(c.Path, c.To)
		return true
	}
	return p.In(c.Path) || !c.To.IsRoot() && p.In(c.To) || c.Versions > 1
}

// refreshOpen reads the open memory again.
func (a *App) refreshOpen() tea.Cmd {
	if a.editing.Pane() != nil {
		return a.editing.Reload()
	}
	return tea.Batch(a.memory.Reload(), a.live.FlashMemory())
}

// refresh reads everything again: what was erased is in no list any more.
func (a *App) refresh() tea.Cmd {
	return tea.Batch(a.editing.CheckRedacted(), a.live.Reload(), a.refreshOpen(), a.tellWatchers(versions.Event{Reload: true}))
}

// did tells the outcome of an act, to the person and to the pane that asked. What it
// changed is read when the event of the store comes, or now where none will.
func (a *App) did(msg request.Did) tea.Cmd {
	a.live.Own(msg.Change)
	var cmds []tea.Cmd
	if msg.Then != nil {
		cmds = append(cmds, func() tea.Msg { return msg.Then(msg.Change, msg.Err) })
	}
	if msg.Err != nil {
		text := wording.Why(msg.Err)
		if !strings.HasPrefix(text, msg.What+" ") { // "undo change 5: …" says it itself
			text = msg.What + ": " + text
		}
		return tea.Batch(append(cmds, a.say(text, true))...)
	}
	cmds = append(cmds, a.notices.SayDone(msg.What, msg.Change, a.now))
	for from, to := range msg.Moved {
		a.follow(versions.Change{Kind: versions.KindRename, Path: from, To: to})
	}
	if !msg.Open.IsRoot() {
		a.out.Ask(screen.Open{Path: msg.Open, Stay: true})
	}
	if !a.live.WillTell(msg.Change) {
		cmds = append(cmds, a.live.Reload())
		if a.follow(msg.Change) {
			cmds = append(cmds, a.refreshOpen())
		}
	}
	return tea.Batch(cmds...)
}
