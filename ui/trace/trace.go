// Package trace is the screen that shows what a text may come from and what may come from it:
// which versions the session that wrote it had read, who had written those after reading what,
// and, forward, what all sessions wrote after they had read it. What was written can be undone
// together, with a plan.
//
// A trace shows what may have been passed on, not that it was.
package trace

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/review"
)

// Trail follows the ledger through all stores of a home.
type Trail interface {
	TraceBack(ctx context.Context, from review.TraceFrom, limit int) (versions.Trace, error)
	TraceForward(ctx context.Context, from review.TraceFrom, limit int) (versions.Trace, error)
}

// Store is the part of a store that the screen uses.
type Store interface {
	split.Texts
	Blame(ctx context.Context, v versions.VersionID) (*versions.Blame, error)
}

// Config holds what the screen works with.
type Config struct {
	Trail    Trail
	Store    Store
	ID       versions.StoreID                // of the store: versions of others are only listed
	Prompt   func(versions.SessionID) string // the first prompt of a session, or ""; it may block
	From     screen.Trace
	ReadOnly bool // nothing can be written
}

// Pane is the screen. New returns one.
type Pane struct {
	screen.Plain
	env    screen.Env
	cancel context.CancelFunc
	cfg    Config
	keys   *keys.Map[*Pane]

	now   time.Time
	walks []walk // the last one is shown; Esc returns to the one before
	loads screen.Load[walked]
	begun bool // the first walk has been read
	err   error
	rows  []row
	cut   bool

	actorCols int // of the list: as many as the names need
	cols      int // that the widest row needs

	*split.Split
	details screen.Load[detail]
	detail  detail
}

// walk is what is traced.
type walk struct {
	forward bool
	from    review.TraceFrom
	version versions.VersionID // with line: where the line is
	line    int                // of version, from 1; 0 for all lines
	title   string             // names the beginning
	chosen  map[versions.VersionID]bool
	cur     versions.VersionID // under the cursor
}

// walked is a walk that was read. A line is replaced by the version that wrote it.
type walked struct {
	walk  walk
	trace versions.Trace
}

// row is a heading or a step.
type row struct {
	heading string
	step    *versions.TraceStep
	from    *versions.TraceStep // that the step was reached from; nil for a beginning
	depth   int
}

// detail is what is shown beside a row.
type detail struct {
	of     versions.VersionID
	doc    *diffview.Document
	prompt string
}

// maxSteps is the most steps of a walk that are listed.
const maxSteps = 5000

// New returns the screen; Start reads the trace.
func New(env screen.Env, cfg Config) *Pane {
	ctx, cancel := context.WithCancel(env.Ctx)
	p := &Pane{env: env.During(ctx), cancel: cancel, cfg: cfg, keys: traceKeys(env.Keys)}
	p.Split = split.New(env.Theme, env.Keys, p)
	p.Back = p.keys.Hint("screen.back")
	p.walks = []walk{beginning(cfg.From)}
	return p
}

func beginning(from screen.Trace) walk {
	w := walk{from: review.TraceFrom{Session: from.Session, Version: from.Version, Memory: from.Memory}, line: from.Line, version: from.Version, title: from.Path.String()}
	if from.Session != "" {
		w.title = "session " + draw.ShortID(string(from.Session), 8)
	}
	return w
}

// Start reads the trace.
func (p *Pane) Start() tea.Cmd { return p.load() }

// Close cancels pending requests.
func (p *Pane) Close() { p.cancel() }

// SetNow sets the time that ages are relative to.
func (p *Pane) SetNow(now time.Time) { p.now = now }

// SetTheme changes the theme.
func (p *Pane) SetTheme(th *theme.Theme) {
	p.env.Theme = th
	p.Split.SetTheme(th)
}

// Event reads the trace again if a change may concern it.
func (p *Pane) Event(e versions.Event) tea.Cmd {
	if e.Reload || len(e.Changes)+len(e.Attributed) > 0 {
		return p.load()
	}
	return nil
}

// Session returns the session of the row under the cursor, or "".
func (p *Pane) Session() versions.SessionID {
	if r := p.current(); r != nil {
		return r.step.Version.Session
	}
	return ""
}

// misled returns the session whose undo helps at the row under the cursor: its own or, if nobody claims its version, the one
// that read it and wrote what the trace came from.
func (p *Pane) misled() versions.SessionID {
	if r := p.current(); p.Session() == "" && r != nil && r.from != nil && !p.walk().forward {
		return r.from.Version.Session
	}
	return p.Session()
}

// walk returns the walk that is shown.
func (p *Pane) walk() *walk { return &p.walks[len(p.walks)-1] }

// load reads the walk; during a reading, it is read again afterwards.
func (p *Pane) load() tea.Cmd {
	if p.loads.After(p.load) {
		return nil
	}
	trail, store, w := p.cfg.Trail, p.cfg.Store, *p.walk()
	return p.loads.Begin(p.env.Ctx, func(ctx context.Context) (walked, error) { return read(ctx, trail, store, w) },
		func(found walked, err error) tea.Cmd {
			p.begun, p.err = true, err
			if err != nil {
				p.rows = nil
				return nil
			}
			return p.show(found)
		})
}

// read follows a walk through the trail.
func read(ctx context.Context, trail Trail, store Store, w walk) (out walked, err error) {
	if w.line > 0 {
		if w, err = writerOf(ctx, store, w); err != nil {
			return out, err
		}
	}
	out.walk = w
	if w.forward {
		out.trace, err = trail.TraceForward(ctx, w.from, maxSteps)
	} else {
		out.trace, err = trail.TraceBack(ctx, w.from, maxSteps)
	}
	return out, err
}

// writerOf replaces a line by the version that wrote it.
func writerOf(ctx context.Context, store Store, w walk) (walk, error) {
	b, err := store.Blame(ctx, w.version)
	if err != nil {
		return w, err
	}
	for _, r := range b.Runs {
		if w.line < r.Start || w.line >= r.Start+r.Lines {
			continue
		}
		said, n := "", 0
		for l := range strings.Lines(string(b.Content)) {
			if n++; n == w.line {
				said = strings.TrimSpace(l)
			}
		}
		w.title = fmt.Sprintf("line %d: %s", w.line, said)
		w.from, w.line = review.TraceFrom{Version: r.By.ID}, 0
		return w, nil
	}
	return w, fmt.Errorf("%s has no line %d in its newest version", w.title, w.line)
}

// show lists a walk. The cursor stays at its version.
func (p *Pane) show(found walked) tea.Cmd {
	at := p.walk()
	first := at.chosen == nil
	cur := at.cur
	if found.walk.chosen = at.chosen; first {
		found.walk.chosen = map[versions.VersionID]bool{}
	}
	found.walk.cur = cur
	*at = found.walk
	p.cut = found.trace.Cut
	p.rows = rowsOf(found.trace, at)
	p.actorCols = 0
	for i := range p.rows {
		r := &p.rows[i]
		switch {
		case r.step == nil:
			continue
		case p.whyNotChosen(r) != "":
			delete(at.chosen, r.step.Version.ID)
		case first && at.forward && r.step.Version.Actor.Kind != versions.Person:
			at.chosen[r.step.Version.ID] = true
		}
		p.actorCols = min(max(p.actorCols, text.Width(text.Field(actorOf(r.step.Version)))), actorCols)
	}
	p.cols = 0
	for i := range p.rows {
		if r := &p.rows[i]; r.step != nil {
			p.cols = max(p.cols, p.needs(r))
		}
	}
	p.Cur = p.begin(cur)
	p.Step(0)
	return p.compare()
}

// begin returns the row where the cursor goes: the version under it before, else the first one
// that may have brought something from outside, else the first.
func (p *Pane) begin(cur versions.VersionID) int {
	i := slices.IndexFunc(p.rows, func(r row) bool { return r.step != nil && r.step.Version.ID == cur })
	if i < 0 && !p.walk().forward {
		i = slices.IndexFunc(p.rows, func(r row) bool { return r.step != nil && (unclaimed(r.step.Version) || r.step.Version.Inputs != 0) })
	}
	return max(i, 0)
}

// unclaimed reports whether no session and no agent claims a version.
func unclaimed(v versions.Version) bool {
	return v.Actor.Kind == versions.Outside && v.Session == ""
}

// rowsOf lists the steps as a tree: each below the one that it was reached from.
func rowsOf(tr versions.Trace, w *walk) (rows []row) {
	if len(tr.Steps) == 0 {
		return nil
	}
	below := map[int][]int{}
	for i, step := range tr.Steps {
		below[step.From] = append(below[step.From], i)
	}
	heading := "comes from · " + w.title
	if w.forward {
		heading = "may come from it · " + w.title
	}
	rows = append(rows, row{heading: heading})
	var add func(i, depth int)
	add = func(i, depth int) {
		r := row{step: &tr.Steps[i], depth: depth}
		if f := r.step.From; f >= 0 {
			r.from = &tr.Steps[f]
		}
		rows = append(rows, r)
		for _, j := range below[i] {
			add(j, depth+1)
		}
	}
	for _, i := range below[-1] {
		add(i, 0)
	}
	return rows
}

// current returns the row under the cursor, or nil.
func (p *Pane) current() *row {
	if p.Cur < len(p.rows) && p.rows[p.Cur].step != nil {
		return &p.rows[p.Cur]
	}
	return nil
}

// compare reads the diff of the row under the cursor.
func (p *Pane) compare() tea.Cmd {
	p.details.Stop()
	r := p.current()
	if r == nil {
		p.detail = detail{}
		p.Diff.Show(diffview.Note(""))
		return nil
	}
	v := r.step.Version
	p.walk().cur = v.ID
	store, prompt := p.cfg.Store, p.cfg.Prompt
	here := r.step.Store == p.cfg.ID
	return p.details.Begin(p.env.Ctx, func(ctx context.Context) (d detail, _ error) {
		d.of = v.ID
		switch {
		case !here:
			d.doc = diffview.Note("It is in another store.")
		case !v.Redacted.IsZero():
			d.doc = diffview.Note("Can't be shown: its text was redacted.")
		default:
			d.doc = split.Effect(ctx, store, v, v)
		}
		if v.Session != "" && prompt != nil {
			d.prompt = strings.Join(strings.Fields(prompt(v.Session)), " ")
		}
		return d, nil
	}, func(d detail, _ error) tea.Cmd {
		p.detail = d
		p.Diff.Show(d.doc)
		p.Fit()
		return nil
	})
}

// Moved shows the version that the cursor has moved to.
func (p *Pane) Moved() tea.Cmd { return p.compare() }
