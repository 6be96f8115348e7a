package agents

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/keys"
)

// newFilter returns the input line of the stream's filter.
func (p *Pane) newFilter(bindings keys.Bindings) *filter.Line {
	return filter.NewLine(bindings, filter.Owner{
		Set: p.setFilter, Words: p.candidates, Move: p.moveBy,
		Hint: "of a path, actor, session, tool call",
	})
}

// typeFilter moves the focus to the filter.
func (p *Pane) typeFilter() tea.Cmd {
	p.stream.inDiff = false
	p.typed.Begin(p.stream.query.text)
	p.focus(true)
	return nil
}

func (p *Pane) setFilter(s string) tea.Cmd {
	was := p.stream.query
	p.stream.query = parse(s, p.clock())
	if p.stream.query.same(was) {
		return nil
	}
	return p.stream.begin()
}

// candidates returns the completions of a word.
func (p *Pane) candidates(word string) []string {
	name, value, ok := strings.Cut(word, ":")
	if !ok {
		return filter.Starting(append(fields[:len(fields):len(fields)], onlyReads, onlyWrites), word)
	}
	var values []string
	switch name {
	case "by":
		for _, s := range p.sessions.list {
			values = append(values, actors.Word(s.Actor))
		}
	case "kind":
		for _, k := range kinds {
			values = append(values, string(k))
		}
	case "session":
		for _, s := range p.sessions.list {
			values = append(values, shortSession(s.ID))
		}
	case "in":
		for i := range min(p.stream.len(), pageSize) {
			if a, _ := p.stream.at(i); !a.Path.IsRoot() && !a.Path.Dir().IsRoot() {
				values = append(values, a.Path.Dir().String())
			}
		}
	case "since", "until":
		values = []string{"today", "yesterday", "1h", "2d", "1w"}
	}
	return filter.Values(name, value, values)
}

// Cursor returns the place of the cursor while the filter is typed.
func (p *Pane) Cursor() (x, y int, ok bool) {
	at := p.DetailBox()
	if v := p.talk(); v != nil && p.InDetail {
		x, y, ok = v.Cursor()
		return x + at.X, y + at.Y, ok && x < at.W && y < at.H
	}
	return p.typed.Cursor(at.CutTop(p.stream.above), p.env.Theme)
}
