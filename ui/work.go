package ui

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/ui/draw"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/versions"
)

// Work is what was begun for the person and may take a while. What takes longer
// than a moment shows in the status line, and Esc cancels it. An act of the engine
// is cancelled until it begins to write; then it is finished, and that is told. On a
// hosted store it shows how far it is, and stops between two requests: what was done
// until then stays.

type work struct {
	id      int
	doing   string // "undo change #5"
	cancel  context.CancelFunc
	slow    bool // it shows
	stopped bool // Esc was pressed
	keeps   bool // what was done until then stays: whoever asked for it tells that

	told *atomic.Pointer[versions.Progress] // by who does it; nil: nothing yet
	seen versions.Progress                  // of that, when it was last looked at
}

const (
	workShown = 150 * time.Millisecond // from when on work shows
	workStep  = 120 * time.Millisecond // of what shows that it goes on
	workStill = 500 * time.Millisecond // the same where nothing is to move: only how far it is
)

type (
	// workSlowMsg says that the moment is over.
	workSlowMsg struct{ id int }
	// workStepMsg turns what shows that work goes on.
	workStepMsg struct{}
	// workOverMsg brings what came of it: a message for the root, and whether it failed.
	workOverMsg struct {
		id  int
		msg tea.Msg
		err error
	}
)

// work begins something. What do gives is obeyed as if a command had brought it,
// unless the person has cancelled it by then.
func (a *App) work(doing string, do func(context.Context) (tea.Msg, error)) tea.Cmd {
	return a.asked(screen.Work{Doing: doing, Do: do})
}

// asked is work that a pane asks for.
func (a *App) asked(req screen.Work) tea.Cmd {
	ctx, cancel := context.WithCancel(a.ctx)
	a.workID++
	id, do, told := a.workID, req.Do, new(atomic.Pointer[versions.Progress])
	a.works = append(a.works, &work{id: id, doing: req.Doing, cancel: cancel, keeps: req.Keeps, told: told})
	ctx = versions.WithProgress(ctx, func(p versions.Progress) { told.Store(&p) })
	run := func() tea.Msg {
		defer cancel()
		msg, err := do(ctx)
		return workOverMsg{id, msg, err}
	}
	return tea.Batch(run, a.later(workShown, workSlowMsg{id}))
}

// change is work that makes a change of the store.
func (a *App) change(doing, did string, do func(context.Context) (versions.Change, error)) tea.Cmd {
	return a.work(doing, func(ctx context.Context) (tea.Msg, error) {
		c, err := do(ctx)
		return doneMsg{did: did, change: c, err: err}, err
	})
}

func (a *App) workSlow(msg workSlowMsg) tea.Cmd {
	for _, w := range a.works {
		if w.id == msg.id {
			shows := a.working() != nil
			w.slow = true
			w.look()
			if !shows {
				return a.nextStep()
			}
		}
	}
	return nil
}

func (a *App) workGoesOn() tea.Cmd {
	w := a.working()
	if w == nil {
		return nil
	}
	a.turn++
	w.look()
	return a.nextStep()
}

func (a *App) nextStep() tea.Cmd {
	if a.cfg.Still {
		return a.later(workStill, workStepMsg{})
	}
	return a.later(workStep, workStepMsg{})
}

// look takes over how far the work has come.
func (w *work) look() {
	if p := w.told.Load(); p != nil {
		w.seen = *p
	}
}

// working is the work that shows, the newest; nil for none.
func (a *App) working() *work {
	for _, w := range slices.Backward(a.works) {
		if w.slow {
			return w
		}
	}
	return nil
}

// cancels reports whether there is work that Esc cancels: it shows, and was not
// cancelled before. Else Esc is for somebody else.
func (a *App) cancels() bool {
	w := a.working()
	return w != nil && !w.stopped
}

// cancelWork cancels the work that shows, and reports whether there was any to cancel.
func (a *App) cancelWork() bool {
	if !a.cancels() {
		return false
	}
	w := a.working()
	w.stopped = true
	w.cancel()
	return true
}

// workOver obeys what came of work, or says that it was cancelled.
func (a *App) workOver(msg workOverMsg) tea.Cmd {
	i := slices.IndexFunc(a.works, func(w *work) bool { return w.id == msg.id })
	if i < 0 {
		return nil
	}
	w := a.works[i]
	a.works = slices.Delete(a.works, i, i+1)
	done, change := msg.msg.(doneMsg)
	switch {
	case !w.stopped, w.keeps, inPart(msg.err):
	case errors.Is(msg.err, context.Canceled):
		return tea.Batch(a.say("cancelled: "+w.doing+" · nothing was changed", false), a.calledOff(msg.msg))
	case msg.err == nil && change:
		done.did += ", too late to cancel"
		return a.route(done)
	case msg.err == nil:
		cmd := a.route(msg.msg)
		a.out.Ask(screen.Notice{Text: w.doing + ": done, too late to cancel"}) // after what the pane says
		return cmd
	}
	return a.route(msg.msg)
}

// inPart reports whether an act that failed may have done something all the same.
func inPart(err error) bool {
	var trouble *versions.UpstreamError
	return errors.As(err, new(*versions.PartlyError)) || errors.As(err, new(*versions.LaterError)) || errors.As(err, &trouble) && trouble.Unsure
}

// calledOff tells who waits for work that it was cancelled.
func (a *App) calledOff(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case doneMsg:
		if msg.then != nil {
			return func() tea.Msg { return msg.then(msg.change, msg.err) }
		}
	case savedMsg:
		return a.notSaved(msg)
	case besideMsg:
		return a.notBeside(msg)
	case settledMsg:
		return a.notLooked()
	}
	return nil
}

// turns are what shows that work goes on, one after the other.
var turns = []string{"|", "/", "-", "\\"}

// workSegments are what the status line says of the work that shows.
func (a *App) workSegments(w *work) []segment {
	sign := turns[a.turn%len(turns)] + " "
	if a.cfg.Still {
		sign = ""
	}
	cancelling, cancels := "cancelling ", "Esc cancels"
	if w.keeps || w.seen.Of != "" { // what was done stays
		cancelling, cancels = "stopping ", "Esc stops"
	}
	if w.stopped {
		return []segment{{text: sign + cancelling + w.doing + "…", st: a.th.StatusWarn}}
	}
	if w.seen.Of != "" { // it comes first: the rest may have no room
		sign += draw.HowFar(w.seen) + " · "
	}
	return []segment{{text: sign + w.doing + "…", st: a.th.StatusStrong}, {text: cancels, st: a.th.Status, near: true}}
}

// progress is what the terminal's own bar shows: how far the screen in front is, or
// that something goes on; nil where the terminal is not known to have one.
func (a *App) progress() *tea.ProgressBar {
	if !a.cfg.Progress {
		return nil
	}
	if p, ok := a.front().(screen.Progresser); ok {
		if done, total := p.Progress(); total > 0 {
			return tea.NewProgressBar(tea.ProgressBarDefault, int(min(max(done*100/total, 0), 100)))
		}
	}
	w := a.working()
	switch {
	case w == nil:
		return nil
	case w.seen.Total > 0:
		return tea.NewProgressBar(tea.ProgressBarDefault, min(max(w.seen.Done*100/w.seen.Total, 0), 100))
	}
	return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
}
