package history

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/keys"
	lists "github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/versions"
)

// historyKeys returns the keys of the list, those first that hints show first. In the diff they
// act on the row under the cursor, except for restore.
func historyKeys(own keys.Bindings) *keys.Map[*Pane] {
	fold := func(on bool) func(*Pane) tea.Cmd {
		return func(p *Pane) tea.Cmd { p.all.foldAll(on, p.Page()); return p.Moved() }
	}
	ask := func(what func(it item) screen.Request) func(*Pane) tea.Cmd { // about the selected item
		return func(p *Pane) tea.Cmd {
			it, _ := p.list().item()
			return p.env.Do(what(it))
		}
	}
	return keys.New("history", own, append([]keys.Action[*Pane]{
		keys.Act("list.open", "view diff", (*Pane).enter, nil).As("look"),
		keys.Act("list.choose", "choose, to compare or act on", (*Pane).choose, (*Pane).rowDisabled).As("choose"),
		keys.Act("change.restore", "restore as of here or a hunk", (*Pane).restore, (*Pane).restoreDisabled).As("restore").While(func(p *Pane) bool { return p.InDetail }, "restore this hunk").Writing(),
		keys.Act("change.undo", "undo this change, or redo it", (*Pane).undo, (*Pane).changeDisabled).As("undo it").While((*Pane).isUndone, "redo it").Writing(),
		keys.Act("everyone", "this memory, or all changes", (*Pane).toggleAll, (*Pane).otherDisabled, "c").As("all changes").While(func(p *Pane) bool { return p.showsAll }, "this memory"),
		keys.Act("list.filter", "", (*Pane).typeFilter, nil),
		keys.Act("change.undo-session", "", ask(func(it item) screen.Request { _, s := it.by(); return screen.UndoSession{Session: s} }), (*Pane).sessionDisabled).As("undo session").Writing(),
		keys.Act("change.open", "", (*Pane).openMemory, (*Pane).textDisabled).As("open"),
		keys.Act("change.timeline", "", ask(func(it item) screen.Request { return screen.Timeline{Change: it.inChange()} }), (*Pane).rowDisabled).As("timeline"),
		keys.Act("change.blame", "", (*Pane).blame, (*Pane).textDisabled).As("blame"),
		keys.Act("change.redact", "redact this or what is chosen", (*Pane).redact, (*Pane).redactDisabled).As("redact").Writing(),
		keys.Act("copy.text", "", (*Pane).copyContent, (*Pane).textDisabled),
		keys.Act("copy.diff", "", (*Pane).copyDiff, (*Pane).diffDisabled),
		keys.Act("copy.path", "", (*Pane).copyPath, (*Pane).redactDisabled),
		keys.Act("copy.id", "", (*Pane).copyVersion, (*Pane).versionsDisabled),
		keys.Act("pane.back", "", (*Pane).back, nil),
		keys.Act("list.range", "", (*Pane).chooseRange, (*Pane).rowDisabled),
		keys.Act("history.only-new", "only what is new, or all", (*Pane).toggleNew, nil, ",").As("only new").While(func(p *Pane) bool { return p.query.onlyNew }, "old too"),
		keys.Act("change.reviewed", "keep", (*Pane).markReviewed, (*Pane).newDisabled),
		keys.Act("list.fold-all", "fold all sessions", fold(true), (*Pane).foldDisabled).As("fold all"),
		keys.Act("list.unfold-all", "unfold all sessions", fold(false), (*Pane).foldDisabled).As("unfold all"),
		{ID: "list.range-down", Hide: true, Do: func(p *Pane, n int) tea.Cmd { return p.extend(max(n, 1)) }},
		{ID: "list.range-up", Hide: true, Do: func(p *Pane, n int) tea.Cmd { return p.extend(-max(n, 1)) }},
		{ID: "list.in", Name: "to the diff", Hide: true, Do: func(p *Pane, _ int) tea.Cmd { return p.toDiff() }},
	}, lists.Moves((*Pane).moveBy, (*Pane).Page)...))
}

func (p *Pane) otherDisabled() string {
	if p.showsAll && p.memory == "" {
		return "no memory is open"
	}
	return ""
}

func (p *Pane) rowDisabled() string {
	if _, ok := p.list().current(); !ok {
		return "nothing is listed"
	}
	return ""
}

func (p *Pane) changeDisabled() string {
	if p.chosen.several(p.list()) {
		return ""
	}
	if r, ok := p.list().current(); ok && r.kind == headRow {
		return "choose one of the changes, or undo all of the session"
	}
	if p.found() {
		return "it was there when the history began"
	}
	return p.rowDisabled()
}

// found reports whether the selected change only recorded what was there: what was before is not known, so it can't be undone.
func (p *Pane) found() bool {
	it, ok := p.list().item()
	v, is := p.list().version()
	return ok && it.change != nil && it.change.Effect.Found > 0 || is && v.Found
}

func (p *Pane) versionDisabled() string {
	if why := p.rowDisabled(); why != "" {
		return why
	}
	if _, ok := p.list().version(); ok {
		return ""
	}
	l := p.list()
	r, _ := l.current()
	switch {
	case r.heads():
		return "choose one of the changes"
	case l.items[r.at].change.Versions > 1:
		return "the change is of several memories: " + p.keys.Hint("list.open") + " lists them"
	}
	return "the change is still being read"
}

// textDisabled is for actions that need the content or the path of a version.
func (p *Pane) textDisabled() string {
	v, ok := p.list().version()
	switch {
	case ok && v.Lost():
		return "the version is lost to damage"
	case ok && !v.Redacted.IsZero():
		return "the version was redacted"
	}
	return p.versionDisabled()
}

// versionsDisabled is for actions that need a version: the selected one, or everything chosen.
func (p *Pane) versionsDisabled() string {
	if p.chosen.several(p.list()) {
		return p.selectionDisabled()
	}
	return p.versionDisabled()
}

// redactDisabled is for actions that need versions with content to redact.
func (p *Pane) redactDisabled() string {
	if !p.chosen.several(p.list()) {
		return p.textDisabled()
	}
	for _, v := range p.chosen.all(p.list()) {
		if v != nil && !v.Redacted.IsZero() {
			return "a chosen version was redacted"
		}
	}
	return p.selectionDisabled()
}

func (p *Pane) restoreDisabled() string {
	if p.InDetail {
		return p.hunkDisabled()
	}
	return cmp.Or(p.singleDisabled(), p.rowDisabled())
}

func (p *Pane) sessionDisabled() string {
	if why := p.rowDisabled(); why != "" {
		return why
	}
	it, _ := p.list().item()
	if _, s := it.by(); s == "" {
		return "it belongs to no session"
	}
	return ""
}

func (p *Pane) foldDisabled() string {
	if !p.showsAll {
		return p.keys.Hint("everyone") + " lists all changes, by session"
	}
	return ""
}

// Keys lists the actions of the history with their keys, including those of its diff.
func Keys(own keys.Bindings) []keys.Entry {
	return slices.Concat(historyKeys(own).All(), filter.Keys(own), diffview.Keys(own))
}

// Press handles a sequence of keys.
func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	defer p.Resize()
	return split.Press(p.Split, p, p.keys, seq, n)
}

// Entries returns the actions that are available now.
func (p *Pane) Entries() []keys.Entry {
	if p.typed.On() {
		return p.typed.Entries()
	}
	out := p.Split.Entries(p.keys.Entries(p))
	if p.InDetail {
		first := func(e keys.Entry) bool { return slices.Contains(firstInDiff, e.ID) }
		out = slices.Concat(slices.DeleteFunc(slices.Clone(out), func(e keys.Entry) bool { return !first(e) }), slices.DeleteFunc(out, first))
	}
	return out
}

// firstInDiff are the actions whose hints come first in the diff.
var firstInDiff = []string{"change.restore", "list.next", "list.range", "diff.side-by-side"}

// TakesText reports whether a filter is being typed.
func (p *Pane) TakesText() bool { return p.typed.On() }

// Cursor returns the place of the cursor while the filter is typed.
func (p *Pane) Cursor() (x, y int, ok bool) {
	return p.typed.Cursor(draw.At(0, 0, p.W, p.RowsAbove()), p.env.Theme)
}

// Session returns the session of the selected row, or "" if there is none, or if it is a person's.
func (p *Pane) Session() versions.SessionID {
	it, ok := p.list().item()
	if !ok {
		return ""
	}
	who, session := it.by()
	if who.Kind == versions.Person {
		return ""
	}
	return session
}
