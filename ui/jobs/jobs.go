// Package jobs runs what was begun for the person and may take a while.
//
// A job runs on a goroutine of its own. One that takes longer than a moment shows, with
// how far it is, and can be cancelled. An act of the engine is cancelled until it begins
// to write; then it is finished, and Over says that it was too late. On a hosted store it
// stops between two requests: what was done until then stays.
//
// The methods belong to the goroutine of Update. Nothing here knows who began a job or
// what it brings: that comes back as an Over.
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
	shownAfter = 150 * time.Millisecond
	stepTime   = 120 * time.Millisecond // between two looks at how far it is
	stillTime  = 500 * time.Millisecond // the same where nothing moves
)

// Jobs are those under way.
type Jobs struct {
	ctx   context.Context
	later func(time.Duration, tea.Msg) tea.Cmd
	still bool

	running []*job // the newest last
	lastID  int
	turn    int
}

type job struct {
	screen.Work
	id       int
	cancel   context.CancelFunc
	slow     bool // it shows
	stopped  bool // the person cancelled it
	reported *atomic.Pointer[versions.Progress]
	progress versions.Progress // as reported when it was last looked at
}

// Messages of this package. Update takes them.
type (
	// SlowMsg says that a job takes longer than a moment.
	SlowMsg struct{ id int }
	// StepMsg looks at how far the jobs are.
	StepMsg struct{}
	// OverMsg brings what came of a job.
	OverMsg struct {
		id  int
		Msg tea.Msg
		Err error
	}
)

// New begins without jobs. They end with ctx; later sends a message after a time, and
// still says that nothing on the screen is to move.
func New(ctx context.Context, still bool, later func(time.Duration, tea.Msg) tea.Cmd) *Jobs {
	return &Jobs{ctx: ctx, still: still, later: later}
}

// Start begins a job.
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

// Outcome says how a job ended.
type Outcome int

const (
	Ended     Outcome = iota // by itself, done or failed
	Cancelled                // by the person, and nothing was changed
	TooLate                  // done, though the person had cancelled it
)

// Over takes the message that a job has ended; false when nobody waits for it.
func (j *Jobs) Over(msg OverMsg) (Over, bool) {
	i := slices.IndexFunc(j.running, func(w *job) bool { return w.id == msg.id })
	if i < 0 {
		return Over{}, false
	}
	w := j.running[i]
	j.running = slices.Delete(j.running, i, i+1)
	o := Over{Work: w.Work, Msg: msg.Msg, Err: msg.Err}
	switch {
	case !w.stopped, w.Keeps, inPart(msg.Err):
	case errors.Is(msg.Err, context.Canceled):
		o.Outcome = Cancelled
	case msg.Err == nil:
		o.Outcome = TooLate
	}
	return o, true
}

// inPart reports whether an act that failed may have done something all the same.
func inPart(err error) bool {
	var trouble *versions.UpstreamError
	return errors.As(err, new(*versions.PartlyError)) || errors.As(err, new(*versions.LaterError)) || errors.As(err, &trouble) && trouble.Unsure
}

// Slow shows a job from now on, if it is still under way.
func (j *Jobs) Slow(msg SlowMsg) tea.Cmd {
	for _, w := range j.running {
		if w.id == msg.id {
			shows := j.shown() != nil
			w.slow = true
			w.look()
			if !shows {
				return j.nextStep()
			}
		}
	}
	return nil
}

// Step looks at how far the job is that shows.
func (j *Jobs) Step() tea.Cmd {
	w := j.shown()
	if w == nil {
		return nil
	}
	j.turn++
	w.look()
	return j.nextStep()
}

func (j *Jobs) nextStep() tea.Cmd {
	if j.still {
		return j.later(stillTime, StepMsg{})
	}
	return j.later(stepTime, StepMsg{})
}

func (w *job) look() {
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

// Status is what shows of a job.
type Status struct {
	Doing    string
	Keeps    bool // what was done stays when it is cancelled
	Stopping bool // it was cancelled, and has not ended
	Progress versions.Progress
	Turn     int // counts up as long as it goes on
}

// Shown is the newest job that shows.
func (j *Jobs) Shown() (Status, bool) {
	w := j.shown()
	if w == nil {
		return Status{}, false
	}
	return Status{Doing: w.Doing, Keeps: w.Keeps, Stopping: w.stopped, Progress: w.progress, Turn: j.turn}, true
}

// CanCancel reports whether a job shows that was not cancelled before.
func (j *Jobs) CanCancel() bool {
	w := j.shown()
	return w != nil && !w.stopped
}

// Cancel cancels the job that shows, and reports whether there was one to cancel.
func (j *Jobs) Cancel() bool {
	if !j.CanCancel() {
		return false
	}
	w := j.shown()
	w.stopped = true
	w.cancel()
	return true
}

// Running is how many jobs are under way.
func (j *Jobs) Running() int { return len(j.running) }
