package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/agents"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/jobs"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/plan"
	"github.com/memend/memend/ui/screen"
)

// Update gives a message to whoever it is for.
func (a *App) Update(msg tea.Msg) tea.Cmd {
	return a.watchDraft(a.obey(a.route(msg)))
}

// obey does what panes have asked for, in order, after cmd.
func (a *App) obey(cmd tea.Cmd) tea.Cmd {
	cmds := []tea.Cmd{cmd}
	for range maxAsked {
		request, ok := a.out.Next()
		if !ok {
			break
		}
		cmds = append(cmds, a.route(request))
	}
	return tea.Batch(cmds...)
}

// env is what panes are made with.
func (a *App) env() screen.Env {
	return screen.Env{Ctx: a.ctx, Theme: a.th, Keys: a.cfg.Keys, Out: &a.out}
}

// maxAsked bounds how many requests one message may lead to, so that two that lead to
// each other can't hang the program; what is left waits for the next message.
const maxAsked = 100

func (a *App) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.w, a.h = msg.Width, msg.Height
		a.resize()
		return a.memory.Fetch()
	case tea.KeyPressMsg:
		return a.key(msg)
	case tea.PasteMsg:
		return a.paste(msg)
	case tea.MouseMsg:
		return a.mouse(msg)
	case tea.BlurMsg:
		return a.flushDraft()
	case tea.ClipboardMsg:
		if front := a.front(); front.TakesText() {
			return front.Update(msg)
		}
	case tea.BackgroundColorMsg:
		a.setTheme(msg.IsDark(), a.colors)
	case tea.ColorProfileMsg:
		a.setTheme(a.dark, colorsOf(msg.Profile))
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore && (msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet) {
			a.graphemes = true
		}

	case treeLoadedMsg:
		return a.loaded(msg)
	case settledMsg:
		return a.firstLook(msg)
	case eventMsg:
		return a.event(msg)
	case doneMsg:
		return a.done(msg)
	case tickMsg:
		a.setNow(msg.now)
		return tea.Batch(a.tree.Tick(), a.listDrafts(), tick(time.Minute, a.cfg.Now))
	case heldMsg:
		return a.stillHeld(msg)
	case jobs.OverMsg:
		return a.workOver(msg)
	case jobs.SlowMsg:
		return a.jobs.Slow(msg)
	case jobs.StepMsg:
		return a.jobs.Step()
	case seqWaitMsg:
		a.sequenceHelp(msg)
	case toastOverMsg:
		if msg.id == a.toastID {
			a.toast = nil
		}
	case flashOverMsg:
		a.flashOver(msg.id)
	case screen.Notice:
		return a.say(msg.Text, msg.Bad)
	case keys.Refused:
		return a.say(msg.Name+": "+msg.Why, true)
	default:
		return a.request(msg)
	}
	return nil
}

// request answers what panes and dialogs ask for.
func (a *App) request(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Open:
		return a.openMemory(msg)
	case screen.Create:
		return a.create(msg.Path)
	case screen.Blame:
		blame := a.memory.ShowBlame() // before it goes to the line: it begins where one is
		return tea.Batch(blame, a.openMemory(screen.Open{Path: msg.Path, Line: msg.Line}))
	case screen.FocusTree:
		a.setFocus(slotTree)
	case screen.Cycle:
		a.cycle(msg.By)
	case screen.Prompt:
		a.ask(&prompt{label: msg.Label, example: msg.Example, Input: draw.NewInput(msg.Value), then: msg.Then, changed: msg.Changed, left: msg.Left})
	case screen.Choose:
		a.show(&dialog.Choice{Name: msg.Title, Body: msg.Text, Cur: len(msg.Options) - 1, Options: msg.Options})
	case screen.Show:
		a.push(msg.Pane)
		return msg.Then
	case screen.Back:
		return a.back()
	case screen.Act:
		return a.act(msg)
	case screen.Work:
		return a.jobs.Start(msg)
	case screen.Copy:
		return a.copy(msg)
	case screen.FindMemory:
		return a.find()
	case screen.NewMemory:
		return a.askNew(msg.Folder)
	case screen.CopyDiff:
		return a.copyDiff(msg.Version)
	case screen.Compare:
		return a.compare(msg)
	case screen.Duplicate:
		return a.askDuplicate(msg)
	case screen.Rename:
		return a.askRename(msg.Path)
	case screen.OpenStore:
		return a.openStore(msg)
	case storeOpenedMsg:
		return a.storeOpened(msg)
	case screen.Delete:
		return a.askDelete(msg.Paths)
	case screen.Move:
		return a.askMove(msg)
	case screen.Edit:
		return a.editHere(msg)
	case screen.External:
		return a.editOutside(msg)
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
	case draftDueMsg:
		return a.draftDue(msg)
	case draftKeptMsg:
		return a.draftKept(msg)
	case draftsDroppedMsg:
		return a.draftsDropped(msg)
	case draftsListedMsg:
		a.tree.SetDrafts(msg.drafts)
	case draftsFoundMsg:
		return a.offerDrafts(msg)
	case erasedMsg:
		return a.erased(msg)
	case draftLoadedMsg:
		return a.resume(msg)
	case mergeReadyMsg:
		return a.mergeReady(msg)
	case mergedMsg:
		return a.merged(msg)
	case besideMsg:
		return a.copySaved(msg)
	case theirsMsg:
		if a.edit != nil && a.edit.path == msg.path && msg.err == nil {
			a.edit.pane.Reload(msg.content, msg.hash)
			a.edit.warned = false
		}
	case editor.SaveRequest:
		return a.save(msg)
	case editor.CloseRequest:
		return a.closeEdit()
	case screen.Restore:
		return a.restore(msg.Version)
	case screen.UndoChanges:
		return a.undoChanges(msg)
	case screen.UndoSession:
		return a.undoSession(msg)
	case screen.RestoreAt:
		return a.restoreAt(msg)
	case screen.RestoreSeveral:
		return a.restoreSeveral(msg)
	case screen.Redact:
		return a.redact(msg)
	case screen.RedactVersions:
		return a.redactVersions(msg)
	case screen.See:
		return tea.Batch(a.tree.See(msg.UpTo), a.tellLooks())
	case screen.Reviewed:
		return a.tellLooks()
	case screen.Search:
		return a.search(msg)
	case screen.History:
		return a.showVersions(msg)
	case versionFoundMsg:
		return a.versionFound(msg)
	case screen.ShowChange:
		return a.showChange(msg.Change)
	case plan.Merge:
		return a.mergePlanned(msg)
	case planMergedMsg:
		return a.planMerged(msg)
	case screen.Scrub:
		return a.scrub(msg.Change)
	case screen.Refresh:
		return tea.Batch(a.lookErased().cmd(), a.refresh())
	case planMsg:
		return a.showPlan(msg.task)
	case screen.Undo:
		return a.undo(msg.Change)
	case screen.Redo:
		return a.redo(msg.Change)
	case talksWatchedMsg:
		return a.talksWatched(msg)
	case talkGrewMsg:
		return a.talkGrew(msg)
	case followedMsg:
		return a.followed(msg)
	case bannerMsg:
		a.cfg.Banner = string(msg)
		return awaitBanner(a.cfg.Banners)
	case screen.Answer:
		return a.answer(msg)
	}
	return nil
}

func colorsOf(p colorprofile.Profile) theme.Colors {
	switch {
	case p >= colorprofile.TrueColor:
		return theme.Many
	case p >= colorprofile.ANSI256:
		return theme.Some
	case p == colorprofile.ANSI:
		return theme.Sixteen
	}
	return theme.Mono
}

// open reports which panes there are.
func (a *App) open() [slots]bool {
	return [slots]bool{slotTree: true, slotMemory: true, slotHistory: a.history != nil, slotAgent: a.agents != nil}
}

// toggleAgents opens the pane of the agents, goes to it, or closes it when it has
// the focus.
func (a *App) toggleAgents() tea.Cmd {
	switch {
	case a.agents == nil:
		a.agents = agents.New(a.env(), a.cfg.Store)
		a.agents.Connect(a.host())
		a.agents.SetNow(a.now)
		a.agents.SetWrap(!a.cfg.NoWrap)
		a.setFocus(slotAgent)
		return tea.Batch(a.agents.Start(), a.agents.Follow(a.following.on))
	case a.focus == slotAgent:
		a.agents.Close()
		a.agents = nil
		a.setFocus(a.before)
	default:
		a.setFocus(slotAgent)
	}
	return nil
}

// toggleHistory opens the history, goes to it, or closes it when it has the focus.
func (a *App) toggleHistory() tea.Cmd {
	if a.history != nil && a.focus == slotHistory {
		a.history = nil
		a.setFocus(a.before)
		return nil
	}
	looks := a.openHistory()
	return tea.Batch(looks, a.showHistory())
}

// showHistory shows the versions of the open memory, or all changes when none is open.
func (a *App) showHistory() tea.Cmd {
	if a.history == nil {
		return nil
	}
	if p := a.memory.Path(); !p.IsRoot() && a.tree.Data() != nil {
		if e := a.tree.Data().Entry(p); e != nil && e.Memory != "" {
			return a.history.ShowMemory(e.Memory, p)
		}
	}
	if a.memory.Path().IsRoot() {
		return a.history.ShowChange(a.last.Number)
	}
	return nil
}

func (a *App) setNow(now time.Time) {
	a.now = now
	for _, p := range a.panes() {
		p.SetNow(now)
	}
}

func (a *App) resize() {
	a.frame = layout(a.w, a.h, situation{a.focus, a.zoomed, a.open(), a.side, a.ratios})
	for s := range slots {
		r := a.frame.panes[s]
		if r.Empty() {
			continue
		}
		a.pane(s).SetSize(r.W, r.H-1)
	}
	for _, p := range a.screens {
		p.SetSize(a.w, a.frame.body-1)
	}
	if a.overlay != nil {
		a.overlay.Update(tea.WindowSizeMsg{Width: a.w, Height: a.h})
	}
}

func (a *App) show(o dialog.Overlay) {
	a.overlay = o
	o.Update(tea.WindowSizeMsg{Width: a.w, Height: a.h})
}

// pane is what stands in a slot.
func (a *App) pane(s slot) screen.Pane {
	switch {
	case s == slotTree:
		return a.tree
	case s == slotHistory && a.history != nil:
		return a.history
	case s == slotAgent && a.agents != nil:
		return a.agents
	case a.edit != nil:
		return a.edit.pane
	}
	return a.memory
}

// takesText reports whether the focused pane is the editor.
func (a *App) takesText() bool { return a.edit != nil && a.focus == slotMemory && len(a.screens) == 0 }

func (a *App) setFocus(s slot) {
	if s.beside() {
		a.side = s
		if !a.focus.beside() {
			a.before = a.focus
		}
	}
	a.focus = s
	if a.agents != nil {
		a.agents.SetFocused(s == slotAgent)
	}
	if a.history != nil {
		a.history.SetFocused(s == slotHistory)
	}
	a.tree.SetFocused(s == slotTree)
	a.memory.SetFocused(s == slotMemory)
	a.resize()
}

func (a *App) cycle(d int) {
	for s := a.focus; ; {
		s = (s + slot(d) + slots) % slots
		if a.open()[s] {
			a.setFocus(s)
			return
		}
	}
}

// openMemory shows a memory; what is being edited is not left behind unsaved.
func (a *App) openMemory(msg screen.Open) tea.Cmd {
	if msg.Again && !a.memory.Path().IsRoot() {
		return nil // somebody was faster
	}
	if !msg.Again {
		a.stopFollowing()
	}
	if a.edit != nil && a.edit.pane.Dirty() {
		if a.edit.path == msg.Path {
			a.setFocus(slotMemory)
			return nil
		}
		return a.leaving("open "+msg.Path.String(), func() tea.Cmd { return a.openMemory(msg) })
	}
	a.edit = nil
	if !msg.Again && !msg.Stay {
		a.uncover()
	}
	a.tree.Reveal(msg.Path)
	a.tree.Showing(msg.Path)
	if !msg.Stay || a.frame.tabs && !msg.Again {
		a.setFocus(slotMemory)
	} else {
		a.resize()
	}
	return tea.Batch(a.memory.ShowFound(msg.Path, msg.Line, msg.Find), a.showHistory())
}
