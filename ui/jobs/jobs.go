// Package jobs runs operations that may take long.
//
// Each job runs on its own goroutine. A slow job is shown with its progress, and can be
// cancelled. An operation of the engine can be cancelled until it begins to write; afterwards
// it is finished, and Over reports that it was too late. On a hosted store it stops between
// two requests, and what was done before is kept.
//
// The methods belong to the goroutine of Update. The package does not know who started a job
// or what its result means: an Over returns both.
package jobs

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

const (
	shownAfter      = 150 * time.Millisecond
	stepTime        = 120 * time.Millisecond // between two polls of the progress
	noAnimationTime = 500 * time.Millisecond // the same without animation
)

// Jobs are the running jobs.
type Jobs struct {
	ctx         context.Context
	later       func(time.Duration, tea.Msg) tea.Cmd
	noAnimation bool

	running []*job // newest last
	lastID  int
	turn    int
}

type job struct {
	screen.Work
	id       int
	cancel   context.CancelFunc
	slow     bool // it is shown
	stopped  bool // the user cancelled it
	reported *atomic.Pointer[versions.Progress]
	progress versions.Progress // as of the last poll
}

// Messages of this package. They are handled by the root's Update.
type (
	// SlowMsg reports that a job is slow.
	SlowMsg struct{ id int }
	// StepMsg polls the progress of the jobs.
	StepMsg struct{}
	// OverMsg reports that a job has ended.
	OverMsg struct {
		id  int
		Msg tea.Msg
		Err error
	}
)

// New returns an empty set of jobs. They end with ctx; later sends a message after a delay,
// and noAnimation disables animation.
func New(ctx context.Context, noAnimation bool, later func(time.Duration, tea.Msg) tea.Cmd) *Jobs {
	return &Jobs{ctx: ctx, noAnimation: noAnimation, later: later}
}

// Start starts a job.
func (j *Jobs) Start(w screen.Work) tea.Cmd {
	ctx, cancel := context.WithCancel(j.ctx)
	reported := new(atomic.Pointer[versions.Progress])
	ctx = versions.WithProgress(ctx, func(p versions.Progress) { reported.Store(&p) })
	j.lastID++
	id := j.lastID
	j.running = append(j.running, &job{Work: w, id: id, cancel: cancel, reported: reported})
	run := func() tea.Msg {
		defer cancel()
		msg, err := w.Do(ctx)
		return OverMsg{id, msg, err}
	}
	return tea.Batch(run, j.later(shownAfter, SlowMsg{id}))
}

// Over is a job that has ended.
type Over struct {
	screen.Work
	Msg     tea.Msg
	Err     error
	Outcome Outcome
}

// Outcome is how a job ended.
type Outcome int

const (
	Ended     Outcome = iota // by itself, successfully or not
	Cancelled                // by the user, and nothing was changed
	TooLate                  // done although the user cancelled it
)

// Over handles the end of a job. It returns false if the job is unknown.
func (j *Jobs) Over(msg OverMsg) (Over, bool) {
	i := slices.IndexFunc(j.running, func(w *job) bool { return w.id == msg.id })
	if i < 0 {
		return Over{}, false
	}
	w := j.running[i]
	j.running = slices.Delete(j.running, i, i+1)
	o := Over{Work: w.Work, Msg: msg.Msg, Err: msg.Err}
	switch {
	case !w.stopped, w.Keeps, versions.MayBeDone(msg.Err):
	case errors.Is(msg.Err, context.Canceled):
		o.Outcome = Cancelled
	case msg.Err == nil:
		o.Outcome = TooLate
	}
	return o, true
}

// Slow shows a job if it is still running.
func (j *Jobs) Slow(msg SlowMsg) tea.Cmd {
	for _, w := range j.running {
		if w.id == msg.id {
			shows := j.shown() != nil
			w.slow = true
			w.updateProgress()
			if !shows {
				return j.nextStep()
			}
		}
	}
	return nil
}

// Step polls the progress of the job that is shown.
func (j *Jobs) Step() tea.Cmd {
	w := j.shown()
	if w == nil {
		return nil
	}
	j.turn++
	w.updateProgress()
	return j.nextStep()
}

func (j *Jobs) nextStep() tea.Cmd {
	if j.noAnimation {
		return j.later(noAnimationTime, StepMsg{})
	}
	return j.later(stepTime, StepMsg{})
}

func (w *job) updateProgress() {
	if p := w.reported.Load(); p != nil {
		w.progress = *p
	}
}

func (j *Jobs) shown() *job {
	for _, w := range slices.Backward(j.running) {
		if w.slow {
			return w
		}
	}
	return nil
}

// Status is what is shown of a job.
type Status struct {
	Doing    string
	Keeps    bool // what was done is kept when it is cancelled
	Stopping bool // it was cancelled but has not ended
	Progress versions.Progress
	Turn     int // a counter for the spinner
}

// Shown returns the newest job that is shown.
func (j *Jobs) Shown() (Status, bool) {
	w := j.shown()
	if w == nil {
		return Status{}, false
	}
	return Status{Doing: w.Doing, Keeps: w.Keeps, Stopping: w.stopped, Progress: w.progress, Turn: j.turn}, true
}

// CanCancel reports whether a job is shown that was not cancelled yet.
func (j *Jobs) CanCancel() bool {
	w := j.shown()
	return w != nil && !w.stopped
}

// Cancel cancels the job that is shown, and reports whether there was one.
func (j *Jobs) Cancel() bool {
	if !j.CanCancel() {
		return false
	}
	w := j.shown()
	w.stopped = true
	w.cancel()
	return true
}

// Running returns the number of running jobs.
func (j *Jobs) Running() int { return len(j.running) }
