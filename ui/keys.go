package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/agents"
	"github.com/memend/memend/ui/compare"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/history"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/memory"
	"github.com/memend/memend/ui/merge"
	"github.com/memend/memend/ui/plan"
	"github.com/memend/memend/ui/redact"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/search"
	"github.com/memend/memend/ui/setup"
	"github.com/memend/memend/ui/stores"
	"github.com/memend/memend/ui/timeline"
	"github.com/memend/memend/ui/tree"
)

// globalKeys work in every pane that does not take text.
func globalKeys(own keys.Bindings) *keys.Map[*App] {
	do := func(f func(*App)) func(*App, int) tea.Cmd {
		return func(a *App, _ int) tea.Cmd { f(a); return nil }
	}
	grow := func(id, name, key string, cols, rows int) keys.Action[*App] {
		return keys.Action[*App]{ID: id, Name: name, Keys: []string{key}, Why: (*App).whyNoBorder, Do: func(a *App, n int) tea.Cmd {
			n = min(max(n, 1), 100)
			return a.grow(n*cols, n*rows)
		}}
	}
	return keys.New("global", own, []keys.Action[*App]{
		{ID: "undo", Writes: true, Name: "undo", Keys: []string{"u"}, Why: (*App).whyDeciding, Do: func(a *App, _ int) tea.Cmd { return a.undo(0) }},
		{ID: "history", Name: "history", Keys: []string{"H"}, Do: func(a *App, _ int) tea.Cmd { return a.toggleHistory() }},
		{ID: "agents", Name: "agents", Keys: []string{"A"}, Do: func(a *App, _ int) tea.Cmd { return a.toggleAgents() }},
		{ID: "timeline", Name: "timeline", Keys: []string{"t"}, Do: func(a *App, _ int) tea.Cmd { return a.out.Ask(screen.Scrub{}) }},
		{ID: "find-memory", Name: "find", Keys: []string{"ctrl+p"}, Do: func(a *App, _ int) tea.Cmd { return a.find() }},
		{ID: "search", Name: "search", Keys: []string{"ctrl+g", "g /"}, Do: func(a *App, _ int) tea.Cmd { return a.out.Ask(screen.Search{}) }},
		{ID: "stores", Name: "stores", Keys: []string{"@"}, Do: func(a *App, _ int) tea.Cmd { return a.showStores() }, Why: (*App).whyNoStores},
		{ID: "discover", Name: "find memories of other tools…", Do: func(a *App, _ int) tea.Cmd { return a.discover() }, Why: (*App).whyNoStores},
		{ID: "connect", Name: "connect a hosted store…", Do: func(a *App, _ int) tea.Cmd { return a.connect() }, Why: (*App).whyNoStores},
		{ID: "palette", Name: "all actions", Keys: []string{"ctrl+k", ":"}, Do: do(func(a *App) { a.show(a.palette()) })},
		{ID: "next-pane", Name: "next pane", Keys: []string{"tab"}, Do: do(func(a *App) { a.cycle(1) })},
		{ID: "previous-pane", Name: "last pane", Keys: []string{"shift+tab"}, Do: do(func(a *App) { a.cycle(-1) }), Hide: true},
		{ID: "zoom", Name: "zoom", Keys: []string{"z"}, Do: do(func(a *App) { a.zoomed = !a.zoomed; a.resize() })},
		grow("wider", "wider", "ctrl+w >", 4, 0), grow("narrower", "narrower", "ctrl+w <", -4, 0),
		grow("taller", "taller", "ctrl+w +", 0, 2), grow("shorter", "shorter", "ctrl+w -", 0, -2),
		{ID: "even", Name: "reset pane sizes", Keys: []string{"ctrl+w ="}, Do: func(a *App, _ int) tea.Cmd { return a.setRatios(ratios{}) }},
		{ID: "quit", Name: "quit", Keys: []string{"q", "ctrl+c"}, Do: func(a *App, _ int) tea.Cmd { return a.quit() }},
		{ID: "redo", Writes: true, Name: "redo", Keys: []string{"ctrl+r"}, Why: (*App).whyDeciding, Do: func(a *App, _ int) tea.Cmd { return a.redo(0) }},
		{ID: "messages", Name: "messages", Keys: []string{"M"}, Do: do(func(a *App) { a.show(a.log()) })},
		{ID: "follow", Name: "toggle following", Keys: []string{"W"}, Do: func(a *App, _ int) tea.Cmd { return a.toggleFollow() }},
		{ID: "theme", Name: "theme…", Do: do(func(a *App) { a.show(a.themes()) })},
		{ID: "mouse", Name: "toggle mouse", Do: func(a *App, _ int) tea.Cmd { return a.toggleMouse() }},
		{ID: "redact-text", Writes: true, Name: "redact a text…", Why: (*App).whyDeciding, Do: func(a *App, _ int) tea.Cmd { return a.out.Ask(screen.Redact{}) }},
		{ID: "sync", Name: "look for changes", Keys: []string{"f5"}, Do: func(a *App, _ int) tea.Cmd {
			return tea.Batch(a.look(), a.reload())
		}},
		{ID: "suspend", Name: "suspend", Keys: []string{"ctrl+z"}, Do: func(a *App, _ int) tea.Cmd { return tea.Sequence(a.flushDraft(), suspend) }},
		{ID: "help", Name: "help", Keys: []string{"?", "f1"}, Do: do(func(a *App) { a.show(a.help()) })},
	})
}

// typingActions are the actions of the root that work where keys are text, with those of
// their keys that type nothing.
func (a *App) typingActions() (out []keys.Entry) {
	for _, e := range a.everywhere() {
		if e.ID != "global.palette" && e.ID != "global.help" {
			continue
		}
		e.Keys = slices.DeleteFunc(slices.Clone(e.Keys), keys.Types)
		out = append(out, e)
	}
	return out
}

// entries are all actions that can be named where the person is: those of the
// pane in front, then those that work everywhere.
func (a *App) entries() []keys.Entry {
	out := a.entriesOf(a.front())
	if !a.front().TakesText() {
		out = append(out, a.everywhere()...)
	}
	return out
}

// Keys lists every action of the program with its keys, those of own instead of
// the usual ones.
func Keys(own keys.Bindings) []keys.Entry {
	return slices.Concat(
		globalKeys(own).All(), tree.Keys(own), stores.Keys(own), memory.Keys(own),
		editor.Keys(own), history.Keys(own), agents.Keys(own), setup.Keys(own), plan.Keys(own), redact.Keys(own), timeline.Keys(own), compare.Keys(own), search.Keys(own), merge.Keys(own),
	)
}
