package history

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/wording"
)

// newFilter returns the input line of the filter of both lists.
func (p *Pane) newFilter(own keys.Bindings) *filter.Line {
	return filter.NewLine(own, filter.Owner{
		Set: p.setFilter, Words: p.candidates, Move: p.moveBy,
		Hint: "letters of a path, actor or session",
	})
}

// typeFilter moves the focus to the filter.
func (p *Pane) typeFilter() tea.Cmd {
	p.Focus(false)
	p.typed.Begin(p.query.text)
	p.Fit()
	return nil
}

// setFilter filters both lists; each is loaded again when it is shown next.
func (p *Pane) setFilter(s string) tea.Cmd {
	p.query = parse(s, p.now)
	if p.query.filtersNew() {
		p.query.reviewed = p.reviewed
	}
	return p.refilter()
}

// refilter loads the visible list again if its filter is outdated.
func (p *Pane) refilter() tea.Cmd {
	l := p.list()
	if l.query.same(p.query) {
		return nil
	}
	l.begin(p.query, true)
	return tea.Batch(p.more(l), p.compare())
}

// candidates returns the completions of a word.
func (p *Pane) candidates(word string) []string {
	name, value, ok := strings.Cut(word, ":")
	if !ok {
		return filter.Starting(fields, word)
	}
	var values []string
	switch name {
	case "by":
		for _, a := range p.actors {
			values = append(values, actors.Word(a))
		}
		for _, k := range actorKinds {
			values = append(values, string(k))
		}
	case "session":
		for _, s := range p.sessions {
			values = append(values, shortSession(s))
		}
	case "op":
		values = p.operations()
	case "is":
		values = []string{"new"}
	case "since":
		values = []string{"today", "yesterday", "1h", "2d", "1w", p.now.Format("2006-01-02")}
	case "until":
		values = []string{"yesterday", "1h", "2d", "1w", p.now.Format("2006-01-02")}
	}
	return filter.Values(name, value, values)
}

// operations returns the words for kinds of changes.
func (p *Pane) operations() []string {
	if !p.showsAll {
		return []string{"found", "created", wording.Edited, "renamed", "deleted", "restored", "undid", "redid", "redacted"}
	}
	return append(slices.Clone(wording.Verbs), undone)
}
