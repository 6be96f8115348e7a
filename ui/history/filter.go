package history

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

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

// names are the actors and sessions seen so far, to complete the filter.
type names struct {
	actors   []versions.Actor
	sessions []versions.SessionID // newest first
}

// maxNames is the maximum number of actors, and of sessions, that the filter completes.
const maxNames = 200

func (n *names) add(items []item) {
	for _, it := range items {
		a, s := it.by()
		if len(n.actors) < maxNames && !contains(n.actors, a) {
			n.actors = append(n.actors, a)
		}
		if s != "" && len(n.sessions) < maxNames && !contains(n.sessions, s) {
			n.sessions = append(n.sessions[:len(n.sessions):len(n.sessions)], s) // commands read the old slice
		}
	}
}

func contains[T comparable](list []T, x T) bool {
	for i := len(list) - 1; i >= 0; i-- { // the last ones are the most likely
		if list[i] == x {
			return true
		}
	}
	return false
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
		for _, a := range p.names.actors {
			values = append(values, actors.Word(a))
		}
		for _, k := range actorKinds {
			values = append(values, string(k))
		}
	case "session":
		for _, s := range p.names.sessions {
			values = append(values, shortSession(s))
		}
	case "op":
		values = []string{"found", "created", wording.Edited, "renamed", "deleted", "restored", "undid", "redid", "redacted"}
		if p.showsAll {
			values = append(slices.Clone(wording.Verbs), undone)
		}
	case "is":
		values = []string{"new"}
	case "since":
		values = []string{"today", "yesterday", "1h", "2d", "1w", p.now.Format("2006-01-02")}
	case "until":
		values = []string{"yesterday", "1h", "2d", "1w", p.now.Format("2006-01-02")}
	}
	return filter.Values(name, value, values)
}
