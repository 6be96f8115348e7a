package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/jobs"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/live"
	"github.com/memend/memend/ui/request"
	"github.com/memend/memend/ui/screen"
)

// Update gives a message to whoever it is for.
func (a *App) Update(msg tea.Msg) tea.Cmd {
	return a.obey(a.route(msg))
}

// obey does what was asked for meanwhile, in order, and then what follows every message:
// the frame is divided anew where another pane took a place, and the rooms learn what
// the person does now.
func (a *App) obey(cmd tea.Cmd) tea.Cmd {
	cmds := []tea.Cmd{cmd}
	for range maxAsked {
		request, ok := a.out.Next()
		if !ok {
			break
		}
		cmds = append(cmds, a.route(request))
	}
	if a.placed != a.pane(frame.Memory) {
		cmds = append(cmds, a.redivide())
	}
	busy := a.editing.Pane() != nil || a.overlay != nil || a.prompt != nil || len(a.screens) > 0 || a.frame.Focus() == frame.History
	a.live.SetPerson(live.Person{Busy: busy, InTree: a.frame.Focus() == frame.Tree})
	return tea.Batch(append(cmds, a.editing.Watch())...)
}

// env is what panes are made with.
func (a *App) env() screen.Env {
	return screen.Env{Ctx: a.ctx, Theme: a.th, Keys: a.cfg.Keys, Out: &a.out, Later: func(d time.Duration, msg tea.Msg) tea.Cmd { return a.later(d, msg) }}
}

// maxAsked bounds how many requests one message may lead to, so that two that lead to
// each other can't hang the program; what is left waits for the next message.
const maxAsked = 100

func (a *App) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.w, a.h = msg.Width, msg.Height
		return a.redivide()
	case tea.KeyPressMsg:
		return a.key(msg)
	case tea.PasteMsg:
		return a.paste(msg)
	case tea.MouseMsg:
		return a.mouse(msg)
	case tea.BlurMsg:
		return a.editing.Flush()
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

	case screen.Reply:
		return msg.Take()
	case screen.Terminal:
		a.effects = append(a.effects, msg.Do)
	case tickMsg:
		a.setNow(msg.now)
		return tea.Batch(a.tree.Tick(), a.editing.ListDrafts(), tick(time.Minute, a.cfg.Now))
	case bannerMsg:
		a.cfg.Banner = string(msg)
		return awaitBanner(a.cfg.Banners)
	case jobs.OverMsg:
		return a.workOver(msg)
	case jobs.SlowMsg:
		return a.jobs.Slow(msg)
	case jobs.StepMsg:
		return a.jobs.Step()
	default:
		return a.request(msg)
	}
	return nil
}

// request finds who obeys a request: a room, a screen that it opens, or the root.
func (a *App) request(msg tea.Msg) tea.Cmd {
	for _, r := range a.rooms {
		if cmd, taken := r.Update(msg); taken {
			return cmd
		}
	}
	if p := a.opened(msg); p != nil {
		return a.push(p)
	}
	switch msg := msg.(type) {
	case screen.Notice:
		return a.say(msg.Text, msg.Bad)
	case keys.Refused:
		return a.say(msg.Name+": "+msg.Why, true)
	case request.Did:
		return a.did(msg)
	case screen.Work:
		return a.jobs.Start(msg)
	case screen.Prompt:
		a.prompt = a.answers.NewPrompt(msg)
	case screen.Choose:
		a.choose(msg)
	case screen.Show:
		return a.push(msg.Pane)
	case screen.Back:
		a.back()
	case screen.Drop:
		a.drop(msg.Pane)
	case screen.Open:
		return a.openMemory(msg)
	case request.OpenStore:
		return a.openStore(msg)
	case screen.FocusTree:
		a.setFocus(frame.Tree)
	case screen.FocusMemory:
		a.setFocus(frame.Memory)
	case screen.Cycle:
		a.setFocus(a.frame.Next(msg.By))
	case request.Blame:
		blame := a.memory.ShowBlame() // before it goes to the line: it begins where one is
		return tea.Batch(blame, a.openMemory(screen.Open{Path: msg.Path, Line: msg.Line}))
	case request.History:
		return a.showVersions(msg)
	case request.ShowChange:
		looks := a.openHistory()
		return tea.Batch(looks, a.history.ShowChange(msg.Change))
	case request.See:
		return tea.Batch(a.tree.See(msg.UpTo), a.tellLooks())
	case request.Reviewed:
		return a.tellLooks()
	case request.Refresh:
		return a.refresh()
	default:
		return a.news(msg)
	}
	return nil
}

// news passes on what is new in the store.
func (a *App) news(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case live.News:
		return a.happened(msg.Event)
	case live.Now:
		a.setNow(msg.Time)
	case live.Opened:
		return a.showHistory()
	case live.Grown:
		if a.agents != nil {
			return a.agents.Grown(msg.Session)
		}
	case live.Trouble:
		told := "watch the store: " + msg.Err.Error()
		if a.overlay == nil && len(a.screens) == 0 && !a.frame.Panes[frame.Tree].Empty() && a.tree.TellsTrouble() {
			a.notices.Log(jobs.Notice{Text: told, Bad: true, When: a.now}) // the tree has room to say it
			return nil
		}
		return a.say(told, true)
	}
	return nil
}

// say shows a message for a while; an error stays until a key is pressed.
func (a *App) say(s string, bad bool) tea.Cmd {
	return a.notices.Say(jobs.Notice{Text: s, Bad: bad, When: a.now})
}

// choose asks a question.
func (a *App) choose(q screen.Choose) {
	c := &dialog.Choice{Name: q.Title, Body: q.Text, Options: q.Options, Cur: len(q.Options) - 1, Arrows: q.Arrows}
	if q.First {
		c.Cur = 0
	}
	if q.Undoes {
		c.Body += " " + a.wayBack("undo") + " it."
	}
	a.show(c)
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
func (a *App) open() [frame.Slots]bool {
	return [frame.Slots]bool{frame.Tree: true, frame.Memory: true, frame.History: a.history != nil, frame.Agents: a.agents != nil}
}

func (a *App) setNow(now time.Time) {
	a.now = now
	a.live.SetNow(now)
	a.editing.SetNow(now)
	for _, p := range a.panes() {
		p.SetNow(now)
	}
}

func (a *App) resize() {
	a.placed = a.pane(frame.Memory)
	a.frame.Resize(a.w, a.h, a.open())
	for s := range frame.Slots {
		r := a.frame.Panes[s]
		if r.Empty() {
			continue
		}
		a.pane(s).SetSize(r.W, r.H-1)
	}
	for _, p := range a.screens {
		p.SetSize(a.w, a.frame.Body-1)
	}
	if a.overlay != nil {
		a.overlay.Update(tea.WindowSizeMsg{Width: a.w, Height: a.h})
	}
}

// redivide divides the frame anew, and reads what a larger memory shows.
func (a *App) redivide() tea.Cmd {
	a.resize()
	return a.memory.Fetch()
}

func (a *App) show(o dialog.Overlay) {
	a.overlay = o
	o.Update(tea.WindowSizeMsg{Width: a.w, Height: a.h})
}

// pane is what stands in a slot.
func (a *App) pane(s frame.Slot) screen.Pane {
	switch {
	case s == frame.Tree:
		return a.tree
	case s == frame.History && a.history != nil:
		return a.history
	case s == frame.Agents && a.agents != nil:
		return a.agents
	}
	if e := a.editing.Pane(); e != nil {
		return e
	}
	return a.memory
}

func (a *App) setFocus(s frame.Slot) {
	a.frame.SetFocus(s)
	if a.agents != nil {
		a.agents.SetFocused(s == frame.Agents)
	}
	if a.history != nil {
		a.history.SetFocused(s == frame.History)
	}
	a.tree.SetFocused(s == frame.Tree)
	a.memory.SetFocused(s == frame.Memory)
	a.resize()
}

// openMemory shows a memory; what is being edited is not left behind unsaved.
func (a *App) openMemory(msg screen.Open) tea.Cmd {
	if msg.Again && !a.memory.Path().IsRoot() {
		return nil // somebody was faster
	}
	if a.editing.Dirty() {
		if a.editing.Path() == msg.Path {
			a.setFocus(frame.Memory)
			return nil
		}
		return a.editing.Leaving("open "+msg.Path.String(), func() tea.Cmd { return a.openMemory(msg) })
	}
	a.editing.Close()
	if !msg.Again && !msg.Stay {
		a.uncover()
	}
	a.tree.Reveal(msg.Path)
	a.tree.Showing(msg.Path)
	if !msg.Stay || a.frame.Tabs && !msg.Again {
		a.setFocus(frame.Memory)
	} else {
		a.resize()
	}
	return tea.Batch(a.memory.ShowFound(msg.Path, msg.Line, msg.Find), a.showHistory())
}
