package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/jobs"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/live"
	"github.com/memend/memend/ui/request"
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
		cmds = append(cmds, a.route(request))
	}
	if a.placed != a.pane(frame.Memory) {
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
	case screen.Terminal:
		a.effects = append(a.effects, msg.Do)
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
	default:
		return a.request(msg)
	}
	return nil
}

// workOver handles the outcome of work, or reports that it was cancelled.
func (a *App) workOver(msg jobs.OverMsg) tea.Cmd {
	over, ok := a.jobs.Over(msg)
	if !ok {
		return nil
	}
	did, change := over.Msg.(request.Did)
	switch {
	case over.Outcome == jobs.Cancelled:
		cmd := a.say("cancelled: "+over.Doing+" · nothing was changed", false)
		if over.Cancelled == nil {
			return cmd
		}
		return tea.Batch(cmd, over.Cancelled(over.Msg))
	case over.Outcome == jobs.TooLate && change:
		did.What += ", too late to cancel"
		return a.route(did)
	case over.Outcome == jobs.TooLate:
		cmd := a.route(over.Msg)
		a.out.Ask(screen.Notice{Text: over.Doing + ": done, too late to cancel"}) // after the pane's own message
		return cmd
	}
	return a.route(over.Msg)
}

// request passes a request to the part that handles it: a room, a screen that it opens, or the
// root.
func (a *App) request(msg tea.Msg) tea.Cmd {
	for _, r := range a.rooms {
		if cmd, taken := r.Update(msg); taken {
			return cmd
		}
	}
	if p := a.opened(msg); p != nil {
		if why := a.screens.deciding(); why != "" { // on that screen, keys could change what is decided
			return a.say(why, true)
		}
		return a.push(p)
	}
	switch msg := msg.(type) {
	case screen.Notice:
		n := jobs.Notice{Text: msg.Text, Bad: msg.Bad, When: a.now, Queued: msg.Queued}
		if n.Queued && a.queueShown() {
			a.notices.Log(n)
			return nil
		}
		return a.notices.Say(n)
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
		a.screens.drop(msg.Pane)
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
		blame := a.memory.ShowBlame()                          // before moving to the line: blame starts at the current position
		a.out.Ask(screen.Open{Path: msg.Path, Line: msg.Line}) // which ends follow mode
		return blame
	case request.History:
		return a.showVersions(msg)
	case request.ShowChange:
		opened := a.openHistory()
		return tea.Batch(opened, a.history.ShowChange(msg.Change))
	case request.MarkReviewed:
		return tea.Batch(a.tree.MarkReviewed(msg.UpTo), a.updateReviewState())
	case request.MarkAllReviewed:
		return a.tree.ReviewAll()
	case request.ReviewNext:
		return a.reviewNext(msg.By)
	case request.Reviewed:
		return a.updateReviewState()
	case request.Follow:
		return a.live.Follow()
	case request.Refresh:
		return a.refresh()
	default:
		return a.liveMessage(msg)
	}
	return nil
}

// liveMessage handles messages of the live package.
func (a *App) liveMessage(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case live.StoreEvent:
		return a.storeEvent(msg.Event)
	case live.Now:
		a.setNow(msg.Time)
	case live.Opened:
		return a.showHistory()
	case live.Grown:
		if a.agents != nil {
			return a.agents.Grown(msg.Session)
		}
	case live.StoreProblem:
		notice := "watch the store: " + msg.Err.Error()
		if a.overlay == nil && len(a.screens) == 0 && !a.frame.Panes[frame.Tree].Empty() && a.tree.ShowsProblem() {
			a.notices.Log(jobs.Notice{Text: notice, Bad: true, When: a.now}) // the tree shows the error itself
			return nil
		}
		return a.say(notice, true)
	}
	return nil
}

// choose asks a question.
func (a *App) choose(q screen.Choose) {
	c := &dialog.Choice{Name: q.Title, Body: q.Text, Options: q.Options, Cur: len(q.Options) - 1, Arrows: q.Arrows}
	if q.First {
		c.Cur = 0
	}
	if q.Fresh {
		c.Stuck = a.lastKey
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

// setBanner shows a new banner.
func (a *App) setBanner(b Banner) tea.Cmd {
	a.cfg.Banner = b.Text
	if b.Notice == "" {
		return nil
	}
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
