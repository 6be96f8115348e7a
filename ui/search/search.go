package search

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/memory"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
)

// Store is what a search needs of a store.
type Store interface {
	memory.Store
	Search(ctx context.Context, q versions.Query, each func(versions.Hit) bool) (versions.Found, error)
	SearchHistory(ctx context.Context, q versions.Query, each func(versions.HistoryHit) bool) error
	Near(ctx context.Context, q versions.Query) ([]match.NearWord, error)
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)
	Plan(ctx context.Context, g plan.Goal) (*plan.Plan, error)
	Apply(ctx context.Context, by versions.By, p *plan.Plan, choices map[versions.MemoryID]planning.Choice) (versions.Change, error)
}

// Scope is what is searched.
type Scope int

const (
	Names      Scope = iota // letters of the paths
	Memories                // current texts
	Past                    // texts of every version
	Everywhere              // current texts of all stores
	scopes
)

// Pane is the screen. Create it with New.
type Pane struct {
	screen.Plain
	env    screen.Env
	cancel context.CancelFunc
	store  Store
	keys   *keys.Map[*Pane]
	by     versions.By // the actor of replacements
	now    time.Time

	input     draw.Input
	regexp    bool   // the query is a regular expression
	problem   string // why the query is invalid; the list is still that of the previous query
	scope     Scope
	names     names // the paths to search
	searches  screen.Load[findings]
	plans     screen.Load[listedPlan] // of a replacement
	home      *home                   // all stores; nil if there is only this one
	pulls     screen.Load[[]row]      // of hosted stores
	pulled    bool
	late      []row // the hosted stores whose services did not answer
	running   bool
	openFirst bool // open the first hit, as soon as there is one
	news      bool // the search that runs is for the query that is listed: the cursor stays at its hit
	err       error
	rows      []row
	found     int    // memories, or runs of versions
	more      bool   // than are listed
	hits      int    // in the list
	near      string // similar words that occur
	unread    int

	parts   *split.Split // the list, and the preview or the diff
	shown   *shownStore
	preview *memory.Pane
	repl    *replacing // a replacement; nil while only searching
}

// New returns the screen; it searches for text at once, in the folder in. Paths are
// searched among the entries.
func New(env screen.Env, store Store, by versions.By, scope Scope, text string, in memfs.Path, entries []versions.Entry) *Pane {
	ctx, cancel := context.WithCancel(env.Ctx)
	if !in.IsRoot() {
		text += " in:" + in.Rel()
	}
	shown := &shownStore{Store: store}
	p := &Pane{env: env.During(ctx), cancel: cancel, store: store, by: by, keys: searchKeys(env.Keys), input: draw.NewInput(text), scope: scope, names: names{entries: entries},
		shown: shown, preview: memory.New(env.During(ctx), shown)}
	p.parts = split.With(env.Theme, p.preview, p)
	p.parts.Below, p.parts.Above = belowFrom, p
	return p
}

// Start runs the initial search. The first search of a store is slow, so without a query it
// runs a dummy one while the person types.
func (p *Pane) Start() tea.Cmd {
	if p.scope == Names || p.input.Value != "" {
		return p.search()
	}
	ctx, store := p.env.Ctx, p.store
	return func() tea.Msg {
		for range 2 {
			_, _ = store.Search(ctx, versions.Query{Text: "\x00", Limit: 1}, func(versions.Hit) bool { return false })
		}
		return nil
	}
}

// Close cancels the pane's commands.
func (p *Pane) Close() { p.cancel() }

func (p *Pane) SetTheme(th *theme.Theme) {
	p.env.Theme = th
	p.preview.SetTheme(th)
	p.parts.SetTheme(th)
}

func (p *Pane) SetNow(now time.Time) { p.now = now }

func (p *Pane) SetSize(w, h int) { p.parts.SetSize(w, h) }

// TakesText is true: typed text is the query.
func (p *Pane) TakesText() bool { return true }

// Cursor returns the position of the text cursor.
func (p *Pane) Cursor() (x, y int, ok bool) {
	if p.parts.W < 8 || p.parts.H < 1 {
		return 0, 0, false
	}
	if p.repl != nil && p.repl.inWith {
		_, x = p.repl.with.Append(nil, max(p.parts.W-4, 1), p.env.Theme.Input)
		return x + 3, 1, p.parts.H > 1
	}
	_, x = p.input.Append(nil, p.fieldCols(), p.env.Theme.Input)
	return x + 3, 0, true
}

// Update handles keys, the mouse and the results of the pane's commands.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		for _, name := range keys.Names(msg) {
			if cmd, r := p.keys.Press(p, []string{name}, 0); r != keys.None {
				return cmd
			}
		}
		return p.typed(msg)
	case tea.PasteMsg:
		return p.typed(msg)
	case tea.MouseClickMsg:
		return p.click(msg)
	case tea.MouseWheelMsg:
		return p.parts.Update(msg)
	}
	return nil
}

func (p *Pane) typed(msg tea.Msg) tea.Cmd {
	field := &p.input
	if p.repl != nil && p.repl.inWith {
		field = &p.repl.with
	}
	if !field.Update(msg) {
		return nil
	}
	return p.search()
}

// search runs the query. The list stays until the result arrives.
func (p *Pane) search() tea.Cmd {
	p.openFirst, p.news = false, false
	if p.repl != nil {
		return p.plan()
	}
	p.plans.Stop()
	store, q, in, typed := p.store, versions.Query{}, p.names, p.input.Value
	find := func(ctx context.Context) (findings, error) { return find(ctx, store, q) }
	switch p.scope {
	case Names:
		find = func(context.Context) (findings, error) { return findNames(in, typed), nil }
	case Past:
		find = func(ctx context.Context) (findings, error) { return findPast(ctx, store, q) }
	case Everywhere:
		home := p.home
		find = func(ctx context.Context) (findings, error) { return findEverywhere(ctx, home, store, q) }
	}
	if p.scope != Names {
		var ok bool
		if q, ok = p.query(); !ok {
			p.searches.Stop()
			p.running, p.rows, p.found, p.near, p.err, p.problem = false, nil, 0, "", nil, ""
			return nil
		}
	}
	p.running = true
	return p.searches.Begin(p.env.Ctx, find, p.answered)
}

func (p *Pane) answered(f findings, err error) tea.Cmd {
	p.running = false
	var bad *match.PatternError
	if errors.As(err, &bad) { // it is still being typed: the list stays, dimmed
		p.problem, p.openFirst = bad.Error(), false
		return nil
	}
	p.problem = ""
	if f.names.all != nil {
		p.names = f.names
	}
	if p.scope == Everywhere {
		f.rows = p.noted(f)
	}
	at := 0
	if was := p.current(); p.news && was != nil {
		at = max(slices.IndexFunc(f.rows, func(r row) bool { return r.selectable() && r.label() == was.label() && r.line == was.line }), 0)
	}
	p.err, p.rows, p.found, p.more, p.near, p.unread = err, f.rows, f.found, f.more, f.near, f.unread
	p.parts.Cur, p.parts.Top, p.hits = at, 0, 0
	for i := range p.rows {
		p.hits += p.rows[i].count
	}
	p.parts.Step(0)
	if p.openFirst {
		p.openFirst = false
		return p.openHit(0)
	}
	return p.Moved()
}

// turn searches the next scope for the same query.
func (p *Pane) turn(d int) tea.Cmd {
	n := Scope(len(p.scopeNames()))
	p.scope = (p.scope + Scope(d) + n) % n
	p.rows, p.problem = nil, ""
	if p.scope == Everywhere {
		return tea.Batch(p.search(), p.pull())
	}
	return p.search()
}

// toggleRegexp switches between a regular expression and words.
func (p *Pane) toggleRegexp(int) tea.Cmd {
	p.regexp = !p.regexp
	p.problem = ""
	return p.search()
}

// Moved shows the memory around the selected hit.
func (p *Pane) Moved() tea.Cmd {
	r := p.current()
	if p.repl != nil {
		return p.compare()
	}
	if r == nil {
		return nil
	}
	if r.origin != nil {
		p.previewOf(r.origin.store)
	} else {
		p.previewOf(p.store)
	}
	p.shown.show(r)
	return p.preview.Show(r.path, r.line)
}

// openHit opens the selected hit.
func (p *Pane) openHit(int) tea.Cmd {
	if p.running && !p.news { // the list is that of an earlier query
		p.openFirst = true
		return nil
	}
	if r := p.current(); r != nil {
		return p.open(r)
	}
	return nil
}

// open opens a hit that is listed.
func (p *Pane) open(r *row) tea.Cmd {
	if r.past && !r.current {
		return p.env.Do(screen.History{Path: r.path, Memory: r.memory, Version: r.version})
	}
	at := screen.Open{Path: r.path, Line: r.line, Find: p.finds(r)}
	if r.origin != nil {
		return p.openIn(r, at)
	}
	return p.env.Do(at)
}

// finds returns the query that highlights the hits of a row in the memory, and finds the
// next ones there.
func (p *Pane) finds(r *row) string {
	q, ok := p.query()
	if p.scope == Names || r.line == 0 || !ok || p.problem != "" || p.running && !p.news {
		return ""
	}
	pattern := q.Pattern()
	if word := strings.Trim(q.Text, `" `); !q.Regexp && regexp.QuoteMeta(word) == pattern && !strings.HasPrefix(word, "/") {
		return word // easier to read
	}
	return "/" + pattern + "/"
}

// redact opens the redaction of the query, of a phrase without its quotes.
func (p *Pane) redact(int) tea.Cmd {
	q, _ := p.query()
	text := strings.TrimSpace(q.Text)
	if len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' {
		text = text[1 : len(text)-1]
	}
	return p.env.Do(screen.Redact{Match: text})
}
