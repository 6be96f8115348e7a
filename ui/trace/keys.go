package trace

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/versions/review"
)

func traceKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	follow := func(id, name string, forward bool, key string) keys.Action[*Pane] {
		return keys.Act(id, name, func(p *Pane) tea.Cmd { return p.follow(forward) }, func(p *Pane) string { return p.walkDisabled(forward) }, key)
	}
	return keys.New("trace", bindings, append([]keys.Action[*Pane]{
		follow("forward", "what may come from it", true, "f").As("what followed"),
		keys.Act("change.undo", "undo what is chosen", (*Pane).undo, (*Pane).undoDisabled).As("undo").Writing(),
		keys.Act("list.choose", "", (*Pane).choose, (*Pane).chooseDisabled),
		follow("origin", "where it comes from", false, "b").As("its origin"),
		keys.Act("list.open", "view diff", (*Pane).toDiff, (*Pane).rowDisabled).As("look"),
		keys.Action[*Pane]{ID: "list.in", Name: "to the diff", Hide: true, Why: (*Pane).rowDisabled, Do: func(p *Pane, _ int) tea.Cmd { return p.toDiff() }},
		keys.Act("change.undo-session", "", (*Pane).undoSession, (*Pane).sessionDisabled).As("undo session").Writing(),
		keys.Act("change.open", "", (*Pane).open, (*Pane).openDisabled).As("open"),
		keys.Act("change.version", "", (*Pane).showVersion, (*Pane).openDisabled).As("version"),
		keys.Act("screen.back", "", (*Pane).leave, nil).As("leave"),
	}, list.Moves((*Pane).MoveBy, (*Pane).Page)...))
}

// Keys lists the actions with their keys.
func Keys(bindings keys.Bindings) []keys.Entry { return traceKeys(bindings).All() }

// Press handles a sequence of keys.
func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	return split.Press(p.Split, p, p.keys, seq, n)
}

// Entries returns the actions that are available now.
func (p *Pane) Entries() []keys.Entry {
	own := p.keys.Entries(p)
	if p.current() == nil {
		return own
	}
	return p.Split.Entries(own)
}

func (p *Pane) rowDisabled() string {
	if p.current() == nil {
		return "nothing is listed"
	}
	return ""
}

// walkDisabled returns why the version under the cursor can't be traced.
func (p *Pane) walkDisabled(forward bool) string {
	if why := p.rowDisabled(); why != "" {
		return why
	}
	if w := p.walk(); w.forward == forward && w.from.Version == p.current().step.Version.ID {
		return "that is what is listed"
	}
	return ""
}

// whyNotChosen returns why a version can't be undone here.
func (p *Pane) whyNotChosen(r *row) string {
	switch s := r.step; {
	case s.Store != p.cfg.ID:
		return "it is in another store"
	case s.Undone:
		return "it is undone"
	case s.Version.Change <= 0:
		return "its change is lost"
	}
	return ""
}

func (p *Pane) chooseDisabled() string {
	if why := p.rowDisabled(); why != "" {
		return why
	}
	return p.whyNotChosen(p.current())
}

func (p *Pane) undoDisabled() string {
	if p.cfg.ReadOnly {
		return "read-only: nothing is written"
	}
	if len(p.changes()) > 0 {
		return ""
	}
	if why := p.chooseDisabled(); why != "" {
		return why
	}
	return "nothing is chosen"
}

func (p *Pane) sessionDisabled() string {
	if p.misled() == "" {
		return "it belongs to no session"
	}
	return ""
}

func (p *Pane) openDisabled() string {
	if why := p.rowDisabled(); why != "" {
		return why
	}
	switch s := p.current().step; {
	case s.Store != p.cfg.ID:
		return "it is in another store"
	case !s.Version.Redacted.IsZero():
		return "the version was redacted"
	}
	return ""
}

// follow traces the version under the cursor: what sessions wrote after they had read it, or what it comes from.
func (p *Pane) follow(forward bool) tea.Cmd {
	v := p.current().step.Version
	p.walks = append(p.walks, walk{forward: forward, from: review.TraceFrom{Version: v.ID}, title: versionName(v)})
	p.Focus(false)
	p.loads.Stop()
	return p.load()
}

// leave leaves the diff, then the last walk, then the screen.
func (p *Pane) leave() tea.Cmd {
	switch {
	case p.InDetail:
		p.Focus(false)
		return nil
	case len(p.walks) > 1:
		p.walks = p.walks[:len(p.walks)-1]
		p.loads.Stop()
		return p.load()
	}
	return p.env.Do(screen.Back{})
}

func (p *Pane) toDiff() tea.Cmd {
	p.Focus(true)
	return nil
}

func (p *Pane) choose() tea.Cmd {
	id, chosen := p.current().step.Version.ID, p.walk().chosen
	if chosen[id] {
		delete(chosen, id)
	} else {
		chosen[id] = true
	}
	return p.MoveBy(1)
}

// changes lists the changes of what is chosen, or else that of the row under the cursor.
func (p *Pane) changes() (out []int64) {
	for i := range p.rows {
		if r := &p.rows[i]; r.step != nil && p.walk().chosen[r.step.Version.ID] {
			out = append(out, r.step.Version.Change)
		}
	}
	if r := p.current(); len(out) == 0 && r != nil && !p.walk().forward && p.whyNotChosen(r) == "" {
		out = append(out, r.step.Version.Change)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (p *Pane) undo() tea.Cmd {
	if changes := p.changes(); len(changes) > 1 {
		why := "may come from "
		if !p.walk().forward {
			why = "chosen in the trace of "
		}
		return p.env.Do(screen.UndoChanges{Changes: changes, Why: why + p.walk().title})
	} else {
		return p.env.Do(screen.Undo{Change: changes[0]})
	}
}

func (p *Pane) undoSession() tea.Cmd {
	return p.env.Do(screen.UndoSession{Session: p.misled()})
}

func (p *Pane) open() tea.Cmd {
	return p.env.Do(screen.Open{Path: p.current().step.Version.Path})
}

func (p *Pane) showVersion() tea.Cmd {
	v := p.current().step.Version
	return p.env.Do(screen.History{Path: v.Path, Memory: v.Memory, Version: v.ID})
}
