package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// What happened in the store, whoever did it, and what that means for the screen.

const flashTime = 1500 * time.Millisecond

// loaded shows a reading of the tree.
func (a *App) loaded(msg treeLoadedMsg) tea.Cmd {
	if !a.loads.Current(msg.id) {
		return nil
	}
	a.loading = false
	a.setNow(msg.now)
	var cmds []tea.Cmd
	if msg.err != nil {
		a.tree.Fail(msg.err)
		cmds = append(cmds, a.say("read the store: "+msg.err.Error(), true))
	} else {
		cmds = append(cmds, a.tree.Load(msg.reading))
		cmds = append(cmds, a.tellLooks())
		a.last = msg.last
		a.revealFollowed()
		var others []versions.Entry
		for _, e := range msg.changed {
			if !a.mine[e.Change] {
				others = append(others, e)
			}
		}
		if len(others) > 0 && !a.cfg.Still {
			cmds = append(cmds, a.startFlash())
			a.tree.Flash(a.flashID, others)
		}
	}
	if a.again {
		a.again = false
		cmds = append(cmds, a.reload())
	}
	if !a.settling { // not before: it would hold up the first frame
		cmds = append(cmds, after(a.shown, tea.Batch(a.settleIn(), use(a.ctx, a.cfg.Stores, a.info.ID))))
	}
	return tea.Batch(cmds...)
}

// startFlash begins a flash, numbered flashID. Each ends by itself: while others write
// all the time, what changed first must not stay lit.
func (a *App) startFlash() tea.Cmd {
	a.flashID++
	return a.later(flashTime, flashOverMsg{a.flashID})
}

// flashMemory lights up what changes in the open memory.
func (a *App) flashMemory() tea.Cmd {
	if a.cfg.Still {
		a.memory.Calm()
		return nil
	}
	flash := a.startFlash()
	a.memoryFlash = a.flashID
	return flash
}

func (a *App) flashOver(n int) {
	a.tree.Calm(n)
	if n >= a.memoryFlash {
		a.memory.Calm()
	}
}

// settleIn begins the first look at the folder.
func (a *App) settleIn() tea.Cmd {
	a.settling, a.unlooked = true, false
	ctx, store := a.ctx, a.cfg.Store
	return a.jobs.Start(screen.Work{Doing: "look at the folder", Cancelled: a.notLooked, Do: func(work context.Context) (tea.Msg, error) {
		watch, end := context.WithCancel(ctx) // the watch goes on when the look is over
		stop := context.AfterFunc(work, end)
		msg := settle(watch, store)
		if !stop() && msg.err == nil { // it was cancelled as it ended
			msg.err = context.Canceled
		}
		return msg, msg.err
	}})
}

// notLooked goes on with what the trail knows.
func (a *App) notLooked(tea.Msg) tea.Cmd {
	a.settling, a.unlooked = false, true
	return a.say("the folder was not looked at: what others wrote since does not show · F5 looks", false)
}

// firstLook goes on when what others did before is taken in.
func (a *App) firstLook(msg settledMsg) tea.Cmd {
	var cmds []tea.Cmd
	if a.events = msg.events; a.events != nil {
		a.watching = watching
		cmds = append(cmds, waitEvent(a.events))
	}
	fresh := !msg.changed && msg.err == nil && !a.loading && a.tree.Data() != nil && msg.newest == a.last.Number
	if !fresh {
		a.loading = false // a reading under way may have come before it: its answer is stale
		cmds = append(cmds, a.reload())
	}
	a.settled = true
	a.tree.Settled()
	if fresh {
		cmds = append(cmds, a.tree.Begin())
	}
	return tea.Batch(append(cmds, a.trouble(msg.err))...)
}

// trouble says what is wrong with the folder; a message does where the tree has no
// room to say it.
func (a *App) trouble(err error) tea.Cmd {
	a.tree.Trouble(err)
	if err == nil {
		return nil
	}
	told := "watch the store: " + err.Error()
	if a.overlay == nil && len(a.screens) == 0 && !a.frame.panes[slotTree].Empty() && a.tree.TellsTrouble() {
		a.note(told, true)
		return nil
	}
	return a.say(told, true)
}

// event takes what is new in the store: the tree is read again, and the open
// memory when it may be meant.
func (a *App) event(msg eventMsg) tea.Cmd {
	if msg.closed {
		a.watching = notWatching
		return nil
	}
	e := msg.event
	next := tea.Batch(waitEvent(a.events), a.upstreamNews(e.Upstream))
	if e.Err != nil {
		a.watching = lost
		return tea.Batch(next, a.trouble(e.Err))
	}
	a.watching = watching
	a.tree.Trouble(nil)
	if e.Polling {
		a.watching = polling
	}
	meant := e.Reload || e.Others
	for _, c := range e.Changes {
		if c.Session == a.cfg.By.Session && c.Actor == a.cfg.By.Actor {
			a.own(c)
		}
		meant = meant || a.follow(c)
	}
	news := len(e.Changes)+len(e.Attributed) > 0 || meant
	if !news && !e.Reads {
		return tea.Batch(next, a.lookErased().cmd()) // a redaction of the past is no change
	}
	cmds := []tea.Cmd{next, a.lookErased().cmd(), a.lookForLoss(e.Changes)}
	for _, p := range a.panes() {
		if w, ok := p.(screen.Watcher); ok {
			cmds = append(cmds, w.Event(e))
		}
	}
	if !news { // who only read changed nothing that the tree shows
		return tea.Batch(append(cmds, a.followEvent(e))...)
	}
	cmds = append(cmds, a.reload())
	if meant {
		cmds = append(cmds, a.refreshOpen())
	}
	return tea.Batch(append(cmds, a.followEvent(e))...)
}

// lookForLoss says when another program has deleted many memories in one go: nobody may
// be looking at the tree when it happens.
func (a *App) lookForLoss(changes []versions.Change) tea.Cmd {
	i := slices.IndexFunc(changes, func(c versions.Change) bool {
		return c.Actor.Kind != versions.Person && (c.Kind == versions.KindAdopt || c.Kind == versions.KindDelete)
	})
	if i < 0 {
		return nil
	}
	ctx, store, since := a.ctx, a.cfg.Store, changes[i].Time
	return func() tea.Msg {
		bulks, err := store.Bulks(ctx, since)
		if err != nil { // the watcher tells of a trail that can't be read
			return nil
		}
		for _, b := range slices.Backward(bulks) {
			if b.MassDeletion() {
				return screen.Notice{Text: fmt.Sprintf("%s deleted %d memories in one go: `memend undo %d --bulk` restores them", b.Actor, b.Deleted, b.Last()), Bad: true}
			}
		}
		return nil
	}
}

// follow reports whether a change may concern the open memory, and goes with it
// where it was moved to.
func (a *App) follow(c versions.Change) bool {
	p := a.memory.Path()
	if a.edit != nil {
		p = a.edit.path
	}
	if p.IsRoot() {
		return false
	}
	if c.Kind == versions.KindRename && p.In(c.Path) {
		to := p.Move(c.Path, c.To)
		if a.edit != nil {
			a.edit.path = to
		}
		a.memory.Moved(c.Path, c.To)
		a.tree.Moved(c.Path, c.To)
		return true
	}
	return p.In(c.Path) || !c.To.IsRoot() && p.In(c.To) || c.Versions > 1
}

// refreshOpen reads the open memory again.
func (a *App) refreshOpen() tea.Cmd {
	if a.edit != nil {
		return loadEdit(a.ctx, a.cfg.Store, a.edit.path, 0, true)
	}
	return tea.Batch(a.memory.Reload(), a.flashMemory())
}

// own notes that a change is this person's: nobody needs to be told of it.
func (a *App) own(c versions.Change) {
	if c.Number != 0 {
		a.mine[c.Number] = true
	}
}

// refreshOwn reads again what an own act may have changed, unless an event of the
// store follows and does it.
func (a *App) refreshOwn(c versions.Change) tea.Cmd {
	if c.Number != 0 && (a.watching == watching || a.watching == polling) {
		return nil
	}
	if a.follow(c) {
		return tea.Batch(a.reload(), a.refreshOpen())
	}
	return a.reload()
}

// done tells the outcome of an act, to the person and to the pane that asked.
func (a *App) done(msg doneMsg) tea.Cmd {
	var cmds []tea.Cmd
	if msg.then != nil {
		cmds = append(cmds, func() tea.Msg { return msg.then(msg.change, msg.err) })
	}
	if msg.err != nil {
		if msg.change.Number > 0 { // a part of it was done
			a.own(msg.change)
		}
		text := why(msg.err)
		if !strings.HasPrefix(text, msg.did+" ") { // "undo change 5: …" says it itself
			text = msg.did + ": " + text
		}
		return tea.Batch(append(cmds, a.say(text, true))...)
	}
	a.own(msg.change)
	cmds = append(cmds, a.refreshOwn(msg.change), a.sayDone(msg.did, msg.change))
	for from, to := range msg.moved {
		a.follow(versions.Change{Kind: versions.KindRename, Path: from, To: to})
	}
	if !msg.open.IsRoot() {
		cmds = append(cmds, a.openMemory(screen.Open{Path: msg.open, Stay: true}))
	}
	return tea.Batch(cmds...)
}

// why puts some errors in the words of the screen.
func why(err error) string {
	var path *memfs.PathError
	if text, ok := hostedWhy(err); ok {
		return text
	}
	switch {
	case errors.As(err, &path): // what was typed stands before one's eyes
		return path.Err.Error()
	case errors.Is(err, versions.ErrNothing):
		return "nothing to do"
	case errors.Is(err, memfs.ErrExist):
		return err.Error() + ": choose another name"
	}
	return err.Error()
}
