package ui

import (
	"errors"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/editor"
	"github.com/memtrail/memtrail/ui/history"
	"github.com/memtrail/memtrail/versions"
)

const flashTime = 1500 * time.Millisecond

// Update routes a message to whoever it is for.
func (a *App) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.w, a.h = msg.Width, msg.Height
		a.resize()
		return a.memory.fetch()
	case tea.KeyPressMsg:
		return a.key(msg)
	case tea.PasteMsg:
		return a.paste(msg)
	case tea.MouseMsg:
		return a.mouse(msg)
	case tea.ClipboardMsg:
		if a.takesText() {
			return a.edit.pane.Update(msg)
		}
	case tea.BackgroundColorMsg:
		a.setTheme(msg.IsDark(), a.th.Colors)
	case tea.ColorProfileMsg:
		a.setTheme(a.th.Dark, colorsOf(msg.Profile))
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore && (msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet) {
			a.graphemes = true
		}

	case fileOpenedMsg, pieceMsg, windowMsg, foundMsg:
		return a.memory.Update(msg)
	case treeLoadedMsg:
		return a.loaded(msg)
	case settledMsg:
		return a.firstLook(msg)
	case watchStartedMsg:
		return a.watchStarted(msg)
	case eventMsg:
		return a.event(msg)
	case doneMsg:
		return a.done(msg)
	case tickMsg:
		a.setNow(msg.now)
		return tick(time.Minute, a.cfg.Now)
	case toastOverMsg:
		if msg.id == a.toastID {
			a.toast = nil
		}
	case flashOverMsg:
		if msg.id == a.flashID {
			clear(a.tree.flash)
			a.memory.flash = false
		}
	case noticeMsg:
		return a.say(msg.text, msg.bad)
	default:
		return a.request(msg)
	}
	return nil
}

// request answers what panes and dialogs ask for.
func (a *App) request(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case openMsg:
		return a.openMemory(msg)
	case focusMsg:
		a.setFocus(msg.slot)
	case promptMsg:
		a.prompt = &prompt{label: msg.label, input: newInput(msg.value), then: msg.then}
	case findMemoryMsg:
		return a.find()
	case newMemoryMsg:
		return a.askNew(msg.folder)
	case renameMsg:
		return a.askRename(msg.path)
	case deleteMsg:
		return a.askDelete(msg.paths)
	case editMsg:
		return a.editOpen()
	case externalMsg:
		return a.editOutside(msg.line)
	case externalReadyMsg:
		if msg.err != nil {
			return a.say("edit "+msg.job.path.String()+": "+msg.err.Error(), true)
		}
		return msg.job.run()
	case externalDoneMsg:
		return a.external(msg)
	case externalReadMsg:
		return a.externalRead(msg)
	case editLoadedMsg:
		return a.startEdit(msg)
	case savedMsg:
		return a.saved(msg)
	case besideMsg:
		return a.besides(msg)
	case theirsMsg:
		if a.edit != nil && a.edit.path == msg.path && msg.err == nil {
			a.edit.pane.Reload(msg.content, msg.hash)
			a.edit.told = false
		}
	case editor.SaveRequest:
		return a.save(msg)
	case editor.CloseRequest:
		return a.closeEdit()
	case history.RestoreRequest:
		return a.restore(msg.Version)
	case history.UndoRequest:
		return a.undo(msg.Change)
	case history.RedoRequest:
		return a.redo(msg.Change)
	case history.OpenRequest:
		return a.openMemory(openMsg{path: msg.Path})
	case history.BackRequest:
		a.setFocus(a.before)
	case history.Msg:
		if a.history != nil {
			return a.history.Update(msg)
		}
	}
	return nil
}

func colorsOf(p colorprofile.Profile) theme.Colors {
	switch {
	case p >= colorprofile.ANSI256:
		return theme.Many
	case p == colorprofile.ANSI:
		return theme.Sixteen
	}
	return theme.Mono
}

// historyOpen reports whether the history has a place on the screen.
func (a *App) historyOpen() bool { return a.history != nil }

// toggleHistory opens the history, goes to it, or closes it when it has the focus.
func (a *App) toggleHistory() tea.Cmd {
	switch {
	case a.history == nil:
		a.history = history.New(a.ctx, a.th, a.cfg.Store)
		a.history.SetNow(a.now)
	case a.focus == slotHistory:
		a.history = nil
		a.setFocus(a.before)
		return nil
	}
	a.setFocus(slotHistory)
	return a.showHistory()
}

// showHistory shows the versions of the open memory, or all changes when none is open.
func (a *App) showHistory() tea.Cmd {
	if a.history == nil {
		return nil
	}
	if p := a.memory.path(); !p.IsRoot() && a.tree.data != nil {
		if n := a.tree.data.byPath[p]; n != nil && n.entry != nil && n.entry.Memory != "" {
			return a.history.ShowMemory(n.entry.Memory, p)
		}
	}
	if a.memory.path().IsRoot() {
		return a.history.ShowChange(a.last.Number)
	}
	return nil
}

func (a *App) setNow(now time.Time) {
	a.now, a.tree.now = now, now
	if a.history != nil {
		a.history.SetNow(now)
	}
}

func (a *App) resize() {
	a.frame = layout(a.w, a.h, a.historyOpen(), a.focus, a.zoomed)
	for s := range slots {
		r := a.frame.panes[s]
		if r.empty() {
			continue
		}
		a.pane(s).SetSize(r.w, r.h-1)
	}
	if a.overlay != nil {
		a.overlay.Update(tea.WindowSizeMsg{Width: a.w, Height: a.h})
	}
}

func (a *App) show(o overlay) {
	a.overlay = o
	o.Update(tea.WindowSizeMsg{Width: a.w, Height: a.h})
}

// pane is what stands in a slot.
func (a *App) pane(s slot) pane {
	switch {
	case s == slotTree:
		return a.tree
	case s == slotHistory && a.history != nil:
		return a.history
	case a.edit != nil:
		return a.edit.pane
	}
	return a.memory
}

// takesText reports whether the focused pane takes every key as text.
func (a *App) takesText() bool { return a.edit != nil && a.focus == slotMemory }

func (a *App) setFocus(s slot) {
	if s == slotHistory && a.focus != slotHistory {
		a.before = a.focus
	}
	a.focus = s
	if a.history != nil {
		a.history.SetFocused(s == slotHistory)
	}
	a.tree.focused = s == slotTree
	a.memory.focused = s == slotMemory
	a.resize()
}

func (a *App) cycle(d int) {
	for s := a.focus; ; {
		s = (s + slot(d) + slots) % slots
		if s != slotHistory || a.historyOpen() {
			a.setFocus(s)
			return
		}
	}
}

func (a *App) key(msg tea.KeyPressMsg) tea.Cmd {
	if a.frame.tooSmall { // nobody should act blind
		if key.Matches(msg, a.keys.Quit) && !a.takesText() {
			return a.quit()
		}
		return nil
	}
	if a.toast != nil && a.toast.bad {
		a.toast = nil
	}
	if a.overlay != nil {
		o := a.overlay
		cmd, over := o.Update(msg)
		if over && a.overlay == o {
			a.overlay = nil
		}
		return cmd
	}
	if a.prompt != nil {
		p := a.prompt
		cmd, over := p.update(msg)
		if over && a.prompt == p {
			a.prompt = nil
		}
		return cmd
	}
	if a.takesText() {
		if key.Matches(msg, editHelp) {
			a.show(a.help())
			return nil
		}
		return a.edit.pane.Update(msg)
	}
	if a.focus == slotHistory && a.history != nil && a.history.Handles(msg) { // u is for the change selected there
		return a.history.Update(msg)
	}
	return a.globalKey(msg)
}

// editHelp is help where "?" is text.
var editHelp = bind("help", "f1")

func (a *App) globalKey(msg tea.KeyPressMsg) tea.Cmd {
	k := &a.keys
	switch {
	case key.Matches(msg, k.Quit):
		return a.quit()
	case key.Matches(msg, k.Help):
		a.show(a.help())
	case key.Matches(msg, k.Messages):
		a.show(a.log())
	case key.Matches(msg, k.Find):
		return a.find()
	case key.Matches(msg, k.Next):
		a.cycle(1)
	case key.Matches(msg, k.Prev):
		a.cycle(-1)
	case key.Matches(msg, k.Zoom):
		a.zoomed = !a.zoomed
		a.resize()
	case key.Matches(msg, k.Undo):
		return a.undo(0)
	case key.Matches(msg, k.Redo):
		return a.redo(0)
	case key.Matches(msg, k.History):
		return a.toggleHistory()
	case key.Matches(msg, k.Sync):
		return tea.Batch(syncStore(a.ctx, a.cfg.Store), a.reload())
	case key.Matches(msg, k.Suspend):
		return suspend
	default:
		if a.focus == slotMemory { // somebody reads it
			a.tree.seen(a.memory.path())
		}
		return a.pane(a.focus).Update(msg)
	}
	return nil
}

func (a *App) paste(msg tea.PasteMsg) tea.Cmd {
	switch {
	case a.frame.tooSmall:
	case a.overlay != nil:
		a.overlay.Update(msg)
	case a.prompt != nil:
		a.prompt.input.update(msg)
	case a.takesText():
		return a.edit.pane.Update(msg)
	}
	return nil
}

// mouse gives a mouse message to the pane under it, in the pane's coordinates. A
// drag goes on in the pane where it began.
func (a *App) mouse(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	if a.frame.tooSmall || a.prompt != nil {
		return nil
	}
	if a.overlay != nil {
		r := overlayRect(a.overlay, a.w, a.h)
		o := a.overlay
		cmd, over := o.Update(moved(msg, r.x+1, r.y+1))
		if over && a.overlay == o {
			a.overlay = nil
		}
		return cmd
	}
	s, ok := a.frame.at(m.X, m.Y)
	switch msg.(type) {
	case tea.MouseClickMsg:
		if !ok {
			return nil
		}
		if a.frame.tabs && m.Y == 0 {
			a.clickTab(m.X)
			return nil
		}
		if s != a.focus {
			a.setFocus(s)
		}
		if m.Y == a.frame.panes[s].y {
			return nil
		}
	case tea.MouseWheelMsg:
		if !ok {
			return nil
		}
	default:
		s = a.focus
	}
	r := a.frame.panes[s]
	return a.pane(s).Update(moved(msg, r.x, r.y+1))
}

// clickTab goes to the pane whose name in the title row is at column x.
func (a *App) clickTab(x int) {
	at := 2
	for s := range slots {
		if s == slotHistory && !a.historyOpen() {
			continue
		}
		at += len(slotNames[s]) + 2
		if x < at {
			a.setFocus(s)
			return
		}
	}
}

// moved is a mouse message as seen from another corner.
func moved(msg tea.MouseMsg, x, y int) tea.Msg {
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		m.X, m.Y = m.X-x, m.Y-y
		return m
	case tea.MouseReleaseMsg:
		m.X, m.Y = m.X-x, m.Y-y
		return m
	case tea.MouseWheelMsg:
		m.X, m.Y = m.X-x, m.Y-y
		return m
	case tea.MouseMotionMsg:
		m.X, m.Y = m.X-x, m.Y-y
		return m
	}
	return msg
}

func (a *App) quit() tea.Cmd {
	if a.edit != nil && a.edit.pane.Dirty() {
		a.overlay = &choice{name: "not saved", body: a.edit.path.String() + " has changes that are not saved.", cur: 2, options: []option{
			{"s", "save, then stay", a.saveAndClose},
			{"d", "leave without saving", func() tea.Cmd { a.edit = nil; return tea.Quit }},
			{"e", "stay", nil},
		}}
		return nil
	}
	return tea.Quit
}

// loaded shows a reading of the tree.
func (a *App) loaded(msg treeLoadedMsg) tea.Cmd {
	if !a.loads.current(msg.id) {
		return nil
	}
	a.loading = false
	a.setNow(msg.now)
	var cmds []tea.Cmd
	if msg.err != nil {
		a.tree.err = msg.err
		cmds = append(cmds, a.say("read the store: "+msg.err.Error(), true))
	} else {
		a.tree.load(msg.data, msg.now)
		a.last = msg.last
		var others []versions.Entry
		for _, e := range msg.changed {
			if !a.mine[e.Change] {
				others = append(others, e)
			}
		}
		if len(others) > 0 {
			a.tree.mark(others)
			cmds = append(cmds, a.startFlash())
		}
	}
	if a.again {
		a.again = false
		cmds = append(cmds, a.reload())
	}
	return tea.Batch(cmds...)
}

func (a *App) startFlash() tea.Cmd {
	a.flashID++
	return a.later(flashTime, flashOverMsg{a.flashID})
}

// firstLook goes on when what others did before is taken in.
func (a *App) firstLook(msg settledMsg) tea.Cmd {
	a.loading = false // a reading under way may have come before it: its answer is stale
	cmds := []tea.Cmd{a.reload(), startWatch(a.ctx, a.cfg.Store)}
	a.settled = true
	if msg.err != nil {
		cmds = append(cmds, a.say("look at the folder: "+msg.err.Error(), true))
	}
	return tea.Batch(cmds...)
}

func (a *App) watchStarted(msg watchStartedMsg) tea.Cmd {
	if msg.err != nil {
		return a.say("watch the store: "+msg.err.Error(), true)
	}
	a.events = msg.events
	a.watching = watching
	return waitEvent(a.events)
}

// event takes what is new in the store: the tree is read again, and the open
// memory when it may be meant.
func (a *App) event(msg eventMsg) tea.Cmd {
	if msg.closed {
		a.watching = notWatching
		return nil
	}
	next := waitEvent(a.events)
	e := msg.event
	if e.Err != nil {
		a.watching = lost
		return tea.Batch(next, a.say("watch the store: "+e.Err.Error(), true))
	}
	a.watching = watching
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
	if len(e.Changes) == 0 && !meant {
		return next
	}
	cmds := []tea.Cmd{next, a.reload()}
	if a.history != nil {
		cmds = append(cmds, a.history.Event(e))
	}
	if meant {
		cmds = append(cmds, a.refreshOpen())
	}
	return tea.Batch(cmds...)
}

// follow reports whether a change may concern the open memory, and goes with it
// where it was moved to.
func (a *App) follow(c versions.Change) bool {
	p := a.memory.path()
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
		if a.memory.doc != nil && a.memory.doc.path.In(c.Path) {
			a.memory.doc.path = a.memory.doc.path.Move(c.Path, c.To)
		}
		if a.tree.open.In(c.Path) && !a.tree.open.IsRoot() {
			a.tree.open = a.tree.open.Move(c.Path, c.To)
		}
		return true
	}
	return p.In(c.Path) || !c.To.IsRoot() && p.In(c.To) || c.Versions > 1
}

// refreshOpen reads the open memory again.
func (a *App) refreshOpen() tea.Cmd {
	if a.edit != nil {
		return loadEdit(a.ctx, a.cfg.Store, a.edit.path, 0, true)
	}
	return tea.Batch(a.memory.reload(a.ctx, a.cfg.Store), a.startFlash())
}

// own notes that a change is this person's: nobody needs to be told of it.
func (a *App) own(c versions.Change) {
	if c.Number == 0 {
		return
	}
	a.mine[c.Number] = true
	if a.tree.data == nil {
		return
	}
	for p := range a.tree.changed {
		if n := a.tree.data.byPath[p]; n != nil && n.entry != nil && n.entry.Change == c.Number {
			a.tree.seen(p)
			delete(a.tree.flash, p)
		}
	}
}

// openMemory shows a memory; what is being edited is not left behind unsaved.
func (a *App) openMemory(msg openMsg) tea.Cmd {
	if a.edit != nil {
		if a.edit.pane.Dirty() {
			a.setFocus(slotMemory)
			return a.say(a.edit.path.String()+" is not saved: ^S saves, Esc closes", true)
		}
		a.edit = nil
	}
	a.tree.reveal(msg.path)
	a.tree.seen(msg.path)
	if !msg.stay || a.frame.tabs {
		a.setFocus(slotMemory)
	} else {
		a.resize()
	}
	return tea.Batch(a.memory.show(a.ctx, a.cfg.Store, msg.path, msg.line), a.showHistory())
}

func (a *App) find() tea.Cmd {
	if a.tree.data == nil {
		return nil
	}
	a.show(newFinder(a.tree.data.entries))
	return nil
}

// done tells the outcome of an act.
func (a *App) done(msg doneMsg) tea.Cmd {
	if msg.err != nil {
		return a.say(msg.did+": "+why(msg.err), true)
	}
	a.own(msg.change)
	cmds := []tea.Cmd{a.reload(), a.say(msg.did, false)}
	if !msg.open.IsRoot() {
		cmds = append(cmds, a.openMemory(openMsg{path: msg.open, stay: true}))
	} else if a.follow(msg.change) {
		cmds = append(cmds, a.refreshOpen())
	}
	return tea.Batch(cmds...)
}

// why puts some errors in the words of the screen.
func why(err error) string {
	var path *memfs.PathError
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
