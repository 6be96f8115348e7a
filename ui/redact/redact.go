// Package redact is the screen for redactions. It lists what would be redacted and where else
// the same text is found, lets the user decide about current memories that contain it, warns,
// redacts, and shows the receipt: gone, NOT gone, not finished, or unknown. It also searches
// for a text that no version contains.
//
// It is the only screen whose result can't be undone, and the only one that asks for
// confirmation.
package redact

import (
	"context"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/window"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/redact"
)

// Store is the part of a store that a redaction uses.
type Store interface {
	PlanRedact(ctx context.Context, target versions.RedactTarget) (redact.Plan, error)
	Redact(ctx context.Context, by versions.By, p redact.Plan, c versions.RedactChoice) (versions.Receipt, error)
	// VerifyErased searches for a text as a redaction does, but changes nothing.
	VerifyErased(ctx context.Context, target versions.RedactTarget, c versions.Scrub) (versions.Receipt, error)
}

// step is a step of the screen.
type step int

const (
	asking   step = iota // for the text to search for
	planning             // searching for what contains it
	deciding             // the plan is shown
	erasing
	finished // the receipt is shown
)

// readerWait is how long a redaction waits for readers of the trail.
const readerWait = 2 * time.Second

// Pane is the screen. New returns one.
type Pane struct {
	env    screen.Env
	cancel context.CancelFunc
	store  Store
	by     versions.By
	keys   *keys.Map[*Pane]
	typing *keys.Map[*Pane] // used while the text is typed

	target versions.RedactTarget
	name   string // describes the target
	step   step
	input  draw.Input // the text while it is typed
	plans  screen.Load[planned]

	plan    redact.Plan
	heads   versions.HeadChoice
	decided bool // what to do with current memories
	text    string
	mask    string // see MaskWith
	err     error
	receipt versions.Receipt
	done    progress
	seen    [2]int64 // last value of the progress
	stop    func()   // stops the search for remaining copies
	stopped bool

	w    int
	rows []line // content of the screen, wrapped
	win  window.Window
	now  time.Time
}

// progress is written by the goroutine that redacts.
type progress struct{ done, total *atomic.Int64 }

// New returns the screen. If target is empty, it asks for a text first. name describes the
// target.
func New(env screen.Env, store Store, by versions.By, target versions.RedactTarget, name string) *Pane {
	ctx, cancel := context.WithCancel(env.Ctx)
	p := &Pane{env: env.During(ctx), cancel: cancel, store: store, by: by, keys: redactKeys(env.Keys), typing: askingKeys(env.Keys), target: target, name: name,
		done: progress{new(atomic.Int64), new(atomic.Int64)}}
	if target.Version == "" && len(target.Versions) == 0 && target.Memory == "" && len(target.Match) == 0 {
		p.name = "a text"
		return p
	}
	p.step = planning
	return p
}

// MaskWith proposes to put a text in the place of the target in current memories. The person can choose otherwise.
func (p *Pane) MaskWith(text string) { p.mask = text }

// Decides and Stays implement screen.Decider. There is nothing to decide in a receipt.
func (p *Pane) Decides() string {
	if p.step == finished {
		return ""
	}
	return "redaction"
}

func (p *Pane) Stays() bool { return p.step != finished }

// Start plans the redaction if the target is known.
func (p *Pane) Start() tea.Cmd {
	if p.step != planning {
		return nil
	}
	p.err = nil
	store, target := p.store, p.target
	return p.plans.Begin(p.env.Ctx, func(ctx context.Context) (planned planned, err error) {
		if planned.plan, err = store.PlanRedact(ctx, target); err == nil && planned.plan.Empty() && target.Match != nil {
			var found versions.Receipt
			found, err = store.VerifyErased(ctx, target, versions.Scrub{})
			planned.found = &found
		}
		return planned, err
	}, p.planned)
}

// planned is the plan of a redaction.
type planned struct {
	plan  redact.Plan
	found *versions.Receipt // of the search, if there is nothing to redact
}

func (p *Pane) planned(made planned, err error) tea.Cmd {
	defer p.layOut()
	p.plan, p.err, p.step = made.plan, err, deciding
	p.decided = len(p.plan.Current()) == 0
	if p.mask != "" && !p.decided {
		p.heads, p.text, p.decided = versions.HeadMask, p.mask, true
	}
	if made.found != nil && err == nil {
		p.receipt, p.step = *made.found, finished
	}
	p.scroll(-p.win.Top)
	return nil
}

// Close cancels planning. If a redaction has started, the engine finishes it, now or at the
// next start.
func (p *Pane) Close() { p.cancel() }

func (p *Pane) SetTheme(th *theme.Theme) { p.env.Theme = th; p.layOut() }
func (p *Pane) SetNow(now time.Time)     { p.now = now; p.layOut() }
func (p *Pane) SetSize(w, h int)         { p.w, p.win.H = max(w, 0), max(h, 0); p.layOut() }

// TakesText reports whether the text to redact is being typed.
func (p *Pane) TakesText() bool { return p.step == asking }

// Update handles typed text and the wheel.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(tea.MouseWheelMsg); ok {
		switch m.Button {
		case tea.MouseWheelDown:
			p.scroll(3)
		case tea.MouseWheelUp:
			p.scroll(-3)
		}
		return nil
	}
	defer p.layOut()
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return p.typed(msg)
	case tea.PasteMsg:
		p.input.Update(msg)
	}
	return nil
}

// typed handles a key while the text is typed.
func (p *Pane) typed(msg tea.KeyPressMsg) tea.Cmd {
	if p.step != asking {
		return nil
	}
	for _, name := range keys.Names(msg) {
		if cmd, r := p.typing.Press(p, []string{name}, 0); r != keys.None {
			return cmd
		}
	}
	p.input.Update(msg)
	return nil
}

// erase redacts. The search for remaining copies reports its progress.
func (p *Pane) erase() tea.Cmd {
	defer p.layOut()
	p.step = erasing
	p.seen, p.stopped = [2]int64{}, false
	p.done.done.Store(0)
	p.done.total.Store(0)
	store, by, plan, done := p.store, p.by, p.plan, p.done
	choice := versions.RedactChoice{Heads: p.heads, Text: []byte(p.text), Scrub: versions.Scrub{Wait: readerWait, Progress: func(n, of int64) {
		done.done.Store(n)
		done.total.Store(of)
	}}}
	ctx, stop := context.WithCancel(context.WithoutCancel(p.env.Ctx)) // a redaction that has started must finish
	p.stop = stop
	run := func() tea.Msg {
		defer stop()
		receipt, err := store.Redact(ctx, by, plan, choice)
		return screen.Then(func() tea.Cmd { return p.erased(receipt, err) })
	}
	return tea.Batch(run, p.poll())
}

// searching reports whether the redaction is done and remaining copies are being searched for.
// That search may be stopped, and the receipt mentions it.
func (p *Pane) searching() bool { return p.step == erasing && p.seen[1] > 0 }

// Progress returns the progress of the search for remaining copies.
func (p *Pane) Progress() (done, total int64) {
	if p.step != erasing {
		return 0, 0
	}
	return p.seen[0], p.seen[1]
}

// poll polls the progress of the search.
func (p *Pane) poll() tea.Cmd {
	return p.env.Later(100*time.Millisecond, screen.Then(p.polled))
}

func (p *Pane) polled() tea.Cmd {
	if p.step != erasing {
		return nil
	}
	p.seen = [2]int64{p.done.done.Load(), p.done.total.Load()}
	p.layOut()
	return p.poll()
}

func (p *Pane) erased(receipt versions.Receipt, err error) tea.Cmd {
	defer p.layOut()
	p.receipt, p.err = receipt, err
	p.step = finished
	if err != nil && receipt.ID == 0 {
		p.step = planning // nothing was written: plan again
		return tea.Batch(p.Start(), p.env.Do(screen.Notice{Text: "redact: " + err.Error(), Bad: true}))
	}
	p.input = draw.Input{}
	p.scroll(-p.win.Top)
	return p.env.Do(screen.Refresh{})
}
