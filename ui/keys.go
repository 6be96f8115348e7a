package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/textscreen"
)

// globalKeys returns the keys that work in every pane that does not take text.
func globalKeys(bindings keys.Bindings) *keys.Map[*App] {
	do := func(f func(*App)) func(*App, int) tea.Cmd {
		return func(a *App, _ int) tea.Cmd { f(a); return nil }
	}
	grow := func(id, name, key string, cols, rows int) keys.Action[*App] {
		return keys.Action[*App]{ID: id, Name: name, Keys: []string{key}, Why: (*App).borderDisabled, Do: func(a *App, n int) tea.Cmd {
			n = min(max(n, 1), 100)
			a.frame.Grow(n*cols, n*rows)
			a.resize()
			return nil
		}}
	}
	ask := func(request screen.Request) func(*App, int) tea.Cmd {
		return func(a *App, _ int) tea.Cmd { return a.out.Do(request) }
	}
	return keys.New("global", bindings, guarded(slices.Concat([]keys.Action[*App]{
		{ID: "undo", Writes: true, Name: "undo what you did last", Short: "undo", Keys: []string{"u"}, Do: ask(screen.Undo{})},
		{ID: "history", Name: "history", Keys: []string{"H"}, Do: func(a *App, _ int) tea.Cmd { return a.toggleHistory() }},
		{ID: "agents", Name: "agents", Keys: []string{"A"}, Do: func(a *App, _ int) tea.Cmd { return a.toggleAgents() }},
	}, openers(), []keys.Action[*App]{
		{ID: "palette", Name: "all actions", Keys: []string{"ctrl+k", ":"}, Do: do(func(a *App) { a.show(a.palette()) })},
		{ID: "next-pane", Name: "next pane", Keys: []string{"tab"}, Do: ask(screen.Cycle{By: 1})},
		{ID: "previous-pane", Name: "last pane", Keys: []string{"shift+tab"}, Do: ask(screen.Cycle{By: -1}), Hide: true},
		{ID: "zoom", Name: "zoom", Keys: []string{"z"}, Do: do(func(a *App) { a.frame.Zoom(); a.resize() })},
		grow("wider", "wider", "ctrl+w >", 4, 0), grow("narrower", "narrower", "ctrl+w <", -4, 0),
		grow("taller", "taller", "ctrl+w +", 0, 2), grow("shorter", "shorter", "ctrl+w -", 0, -2),
		{ID: "even", Name: "reset pane sizes", Keys: []string{"ctrl+w ="}, Do: do(func(a *App) { a.frame.Even(); a.resize() })},
		{ID: "quit", Name: "quit", Keys: []string{"q", "ctrl+c"}, Do: func(a *App, _ int) tea.Cmd { return a.quit() }},
		{ID: "redo", Writes: true, Name: "redo", Keys: []string{"ctrl+r"}, Do: ask(screen.Redo{})},
		{ID: "messages", Name: "messages", Keys: []string{"M"}, Do: do(func(a *App) { a.show(a.log()) })},
		{ID: "follow", Name: "follow others: on or off", Keys: []string{"W"}, Do: func(a *App, _ int) tea.Cmd { return a.toggleFollow() }},
		{ID: "theme", Name: "theme…", Do: do(func(a *App) { a.show(a.themes()) })},
		{ID: "settings", Name: "settings: edit config.toml…", Do: func(a *App, _ int) tea.Cmd { return a.editSettings() }},
		{ID: "redact-text", Writes: true, Name: "redact a text…", Do: ask(screen.Redact{})},
		{ID: "store.sync", Name: "sync with folder and git", Do: func(a *App, _ int) tea.Cmd { return a.sync() }},
		{ID: "suspend", Name: "suspend", Keys: []string{"ctrl+z"}, Do: func(a *App, _ int) tea.Cmd { return tea.Sequence(a.editing.Flush(), suspend) }},
		{ID: "help", Name: "help", Keys: []string{"?", "f1"}, Do: do(func(a *App) { a.show(a.help()) })},
	}, trustKeys())))
}

// whileDeciding are the actions of the root that a decision does not wait for: they open no screen and
// no pane, and change nothing that is decided.
var whileDeciding = []string{"palette", "help", "messages", "theme", "suspend", "quit", "zoom"}

// guarded disables all other actions while a screen asks for a decision.
func guarded(actions []keys.Action[*App]) []keys.Action[*App] {
	for i := range actions {
		if slices.Contains(whileDeciding, actions[i].ID) {
			continue
		}
		why := actions[i].Why
		actions[i].Why = func(a *App) string {
			if deciding := a.screens.deciding(); deciding != "" || why == nil {
				return deciding
			}
			return why(a)
		}
	}
	return actions
}

// borderDisabled returns why a pane can't be resized.
func (a *App) borderDisabled() string {
	if !a.frame.Movable() || len(a.screens) > 0 {
		return "one pane takes all the room"
	}
	return ""
}

func (a *App) quit() tea.Cmd {
	then := func() tea.Cmd {
		return a.editing.Leaving("quit", func() tea.Cmd {
			return a.leavingAgents(func() tea.Cmd { return a.out.Do(screen.Terminal{Do: tea.Quit}) })
		})
	}
	for _, p := range a.screens {
		if text, ok := p.(*textscreen.Pane); ok {
			return text.Leaving("quit", then)
		}
	}
	return then()
}

// AllActions lists every action of the program once, with its keys from bindings or the default
// ones.
func AllActions(bindings keys.Bindings) (out []keys.Entry) {
	listed := map[string]bool{}
	for _, e := range ofAllMaps(bindings) {
		if !listed[e.ID] {
			listed[e.ID] = true
			out = append(out, e)
		}
	}
	return out
}

// CheckKeys returns the problems with bindings.
func CheckKeys(bindings keys.Bindings) []keys.Problem {
	return keys.Check(bindings, ofAllMaps(bindings))
}

// ofAllMaps lists the actions of every map. An action that several maps share appears several
// times.
func ofAllMaps(bindings keys.Bindings) []keys.Entry {
	out := globalKeys(bindings).All()
	for _, r := range registered() {
		if r.keys != nil {
			out = slices.Concat(out, r.keys(bindings))
		}
	}
	return out
}
