package tree

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	typing "github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/versions"
)

// newFilter returns the input line of the filter.
func (t *Pane) newFilter(bindings keys.Bindings) *typing.Line {
	return typing.NewLine(bindings, typing.Owner{
		Set: t.setFilter, Words: t.candidates, Move: func(rows int) tea.Cmd { t.move(rows); return nil },
		Hint: "letters of a path",
	})
}

// none reports whether nothing is typed.
func (f *filter) none() bool { return f.query == "" }

// TakesText reports whether the filter is being typed.
func (t *Pane) TakesText() bool { return t.input.On() }

// Entries returns the actions of the tree, or of the filter while it is typed.
func (t *Pane) Entries() []keys.Entry {
	if t.input.On() {
		return t.input.Entries()
	}
	all := t.keys.Entries(t)
	if n := t.current(); n == nil || !t.toReview(n) {
		return all
	}
	of := func(e keys.Entry) bool { return e.ID == "change.reviewed" || e.ID == "list.next" }
	review := slices.DeleteFunc(slices.Clone(all), func(e keys.Entry) bool { return !of(e) })
	rest := slices.DeleteFunc(slices.Clone(all[1:]), of)
	return slices.Concat(all[:1], review, rest) // opening stays first
}

// toReview reports whether a memory, or one in a folder, is to be reviewed.
func (t *Pane) toReview(n *node) bool {
	if n.folder() {
		return n.changed > 0
	}
	return t.facts.changed(n.entry)
}

// Cursor returns the position of the text cursor in the filter.
func (t *Pane) Cursor() (x, y int, ok bool) {
	return t.input.Cursor(draw.Box{X: 1, Y: t.h - 1, W: t.w - 1, H: t.h}, t.env.Theme)
}

// startFilter begins to edit the filter.
func (t *Pane) startFilter(int) tea.Cmd {
	t.input.Begin(t.filter.query)
	t.actors = t.writers()
	t.move(0)
	return nil
}

// filterTo returns an action that sets the filter to a word, or clears it.
func filterTo(query string) func(*Pane, int) tea.Cmd {
	return func(t *Pane, _ int) tea.Cmd {
		if t.filter.query == query {
			return t.setFilter("")
		}
		return t.setFilter(query)
	}
}

func (t *Pane) setFilter(query string) tea.Cmd {
	t.filter = parseFilter(query, t.facts.now)
	clear(t.folded)
	t.move(0)
	return t.rearrange()
}

// typed handles a key or pasted text for the filter.
func (t *Pane) typed(msg tea.Msg) tea.Cmd {
	if !t.input.On() {
		return nil
	}
	return t.input.Update(msg)
}

// candidates returns the completions of a word.
func (t *Pane) candidates(word string) []string {
	field, value, ok := strings.Cut(word, ":")
	if !ok {
		return typing.Starting(fields[:offered], word)
	}
	var values []string
	switch field {
	case "is":
		values = stateNames()
	case "by":
		values = slices.Concat([]string{"me"}, kinds, t.actors)
	case "since":
		values = []string{"today", "yesterday", "1h", "2d", "1w"}
	case "until":
		values = []string{"yesterday", "1h", "2d", "1w"}
	case "newer", "older", "unread":
		values = []string{"1d", "1w", "3mo"}
	case "larger", "smaller":
		values = []string{"1k", "10k", "100k"}
	}
	return typing.Values(field, value, values)
}

var kinds = []string{string(versions.Agent), string(versions.Person), string(versions.Outside), string(versions.APIKey)}

// writers returns the names of those who wrote the current memories.
func (t *Pane) writers() []string {
	if t.data == nil {
		return nil
	}
	known := map[versions.Actor]bool{}
	var names []string
	for i := range t.data.Entries {
		a := t.data.Entries[i].Actor
		if known[a] {
			continue
		}
		known[a] = true
		if name := actors.Word(a); a.Name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
