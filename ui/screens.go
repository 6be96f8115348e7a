package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/agents"
	"github.com/memend/memend/ui/compare"
	"github.com/memend/memend/ui/conversation"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/history"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/memory"
	"github.com/memend/memend/ui/merge"
	"github.com/memend/memend/ui/plan"
	"github.com/memend/memend/ui/redact"
	"github.com/memend/memend/ui/review"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/search"
	"github.com/memend/memend/ui/stores"
	"github.com/memend/memend/ui/timeline"
	"github.com/memend/memend/ui/trace"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/versions"
)

// registration describes a screen to the root: its keys, and the root's action that opens it.
// What the screen decides, and whether it stays, is up to the screen (screen.Decider).
type registration struct {
	area   area
	keys   func(keys.Bindings) []keys.Entry
	action keys.Action[*App] // none if its ID is empty
}

// area is where actions work. The name is empty if the actions belong to another area.
type area struct {
	name   string // "the history"
	opener string // the root's action that opens it or moves the focus there; empty if there is none
}

// registered returns the panes and screens of the program, in the order in which their actions
// and keys are listed. A new screen is a package and a line here.
func registered() []registration {
	onlyStore := (*App).storesDisabled
	return []registration{
		{area{"the tree", "next-pane"}, tree.Keys, none},
		{area{"the memory", "next-pane"}, memory.Keys, none},
		{area{"the editor", ""}, editor.Keys, none},
		{area{"the history", "history"}, history.Keys, none},
		{area{"the agents", "agents"}, agents.Keys, none},
		{area{"the timeline", "timeline"}, timeline.Keys, asks("timeline", "timeline", screen.Timeline{}, "t")},
		{area{}, nil, opens("find-memory", "find", func(a *App) screen.Pane { return a.searching(search.Names, "", memfs.Root) }, nil, "ctrl+p")},
		{area{"the search", "search"}, search.Keys, asks("search", "search", screen.Search{}, "ctrl+g", "g /")},
		{area{"the review", "review"}, review.Keys, asks("review", "review queue", screen.Queue{}, "!").As("queue")},
		{area{"the trace", "trace"}, trace.Keys, keys.Action[*App]{ID: "trace", Name: "trace: where it comes from", Keys: []string{"T"}, Why: func(a *App) string { _, why := a.traced(); return why },
			Do: func(a *App, _ int) tea.Cmd { from, _ := a.traced(); return a.out.Do(from) }}.As("trace")},
		{area{"the stores", "stores"}, stores.Keys, opens("stores", "stores", func(a *App) screen.Pane { return a.storeList() }, onlyStore, "@")},
		{area{}, nil, opens("discover", "find memories of other tools…", func(a *App) screen.Pane { return behind(a, (*stores.Pane).Discovery) }, onlyStore)},
		{area{}, nil, opens("connect", "connect a hosted store…", func(a *App) screen.Pane { return behind(a, (*stores.Pane).Connecting) }, onlyStore)},
		{area{"a conversation", ""}, conversation.Keys, none},
		{area{"a plan", ""}, plan.Keys, none},
		{area{"a redaction", ""}, redact.Keys, none},
		{area{"a comparison", ""}, compare.Keys, none},
		{area{"a merge", ""}, merge.Keys, none},
	}
}

// none is the empty action.
var none keys.Action[*App]

// opens returns an action of the root that opens a screen.
func opens(id, name string, open func(*App) screen.Pane, why func(*App) string, seqs ...string) keys.Action[*App] {
	return keys.Action[*App]{ID: id, Name: name, Keys: seqs, Why: why, Do: func(a *App, _ int) tea.Cmd { return a.openScreen(open(a)) }}
}

// asks returns an action of the root that sends a request, which panes may send too.
func asks(id, name string, request screen.Request, seqs ...string) keys.Action[*App] {
	return keys.Action[*App]{ID: id, Name: name, Keys: seqs, Do: func(a *App, _ int) tea.Cmd { return a.out.Do(request) }}
}

// openers returns the actions that open screens.
func openers() (out []keys.Action[*App]) {
	for _, r := range registered() {
		if r.action.ID != "" {
			out = append(out, r.action)
		}
	}
	return out
}

// openScreen shows a screen, unless the one in front asks for a decision: keys on the new one could change what is decided.
func (a *App) openScreen(p screen.Pane) tea.Cmd {
	if why := a.screens.deciding(); why != "" {
		return a.say(why, true)
	}
	return a.push(p)
}

// queue returns the review queue, at a held change or a memory. One that is open already is closed, unless a decision in
// front of it keeps the new one from being opened.
func (a *App) queue(at screen.Queue) screen.Pane {
	for _, p := range slices.Clone(a.screens) {
		if old, ok := p.(*review.Pane); ok && a.screens.deciding() == "" {
			a.screens.drop(old)
		}
	}
	a.notices.Opened()
	return review.New(a.env(), review.Config{Store: a.cfg.Store, Tree: &a.tree.Review, By: a.cfg.By, Prompt: a.cfg.prompt, ReadOnly: a.cfg.ReadOnly, At: at, Before: a.cfg.before})
}

// queueShown reports whether the review queue is the screen in front.
func (a *App) queueShown() bool {
	if len(a.screens) == 0 {
		return false
	}
	_, shown := a.screens[len(a.screens)-1].(*review.Pane)
	return shown
}

func (a *App) storeList() *stores.Pane {
	list := stores.New(a.env(), a.cfg.Stores, a.info.ID, a.cfg.ReadOnly)
	list.SetNote(func() string { return policyNote(a.live, a.keys) })
	return list
}

// behind opens a screen in front of the list of stores; leaving it returns to the list.
func behind[P screen.Pane](a *App, front func(*stores.Pane) P) screen.Pane {
	list := a.storeList()
	a.out.Do(screen.Show{Pane: front(list)})
	return list
}

// searching returns the screen that searches all memories, or their names.
func (a *App) searching(scope search.Scope, text string, in memfs.Path) screen.Pane {
	var entries []versions.Entry
	if d := a.tree.Data(); d != nil {
		entries = d.Present()
	}
	p := search.New(a.env(), a.cfg.Store, a.cfg.By, scope, text, in, entries)
	if a.cfg.Stores != nil {
		p.SetHome(a.cfg.Stores)
	}
	return p
}
