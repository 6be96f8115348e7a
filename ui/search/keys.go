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
			return "names are searched by letters: " + p.keys.Hint("elsewhere") + " switches to texts"
		}
		return ""
	}
	return keys.New("search", bindings, append([]keys.Action[*Pane]{
		{ID: "take", Name: "go there", Short: "open", Keys: []string{"enter"}, Why: hit, Do: (*Pane).openHit},
		{ID: "elsewhere", Name: "next scope", Short: "scope", Keys: []string{"tab"}, Do: func(p *Pane, _ int) tea.Cmd { return p.turn(1) }},
		{ID: "elsewhere-back", Name: "previous scope", Keys: []string{"shift+tab"}, Hide: true, Do: func(p *Pane, _ int) tea.Cmd { return p.turn(-1) }},
		keys.Action[*Pane]{ID: "regexp", Name: "regular expression, or words", Short: "regexp", Keys: []string{"alt+r"}, Why: inTexts, Do: (*Pane).toggleRegexp}.While(func(p *Pane) bool { return p.regexp }, "words"),
		{ID: "leave", Name: "leave", Keys: []string{"esc", "ctrl+c"}, Do: func(p *Pane, _ int) tea.Cmd { return p.env.Ask(screen.Back{}) }},
		{ID: "replace", Name: "replace what is found", Short: "replace", Keys: []string{"ctrl+r"}, Do: (*Pane).openReplace},
		{ID: "redact", Writes: true, Name: "redact this text…", Short: "redact", Keys: []string{"alt+x"}, Why: redactable, Do: (*Pane).redact},
	}, moves()...))
}

// replaceKeys are the keys while matches are being replaced.
func replaceKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	return keys.New("search-replace", bindings, append([]keys.Action[*Pane]{
		{ID: "apply", Writes: true, Name: "replace them", Short: "replace", Keys: []string{"enter", "ctrl+s"}, Why: (*Pane).applyDisabled, Do: (*Pane).apply},
		{ID: "leave-out", Name: "exclude or include it", Short: "exclude", Keys: []string{"alt+s", "ctrl+space"}, Why: (*Pane).excludeDisabled, Do: (*Pane).toggleExcluded},
		{ID: "field", Name: "the other field", Keys: []string{"tab", "shift+tab"}, Do: func(p *Pane, _ int) tea.Cmd { p.typeIn(1 - p.typing()); return nil }},
		keys.Action[*Pane]{ID: "regexp", In: "search", Name: "regular expression, or words", Short: "regexp", Keys: []string{"alt+r"}, Do: (*Pane).toggleRegexp}.While(func(p *Pane) bool { return p.regexp }, "words"),
		{ID: "leave", Name: "back to the search", Short: "back", Keys: []string{"esc", "ctrl+c"}, Do: (*Pane).closeReplace},
	}, moves()...))
}

// moves are the moves of the cursor.
func moves() []keys.Action[*Pane] {
	by := func(id, name string, rows func(*Pane) int, seqs ...string) keys.Action[*Pane] {
		return keys.Action[*Pane]{ID: id, In: "search", Name: name, Keys: seqs, Hide: true, Do: func(p *Pane, _ int) tea.Cmd {
			p.step(rows(p))
			return p.showPreview()
		}}
	}
	return []keys.Action[*Pane]{
		by("down", "down", func(*Pane) int { return 1 }, "down", "ctrl+n", "ctrl+j"),
		by("up", "up", func(*Pane) int { return -1 }, "up", "ctrl+p"),
		by("page-down", "page down", func(p *Pane) int { return max(p.places().list.H-1, 1) }, "pgdown"),
		by("page-up", "page up", func(p *Pane) int { return -max(p.places().list.H-1, 1) }, "pgup"),
		by("next-memory", "next memory", (*Pane).nextMemory, "alt+down"),
		by("previous-memory", "previous memory", (*Pane).previousMemory, "alt+up"),
	}
}

// Keys lists the actions with their keys.
func Keys(bindings keys.Bindings) []keys.Entry {
	return append(searchKeys(bindings).All(), replaceKeys(bindings).All()...)
}

// Entries returns the available actions.
func (p *Pane) Entries() []keys.Entry { return p.keys.Entries(p) }

// nextMemory returns the distance in rows to the next memory.
func (p *Pane) nextMemory() int {
	for i := p.Cur + 1; i < len(p.rows); i++ {
		if p.rows[i].heading && i+1 < len(p.rows) {
			return i + 1 - p.Cur
		}
	}
	return 0
}

func (p *Pane) previousMemory() int {
	seen := 0
	for i := p.Cur; i >= 0; i-- {
		if p.rows[i].heading {
			if seen++; seen == 2 {
				return i + 1 - p.Cur
			}
		}
	}
	return 0
}
