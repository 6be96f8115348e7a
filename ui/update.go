package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/jobs"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/live"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/tree"
)

// Update passes a message to the part that handles it.
func (a *App) Update(msg tea.Msg) tea.Cmd {
	return a.performRequests(a.route(msg))
}

// performRequests handles the requests that were sent meanwhile, in order, and then does what follows
// every message: it computes the layout again if the panes changed, and updates the rooms.
func (a *App) performRequests(cmd tea.Cmd) tea.Cmd {
	cmds := []tea.Cmd{cmd}
	for range maxAsked {
		request, ok := a.out.Next()
		if !ok {
			break
		}
		cmds = append(cmds, a.perform(request))
	}
	if a.placed != a.pane(frame.Memory) || a.covered != a.coveredRows() {
		a.resize()
	}
	covered := a.editing.Pane() != nil || len(a.screens) > 0
	cmd, shown := a.preview.Follow(a.frame.Focus(), covered, !a.frame.Panes[frame.Memory].Empty() || !a.frame.Panes[frame.History].Empty())
	cmds = append(cmds, cmd)
	if shown {
		cmds = append(cmds, a.showHistory())
	}
	busy := covered || a.overlay != nil || a.prompt != nil || a.frame.Focus() == frame.History
	a.live.SetPerson(live.Person{Busy: busy, InTree: a.frame.Focus() == frame.Tree})
	return tea.Batch(append(cmds, a.editing.Watch())...)
}

// maxAsked is the maximum number of requests that one message may cause, so that two requests
// that cause each other can't hang the program. The rest waits for the next message.
const maxAsked = 100

func (a *App) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.w, a.h = msg.Width, msg.Height
		a.resize()
		return nil
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

	case screen.Reply:
		return msg.Take()
	case screen.Request:
		return a.perform(msg)
	case keys.Refused:
		return a.say(msg.Name+": "+strings.ReplaceAll(msg.Why, ": ", "; "), true) // one colon a message
	case tickMsg:
		a.setNow(msg.now)
		return tea.Batch(a.tree.Tick(), a.editing.ListDrafts(), a.look(), tick(time.Minute, a.cfg.Now))
	case bannerMsg:
		return tea.Batch(a.setBanner(Banner(msg)), awaitBanner(a.cfg.Banners))
	case jobs.OverMsg:
		return a.workOver(msg)
	case jobs.SlowMsg:
		return a.jobs.Slow(msg)
	case jobs.StepMsg:
		return a.jobs.Step()
	}
	return nil
}

// workOver handles the outcome of work, or reports that it was cancelled.
func (a *App) workOver(msg jobs.OverMsg) tea.Cmd {
	over, ok := a.jobs.Over(msg)
	if !ok {
		return nil
	}
	did, change := over.Msg.(screen.Did)
	switch {
	case over.Outcome == jobs.Cancelled:
		cmd := a.say("cancelled: "+over.Doing+" · nothing was changed", false)
		if over.Cancelled == nil {
			return cmd
		}
		return tea.Batch(cmd, over.Cancelled(over.Msg))
	case over.Outcome == jobs.TooLate && change:
		did.What += ", too late to cancel"
		return a.did(did)
	case over.Outcome == jobs.TooLate:
		cmd := a.route(over.Msg)
		a.out.Do(screen.Notice{Text: over.Doing + ": done, too late to cancel"}) // after the pane's own message
		return cmd
	}
	return a.route(over.Msg)
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

// openMemory shows a memory, after an unsaved text is saved or discarded.
func (a *App) openMemory(msg screen.Open) tea.Cmd {
	if msg.Again && !a.memory.Path().IsRoot() {
		return nil // another request was faster
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
		a.screens.uncover()
	}
	if about := a.tree.Describe(tree.At(msg.Path)); about != nil {
		a.tree.Reveal(msg.Path)
		a.preview.Opened()
		a.setFocus(frame.Tree)
		return a.memory.PreviewFolder(msg.Path, about)
	}
	a.tree.Reveal(msg.Path)
	a.tree.Showing(msg.Path)
	a.preview.Opened()
	if !msg.Stay || a.frame.Tabs && !msg.Again {
		a.setFocus(frame.Memory)
	} else {
		a.resize()
	}
	return tea.Batch(a.memory.ShowFound(msg.Path, msg.Line, msg.Find), a.showHistory())
}

type (
	tickMsg   struct{ now time.Time } // updates ages
	bannerMsg Banner
)

func tick(d time.Duration, now func() time.Time) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return tickMsg{now()} })
}

// setBanner shows a new banner. Its notice doesn't replace an error that was not read yet: the banner says it more briefly.
func (a *App) setBanner(b Banner) tea.Cmd {
	a.cfg.Banner = b.Text
	if b.Notice == "" {
		return nil
	}
	if shown := a.notices.Shown(); shown != nil && shown.Bad && shown.Text != a.news {
		a.notices.Log(jobs.Notice{Text: b.Notice, Bad: true, When: a.now})
		return nil
	}
	a.news = b.Notice
	return a.say(b.Notice, true)
}

// awaitBanner waits for the next banner; it is called again after each one.
func awaitBanner(banners <-chan Banner) tea.Cmd {
	if banners == nil {
		return nil
	}
	return func() tea.Msg {
		b, ok := <-banners
		if !ok {
			return nil
		}
		return bannerMsg(b)
	}
}
