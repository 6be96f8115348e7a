package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/agents"
	"github.com/memend/memend/ui/compare"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/history"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/memory"
	"github.com/memend/memend/ui/merge"
	"github.com/memend/memend/ui/plan"
	"github.com/memend/memend/ui/redact"
	"github.com/memend/memend/ui/request"
	"github.com/memend/memend/ui/review"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/search"
	"github.com/memend/memend/ui/stores"
	"github.com/memend/memend/ui/timeline"
	"github.com/memend/memend/ui/trace"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/versions"
)

// registration describes a screen to the root: its keys, the function that opens it for a
// request, and the root's action that sends the request. What the screen decides, and whether
// it stays, is up to the screen (screen.Decider).
type registration struct {
	area   area
	keys   func(keys.Bindings) []keys.Entry
	open   func(*App, tea.Msg) screen.Pane // nil if another part handles the request
	action keys.Action[*App]               // none if its ID is empty
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
		{area{"the tree", "next-pane"}, tree.Keys, nil, none},
		{area{"the memory", "next-pane"}, memory.Keys, nil, none},
		{area{"the editor", ""}, editor.Keys, nil, none},
		{area{"the history", "history"}, history.Keys, nil, none},
		{area{"the agents", "agents"}, agents.Keys, nil, none},
		{area{"the timeline", "timeline"}, timeline.Keys, opens(func(a *App, req request.Timeline) screen.Pane {
			return timeline.New(a.env(), a.cfg.Store, req.Change, a.memory.Path())
		}), asks("timeline", "timeline", request.Timeline{}, nil, "t")},
		{area{}, nil, opens(func(a *App, _ screen.FindMemory) screen.Pane { return a.searching(search.Names, "", memfs.Root) }),
			asks("find-memory", "find", screen.FindMemory{}, nil, "ctrl+p")},
		{area{"the search", "search"}, search.Keys, opens(func(a *App, req screen.Search) screen.Pane { return a.searching(search.Memories, req.Text, req.In) }),
			asks("search", "search", screen.Search{}, nil, "ctrl+g", "g /")},
		{area{"the review", "review"}, review.Keys, opens(func(a *App, req request.Queue) screen.Pane { return a.queue(req.Number) }),
			asks("review", "review queue", request.Queue{}, nil, "!").As("queue")},
		{area{"the trace", "trace"}, trace.Keys, opens(func(a *App, req request.Trace) screen.Pane {
			return trace.New(a.env(), trace.Config{Trail: a.cfg.Trail, Store: a.cfg.Store, ID: a.info.ID, Prompt: a.cfg.prompt, From: req, ReadOnly: a.cfg.ReadOnly})
		}), keys.Action[*App]{ID: "trace", Name: "trace: where it comes from", Keys: []string{"T"}, Why: func(a *App) string { _, why := a.traced(); return why },
			Do: func(a *App, _ int) tea.Cmd { from, _ := a.traced(); return a.out.Ask(from) }}.As("trace")},
		{area{"the stores", "stores"}, stores.Keys, opens(func(a *App, _ screen.Stores) screen.Pane { return a.storeList() }),
			asks("stores", "stores", screen.Stores{}, onlyStore, "@")},
		{area{}, nil, opens(func(a *App, _ screen.Discover) screen.Pane { return behind(a, (*stores.Pane).Discovery) }),
			asks("discover", "find memories of other tools…", screen.Discover{}, onlyStore)},
		{area{}, nil, opens(func(a *App, _ screen.Connect) screen.Pane { return behind(a, (*stores.Pane).Connecting) }),
			asks("connect", "connect a hosted store…", screen.Connect{}, onlyStore)},
		{area{"a plan", ""}, plan.Keys, nil, none},
		{area{"a redaction", ""}, redact.Keys, nil, none},
		{area{"a comparison", ""}, compare.Keys, nil, none},
		{area{"a merge", ""}, merge.Keys, nil, none},
	}
}

// none is the empty action.
var none keys.Action[*App]

// asks returns an action of the root that sends a request.
func asks(id, name string, request tea.Msg, why func(*App) string, seqs ...string) keys.Action[*App] {
	return keys.Action[*App]{ID: id, Name: name, Keys: seqs, Why: why, Do: func(a *App, _ int) tea.Cmd { return a.out.Ask(request) }}
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

// opens adapts a function that opens a screen for requests of one type.
func opens[R tea.Msg](open func(*App, R) screen.Pane) func(*App, tea.Msg) screen.Pane {
	return func(a *App, msg tea.Msg) screen.Pane {
		if req, ok := msg.(R); ok {
			return open(a, req)
		}
		return nil
	}
}

// opened returns the screen that a request opens, or nil.
func (a *App) opened(request tea.Msg) screen.Pane {
	for _, r := range registered() {
		if r.open == nil {
			continue
		}
		if p := r.open(a, request); p != nil {
			return p
		}
	}
	return nil
}

// queue returns the review queue, at a held change. One that is open already is closed, unless a decision in
// front of it keeps the new one from being opened.
func (a *App) queue(number int64) screen.Pane {
	for _, p := range slices.Clone(a.screens) {
		if old, ok := p.(*review.Pane); ok && a.screens.deciding() == "" {
			a.screens.drop(old)
		}
	}
	a.notices.Opened()
	return review.New(a.env(), review.Config{Store: a.cfg.Store, Tree: a.tree, By: a.cfg.By, Prompt: a.cfg.prompt, ReadOnly: a.cfg.ReadOnly, Number: number})
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
	a.out.Ask(screen.Show{Pane: front(list)})
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
