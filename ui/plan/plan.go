// Package plan is the screen that shows what taking changes back, or going back to
// a moment, would do, memory by memory, before anything is written. What conflicts
// is decided here, one by one or all together; then the plan is applied as one
// change, which undo takes back like any other.
package plan

import (
	"context"

	"github.com/memend/memend/ui/list"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Store is what a plan needs of a store.
type Store interface {
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)
	Apply(ctx context.Context, by versions.By, p *versions.Plan, choices map[versions.MemoryID]versions.Choice) (versions.Change, error)
}

// Task is what is planned.
type Task struct {
	Doing string // "undo session s3"
	Did   string // "undid session s3"
	Make  func(context.Context) (*versions.Plan, error)
	By    versions.By
}

// Merge asks the owner to have a conflict merged by hand. Done gets the text, and
// may be called once or never.
type Merge struct {
	Item versions.PlanItem
	Done func(text []byte) tea.Msg
}

// Pane is the screen. New makes one.
type Pane struct {
	screen.Plain
	env    screen.Env
	cancel context.CancelFunc
	store  Store
	task   Task
	keys   *keys.Map[*Pane]

	plans   screen.Load[*versions.Plan]
	plan    *versions.Plan
	err     error
	stale   bool                  // it was planned anew, because something overtook it
	doing   bool                  // it is being applied
	partly  *versions.PartlyError // of a hosted store: so much was done when it was applied last
	rows    []row
	choices map[versions.MemoryID]versions.Choice

	w, h      int
	list.List      // of rows
	inDiff    bool // the diff has the keys
	diff      *diffview.View
	pairs     screen.Load[comparison]
	title     string
}

// New makes the screen; Start begins to plan.
func New(env screen.Env, store Store, task Task) *Pane {
	ctx, cancel := context.WithCancel(env.Ctx)
	return &Pane{
		env: env.During(ctx), cancel: cancel, store: store, task: task, keys: planKeys(env.Keys),
		choices: map[versions.MemoryID]versions.Choice{}, diff: diffview.New(env.Theme, env.Keys),
	}
}

// Decides and Stays make it a screen.Decider.
func (*Pane) Decides() string { return "plan" }
func (*Pane) Stays() bool     { return false }

// Start plans. Nothing is written.
func (p *Pane) Start() tea.Cmd {
	p.plan, p.err, p.rows = nil, nil, nil
	return p.plans.Begin(p.env.Ctx, p.task.Make, p.planned)
}

// Close ends what is under way.
func (p *Pane) Close() { p.cancel() }

// SetTheme changes the looks.
func (p *Pane) SetTheme(th *theme.Theme) {
	p.env.Theme = th
	p.diff.SetTheme(th)
}

// SetWrap says whether long lines of diffs are broken into rows.
func (p *Pane) SetWrap(on bool) { p.diff.SetWrap(on) }

// SetSize says how many columns and rows View has.
func (p *Pane) SetSize(w, h int) {
	p.w, p.h = max(w, 0), max(h, 0)
	p.fit()
}

// Update takes the mouse.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		return p.click(msg.Mouse())
	case tea.MouseWheelMsg:
		return p.wheel(msg)
	}
	return nil
}

func (p *Pane) planned(made *versions.Plan, err error) tea.Cmd {
	p.plan, p.err = made, err
	if err != nil {
		return nil
	}
	p.rows = rowsOf(p.plan, p.partly)
	p.Cur = 0
	p.step(0)
	return p.compare()
}
