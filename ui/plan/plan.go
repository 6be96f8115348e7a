// Package plan is the screen that previews an undo or a restore, memory by memory, before
// anything is written. The user decides the conflicts, one by one or all together. Then the
// plan is applied as one change, which can be undone like any other.
package plan

import (
	"cmp"
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
)

// Store is the part of a store that a plan uses.
type Store interface {
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)
	Plan(ctx context.Context, g plan.Goal) (*plan.Plan, error)
	Apply(ctx context.Context, by versions.By, p *plan.Plan, choices map[versions.MemoryID]planning.Choice) (versions.Change, error)
}

// Task is what to plan.
type Task struct {
	Doing string // "undo session s3"
	Did   string // "undid session s3"
	Goal  plan.Goal
	About func(context.Context) About // looks up what is known of it; may be nil
	By    versions.By
	After func(versions.Change) tea.Cmd // called when all of it was applied; may be nil
	Then  string                        // names the text that the plan gives to a memory; "before" if empty

	// Reject marks the reverted text as rejected; undo is the change that reverted it. It may be nil.
	Reject func(ctx context.Context, undo int64, reason string) error
}

// About describes what is planned: empty fields are unknown.
type About struct {
	Doing, Did string // better than those of the task
	When       time.Time
	Why        string // the prompt of a session, or the change
}

// Pane is the screen. New returns one.
type Pane struct {
	screen.Plain
	env    screen.Env
	cancel context.CancelFunc
	store  Store
	task   Task
	keys   *keys.Map[*Pane]

	now      time.Time
	abouts   screen.Load[About]
	about    About
	plans    screen.Load[*plan.Plan]
	plan     *plan.Plan
	err      error
	stale    bool                  // it was planned again because it was outdated
	applying bool                  // it is being applied
	partly   *versions.PartlyError // what the last attempt did in a hosted store
	rows     []row
	choices  map[versions.MemoryID]planning.Choice

	cols int // that the widest row needs
	*split.Split
	pairs screen.Load[comparison]
	title string
}

// New returns the screen; Start computes the plan.
func New(env screen.Env, store Store, task Task) *Pane {
	ctx, cancel := context.WithCancel(env.Ctx)
	p := &Pane{env: env.During(ctx), cancel: cancel, store: store, task: task, keys: planKeys(env.Keys), choices: map[versions.MemoryID]planning.Choice{}}
	p.Split = split.New(env.Theme, env.Keys, p)
	p.Above, p.Back = p, p.keys.Hint("screen.back")
	return p
}

// then names the text that the plan gives to a memory.
func (p *Pane) then() string { return cmp.Or(p.task.Then, before) }

const before = "before"

// Decides and Stays implement screen.Decider.
func (*Pane) Decides() string { return "plan" }
func (*Pane) Stays() bool     { return false }

// Start computes the plan. It writes nothing.
func (p *Pane) Start() tea.Cmd {
	p.plan, p.err, p.rows = nil, nil, nil
	store, goal := p.store, p.task.Goal
	compute := p.plans.Begin(p.env.Ctx, func(ctx context.Context) (*plan.Plan, error) { return store.Plan(ctx, goal) }, p.planned)
	if p.task.About == nil {
		return compute
	}
	about := p.task.About
	return tea.Batch(compute, p.abouts.Begin(p.env.Ctx, func(ctx context.Context) (About, error) { return about(ctx), nil }, p.described))
}

// described shows what is planned.
func (p *Pane) described(about About, _ error) tea.Cmd {
	p.about = about
	p.task.Doing, p.task.Did = cmp.Or(about.Doing, p.task.Doing), cmp.Or(about.Did, p.task.Did)
	p.Fit()
	return nil
}

// SetNow sets the time that ages are relative to.
func (p *Pane) SetNow(now time.Time) { p.now = now }

// Close cancels pending requests.
func (p *Pane) Close() { p.cancel() }

// SetTheme changes the theme.
func (p *Pane) SetTheme(th *theme.Theme) {
	p.env.Theme = th
	p.Split.SetTheme(th)
}

func (p *Pane) planned(made *plan.Plan, err error) tea.Cmd {
	p.plan, p.err = made, err
	if err != nil {
		return nil
	}
	p.rows = rowsOf(p.plan, p.partly)
	p.cols = 0
	for i := range p.rows {
		p.cols = max(p.cols, p.rows[i].needs())
	}
	p.Cur = 0
	p.Step(0)
	return p.compare()
}
