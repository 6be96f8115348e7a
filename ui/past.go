package ui

import (
	"bytes"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/history"
	"github.com/memend/memend/ui/merge"
	"github.com/memend/memend/ui/plan"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/search"
	"github.com/memend/memend/ui/timeline"
	"github.com/memend/memend/versions"
)

// Ways into the past: the history, the time line, the search, and the merge of
// what a plan can't decide.

// openHistory gives the history a place, if it has none, and the keys.
func (a *App) openHistory() tea.Cmd {
	a.uncover()
	if a.history == nil {
		a.history = history.New(a.env(), a.cfg.Store, a.cfg.By)
		a.history.SetNow(a.now)
		a.history.SetWrap(!a.cfg.NoWrap)
	}
	a.setFocus(slotHistory)
	return a.tellLooks()
}

// tellLooks tells the open memory and the history what is reviewed by now.
func (a *App) tellLooks() tea.Cmd {
	review := a.memory.UpdateReview()
	if a.history == nil {
		return review
	}
	return tea.Batch(review, a.history.SetLooks(a.tree.Looks()))
}

// versionFoundMsg brings a version that was asked for by its id.
type versionFoundMsg struct {
	version versions.Version
	err     error
}

// showVersions shows the versions of a memory, at the one that is named.
func (a *App) showVersions(req screen.History) tea.Cmd {
	if req.Version == "" {
		looks := a.openHistory()
		return tea.Batch(looks, a.history.ShowMemory(req.Memory, req.Path))
	}
	ctx, store, id := a.ctx, a.cfg.Store, req.Version
	return func() tea.Msg {
		v, err := store.Version(ctx, id)
		return versionFoundMsg{v, err}
	}
}

func (a *App) versionFound(msg versionFoundMsg) tea.Cmd {
	if msg.err != nil {
		return a.say("history: "+why(msg.err), true)
	}
	looks := a.openHistory()
	return tea.Batch(looks, a.history.ShowVersion(msg.version.Memory, msg.version.Path, msg.version.Number))
}

func (a *App) showChange(n int64) tea.Cmd {
	looks := a.openHistory()
	return tea.Batch(looks, a.history.ShowChange(n))
}

// scrub shows the time line of the store at a change.
func (a *App) scrub(change int64) tea.Cmd {
	p := timeline.New(a.env(), a.cfg.Store, change, a.memory.Path())
	a.push(p)
	return p.Start()
}

// search shows the screen that searches all memories, and find the same for their
// names.
func (a *App) search(req screen.Search) tea.Cmd {
	return a.searchIn(search.Memories, req.Text, req.In)
}

func (a *App) find() tea.Cmd { return a.searchIn(search.Names, "", memfs.Root) }

func (a *App) searchIn(scope search.Scope, text string, in memfs.Path) tea.Cmd {
	var entries []versions.Entry
	if d := a.tree.Data(); d != nil {
		entries = d.Entries
	}
	p := search.New(a.env(), a.cfg.Store, a.cfg.By, scope, text, in, entries)
	a.push(p)
	return p.Start()
}

// planMergedMsg brings what somebody made of a conflict of a plan.
type planMergedMsg struct {
	pane   *merge.Pane
	result []byte
	req    plan.Merge
}

// mergePlanned has a conflict of a plan merged by hand. What stands now is one
// side, what was there before the other.
func (a *App) mergePlanned(req plan.Merge) tea.Cmd {
	var base, now, before [][]byte
	for _, r := range req.Item.Merge.Regions {
		base, now, before = append(base, r.Base), append(now, r.Ours), append(before, r.Theirs)
	}
	in := merge.Input{
		Path: req.Item.Now.Path, Clip: a.clip,
		Theirs: bytes.Join(now, nil), TheirsName: "as it is now",
		Mine: bytes.Join(before, nil), MineName: "as it was before",
		Base: bytes.Join(base, nil),
	}
	env := a.env()
	return func() tea.Msg {
		var p *merge.Pane
		p = merge.New(env, in, func(result []byte) tea.Msg { return planMergedMsg{p, result, req} })
		return screen.Show{Pane: p}
	}
}

func (a *App) planMerged(msg planMergedMsg) tea.Cmd {
	a.drop(msg.pane)
	return a.out.Ask(msg.req.Done(msg.result))
}
