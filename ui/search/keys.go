package search

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
)

func searchKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	hit := func(p *Pane) string {
		switch {
		case p.problem != "":
			return p.problem
		case p.current() == nil && !p.running:
			return "nothing is found"
		}
		return ""
	}
	typed := func(p *Pane) string {
		if _, ok := p.query(); !ok || p.scope == Names {
			return "type a text to search for"
		}
		return ""
	}
	redactable := func(p *Pane) string {
		if p.scope == Everywhere {
			return "a text is redacted in one store: open that one first"
		}
		if p.regexp && p.scope != Names {
			return "only a text can be redacted, not a regular expression: search for words"
		}
		return typed(p)
	}
	inTexts := func(p *Pane) string {
		if p.scope == Names {
			return "names are searched by letters: " + p.keys.Hint("scope") + " switches to texts"
		}
		return ""
	}
	return keys.New("search", bindings, append([]keys.Action[*Pane]{
		{ID: "field.accept", Name: "go there", Short: "open", Why: hit, Do: (*Pane).openHit},
		{ID: "scope", Name: "next scope", Short: "scope", Keys: []string{"tab"}, Do: func(p *Pane, _ int) tea.Cmd { return p.turn(1) }},
		{ID: "scope-back", Name: "previous scope", Keys: []string{"shift+tab"}, Hide: true, Do: func(p *Pane, _ int) tea.Cmd { return p.turn(-1) }},
		keys.Action[*Pane]{ID: "regexp", Name: "regular expression, or words", Short: "regexp", Keys: []string{"alt+r"}, Why: inTexts, Do: (*Pane).toggleRegexp}.While(func(p *Pane) bool { return p.regexp }, "words"),
		{ID: "field.leave", Do: func(p *Pane, _ int) tea.Cmd { return p.env.Do(screen.Back{}) }},
		{ID: "replace", Name: "replace what is found", Short: "replace", Keys: []string{"ctrl+r"}, Do: (*Pane).openReplace},
		{ID: "redact", Writes: true, Name: "redact this text…", Short: "redact", Keys: []string{"alt+x"}, Why: redactable, Do: (*Pane).redact},
	}, moves()...))
}

// replaceKeys are the keys while matches are being replaced.
func replaceKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	return keys.New("search-replace", bindings, append([]keys.Action[*Pane]{
		{ID: "apply", Writes: true, Name: "replace them", Short: "replace", Keys: []string{"enter", "ctrl+s"}, Why: (*Pane).applyDisabled, Do: (*Pane).apply},
		{ID: "leave-out", Name: "exclude or include it", Short: "exclude", Keys: []string{"alt+s", "ctrl+space"}, Why: (*Pane).excludeDisabled, Do: (*Pane).toggleExcluded},
		{ID: "field", Name: "the other field", Keys: []string{"tab", "shift+tab"}, Do: func(p *Pane, _ int) tea.Cmd { p.repl.inWith = !p.repl.inWith; return nil }},
		keys.Action[*Pane]{ID: "search.regexp", Name: "regular expression, or words", Short: "regexp", Keys: []string{"alt+r"}, Do: (*Pane).toggleRegexp}.While(func(p *Pane) bool { return p.regexp }, "words"),
		{ID: "field.leave", Name: "back to the search", Short: "back", Do: (*Pane).closeReplace},
	}, moves()...))
}

// moves are the moves of the cursor.
func moves() []keys.Action[*Pane] {
	by := func(id string, rows func(*Pane) int) keys.Action[*Pane] {
		return keys.Action[*Pane]{ID: id, Hide: true, Do: func(p *Pane, _ int) tea.Cmd { return p.parts.MoveBy(rows(p)) }}
	}
	return []keys.Action[*Pane]{
		by("field.down", func(*Pane) int { return 1 }),
		by("field.up", func(*Pane) int { return -1 }),
		by("move.page-down", func(p *Pane) int { return max(p.parts.Page()-1, 1) }),
		by("move.page-up", func(p *Pane) int { return -max(p.parts.Page()-1, 1) }),
	}
}

// Keys lists the actions with their keys.
func Keys(bindings keys.Bindings) []keys.Entry {
	return append(searchKeys(bindings).All(), replaceKeys(bindings).All()...)
}

// Entries returns the available actions.
func (p *Pane) Entries() []keys.Entry { return p.keys.Entries(p) }
