package tree

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	typing "github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
)

// Keys lists the actions of the tree with their keys.
func Keys(bindings keys.Bindings) []keys.Entry {
	return append(actions(bindings).All(), typing.Keys(bindings)...)
}

func actions(bindings keys.Bindings) *keys.Map[*Pane] {
	do := func(f func(*Pane)) func(*Pane, int) tea.Cmd {
		return func(t *Pane, _ int) tea.Cmd { f(t); return nil }
	}
	ask := func(f func(*Pane) screen.Request) func(*Pane, int) tea.Cmd {
		return func(t *Pane, _ int) tea.Cmd { return t.env.Do(f(t)) }
	}
	return keys.New("tree", bindings, append([]keys.Action[*Pane]{
		{ID: "list.open", Do: (*Pane).enter, Why: anyPath},
		{ID: "list.new", Writes: true, Name: "new", Do: ask(func(t *Pane) screen.Request { return screen.NewMemory{Folder: t.folderHere()} })},
		{ID: "list.filter", Do: (*Pane).startFilter, Why: anyEntry},
		{ID: "delete", Writes: true, Name: "delete", Keys: []string{"d", "delete"}, Do: ask(func(t *Pane) screen.Request { return screen.Delete{Paths: t.Chosen.targets()} }), Why: present},
		{ID: "list.choose", Do: (*Pane).choose, Why: present},
		{ID: "list.rename", Writes: true, Do: ask(func(t *Pane) screen.Request { return screen.Rename{Path: t.Here()} }), Why: present},
		{ID: "move", Writes: true, Name: "move to a folder", Keys: []string{"m"}, Do: ask(func(t *Pane) screen.Request {
			paths := t.Chosen.targets()
			return screen.Move{Paths: paths, Folder: paths[0].Dir()}
		}), Why: present},
		{ID: "transfer", Writes: true, Name: "to another store", Keys: []string{"Y"}, Do: ask(func(t *Pane) screen.Request { return screen.Transfer{Paths: t.Chosen.targets()} }), Why: present},
		{ID: "sort", Name: "sort", Keys: []string{"s"}, Do: reorder(func(o *order) { o.by = (o.by + 1) % sortings })},
		{ID: "columns", Name: "columns: age, or attention", Short: "columns", Keys: []string{"c"}, Do: (*Pane).toggleColumns},
		{ID: "list.next", Name: "next changed", Do: func(t *Pane, _ int) tea.Cmd { return t.stepChanged(1) }},
		{ID: "list.previous", Name: "previous changed", Do: func(t *Pane, _ int) tea.Cmd { return t.stepChanged(-1) }},
		{ID: "change.reviewed", Short: "keep", Do: (*Pane).markReviewed, Why: anyRow},
		{ID: "change.reviewed-all", Do: ask(func(*Pane) screen.Request { return screen.MarkAllReviewed{} }), Why: anyEntry},
		{ID: "list.range", Do: do(func(t *Pane) {
			if t.ranging {
				t.Chosen.addRange()
			} else {
				t.extend(0)
			}
		}), Why: present},
		{ID: "list.choose-all", Name: "choose all shown", Do: do(func(t *Pane) { t.Chosen.addAll() }), Why: anyEntry},
		{ID: "list.range-down", Do: func(t *Pane, n int) tea.Cmd { t.extend(max(n, 1)); return nil }, Why: anyRow, Hide: true},
		{ID: "list.range-up", Do: func(t *Pane, n int) tea.Cmd { t.extend(-max(n, 1)); return nil }, Why: anyRow, Hide: true},
		{ID: "list.fold-all", Do: do(func(t *Pane) { t.foldAll(false) })},
		{ID: "list.unfold-all", Do: do(func(t *Pane) { t.foldAll(true) })},
		keys.Action[*Pane]{ID: "flat", Name: "tree, or list", Short: "list", Keys: []string{"`"}, Do: reorder(func(o *order) { o.flat = !o.flat })}.While(func(t *Pane) bool { return t.order.flat }, "tree"),
		{ID: "only-changed", Name: "only changed", Keys: []string{"f"}, Do: filterTo("is:changed"), Why: anyEntry},
		{ID: "duplicate", Writes: true, Name: "duplicate", Keys: []string{"C"}, Do: ask(func(t *Pane) screen.Request {
			return screen.Duplicate{Path: t.Here(), Version: t.current().entry.Version}
		}), Why: oneMemory},
		{ID: "compare", Name: "compare two memories", Short: "compare", Keys: []string{"D"}, Do: ask(func(t *Pane) screen.Request {
			pair, _ := t.Chosen.pair()
			return screen.Compare{From: pair[0], To: pair[1]}
		}), Why: twoMemories},
		{ID: "change.edit", Writes: true, Do: ask(func(t *Pane) screen.Request { return screen.Edit{Path: t.Here(), Line: 1} }), Why: oneMemory},
		{ID: "change.restore", Writes: true, Name: "restore as of a moment", Do: (*Pane).restoreAt, Why: anyPath},
		{ID: "change.undo-session", Writes: true, Short: "undo session", Do: ask(func(t *Pane) screen.Request { return screen.UndoSessionOf{Version: t.current().entry.Version} }), Why: oneVersion},
		{ID: "copy.path", Do: (*Pane).copyPaths, Why: anyPath},
		{ID: "copy.text", Do: (*Pane).copyContent, Why: oneMemory},
		{ID: "change.redact", Writes: true, Do: ask(func(t *Pane) screen.Request { return screen.Redact{Memory: t.current().entry.Memory, Path: t.Here()} }), Why: oneMemory},
		{ID: "pane.back", Name: "clear selection and filter", Do: (*Pane).escape},

		{ID: "list.in", Name: "unfold, or open", Do: (*Pane).in, Why: anyPath, Hide: true},
		{ID: "list.out", Name: "fold, or up", Do: (*Pane).out, Why: anyRow, Hide: true},
	}, list.Moves(func(t *Pane, by int) tea.Cmd { t.move(by); return nil }, func(t *Pane) int { return t.page() })...))
}

// Entries returns the actions of the tree, or of the filter while it is typed. On what is to be
// reviewed those of the review come after opening, which stays first.
func (t *Pane) Entries() []keys.Entry {
	if t.TakesText() {
		return t.filter.input.Entries()
	}
	all := t.keys.Entries(t)
	if n := t.current(); n == nil || !t.Review.hasUnreviewed(n) {
		return all
	}
	other := func(e keys.Entry) bool { return e.ID != "change.reviewed" && e.ID != "list.next" }
	review := slices.DeleteFunc(slices.Clone(all), other)
	rest := slices.DeleteFunc(slices.Clone(all[1:]), func(e keys.Entry) bool { return !other(e) })
	return slices.Concat(all[:1], review, rest)
}

func anyRow(t *Pane) string {
	switch {
	case t.current() != nil:
		return ""
	case t.shown != nil:
		return "the filter leaves nothing"
	}
	return "there is nothing here yet"
}

// anyPath is anyRow for actions that need a path.
func anyPath(t *Pane) string {
	if why := anyRow(t); why != "" {
		return why
	}
	if name, unnamed := t.current().unnamed(); unnamed {
		return name + " is no name that memend can use: rename it with another program"
	}
	return ""
}

// present is anyPath for actions on what is there.
func present(t *Pane) string {
	why := anyPath(t)
	if why == "" && t.current().deleted() {
		return "it is deleted: open it to restore it, or keep the deletion"
	}
	return why
}

// oneVersion is oneMemory for actions on its newest version, also of a deleted memory.
func oneVersion(t *Pane) string {
	if n := t.current(); n != nil && n.deleted() {
		return ""
	}
	return oneMemory(t)
}

func anyEntry(t *Pane) string {
	if t.data == nil || len(t.data.Entries) == 0 {
		return "there is nothing here yet"
	}
	return ""
}

// twoMemories applies to the two selected memories, or to one and the one under the cursor.
func twoMemories(t *Pane) string {
	if _, ok := t.Chosen.pair(); !ok {
		return "choose two memories, or one and go to another"
	}
	return ""
}

func oneMemory(t *Pane) string {
	if n := t.current(); n == nil || !n.memory() {
		return "no memory is under the cursor"
	}
	return ""
}
