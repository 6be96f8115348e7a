package tree

import (
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
	return keys.New("tree", bindings, append([]keys.Action[*Pane]{
		{ID: "open", Name: "open", Keys: []string{"enter"}, Do: (*Pane).enter, Why: anyPath},
		{ID: "new", Writes: true, Name: "new", Keys: []string{"n"}, Do: func(t *Pane, _ int) tea.Cmd { return t.env.Ask(screen.NewMemory{Folder: t.folderHere()}) }},
		{ID: "filter", In: "list", Name: "filter", Keys: []string{"/"}, Do: (*Pane).startFilter, Why: anyEntry},
		{ID: "choose", Name: "choose", Keys: []string{"space"}, Do: (*Pane).choose, Why: anyPath},
		{ID: "delete", Writes: true, Name: "delete", Keys: []string{"d", "delete"}, Do: (*Pane).delete, Why: anyPath},
		{ID: "rename", Writes: true, Name: "rename", Keys: []string{"r", "f2"}, Do: func(t *Pane, _ int) tea.Cmd { return t.env.Ask(screen.Rename{Path: t.current().path()}) }, Why: anyPath},
		{ID: "move", Writes: true, Name: "move to a folder", Keys: []string{"m"}, Do: (*Pane).moveAway, Why: anyPath},
		{ID: "transfer", Writes: true, Name: "to another store", Keys: []string{"Y"}, Do: (*Pane).transfer, Why: anyPath},
		{ID: "star", Name: "star", Keys: []string{"*", "p"}, Do: (*Pane).star, Why: anyRow},
		{ID: "sort", Name: "sort", Keys: []string{"s"}, Do: (*Pane).sort},
		{ID: "reverse", Name: "reverse the order", Keys: []string{"S"}, Do: (*Pane).reverse},
		{ID: "columns", Name: "columns", Keys: []string{"c"}, Do: (*Pane).columns},
		{ID: "next-changed", Name: "next changed", Keys: []string{"]"}, Do: func(t *Pane, _ int) tea.Cmd { return t.stepChanged(1) }},
		{ID: "previous-changed", Name: "previous changed", Keys: []string{"["}, Do: func(t *Pane, _ int) tea.Cmd { return t.stepChanged(-1) }},
		{ID: "reviewed", In: "change", Name: "mark as reviewed, go on", Short: "reviewed", Keys: []string{"."}, Do: (*Pane).markReviewed, Why: anyRow},
		{ID: "reviewed-all", In: "change", Name: "mark all as reviewed", Keys: []string{">"}, Do: func(t *Pane, _ int) tea.Cmd { return t.ReviewAll() }, Why: anyEntry},
		{ID: "range", In: "list", Name: "choose a range", Keys: []string{"V"}, Do: (*Pane).chooseRange, Why: anyPath},
		{ID: "choose-all", Name: "choose all shown", Keys: []string{"ctrl+a"}, Do: (*Pane).chooseAll, Why: anyEntry},
		{ID: "invert", Name: "choose the others", Keys: []string{"I"}, Do: (*Pane).invert, Why: anyEntry},
		{ID: "range-down", In: "list", Name: "choose down", Keys: []string{"shift+down"}, Do: func(t *Pane, n int) tea.Cmd { return t.extend(max(n, 1)) }, Why: anyRow, Hide: true},
		{ID: "range-up", In: "list", Name: "choose up", Keys: []string{"shift+up"}, Do: func(t *Pane, n int) tea.Cmd { return t.extend(-max(n, 1)) }, Why: anyRow, Hide: true},
		{ID: "fold-all", Name: "fold all", Keys: []string{"-"}, Do: do(func(t *Pane) { t.foldAll(false) })},
		{ID: "unfold-all", Name: "unfold all", Keys: []string{"="}, Do: do(func(t *Pane) { t.foldAll(true) })},
		keys.Action[*Pane]{ID: "flat", Name: "tree, or list", Short: "list", Keys: []string{"`"}, Do: (*Pane).toggleFlat}.While(func(t *Pane) bool { return t.order.flat }, "tree"),
		{ID: "only-changed", Name: "only changed", Keys: []string{"f c"}, Do: filterTo("is:changed"), Why: anyEntry},
		{ID: "only-starred", Name: "only starred", Keys: []string{"f *", "f p"}, Do: filterTo("is:starred"), Why: anyEntry},
		{ID: "only-stale", Name: "only stale", Keys: []string{"f s"}, Do: filterTo("is:stale"), Why: anyEntry},
		{ID: "only-hidden", Name: "only with hidden characters", Keys: []string{"f h"}, Do: filterTo("is:hidden"), Why: anyEntry},
		{ID: "only-mine", Name: "only mine", Keys: []string{"f m"}, Do: filterTo("by:me"), Why: anyEntry},
		{ID: "only-agents", Name: "only by agents", Keys: []string{"f a"}, Do: filterTo("by:agent"), Why: anyEntry},
		{ID: "duplicate", Writes: true, Name: "duplicate", Keys: []string{"C"}, Do: (*Pane).duplicate, Why: oneMemory},
		{ID: "compare", Name: "compare two memories", Short: "compare", Keys: []string{"D"}, Do: (*Pane).compare, Why: twoMemories},
		{ID: "export", Name: "export to a folder or file", Short: "export", Keys: []string{"o"}, Do: (*Pane).export, Why: anyPath},
		{ID: "restore", Writes: true, Name: "restore as of a moment", Keys: []string{"R"}, Do: (*Pane).restoreAt, Why: anyPath},
		{ID: "undo-session", In: "change", Writes: true, Name: "undo the session", Short: "undo session", Keys: []string{"U"}, Do: (*Pane).undoSession, Why: oneMemory},
		{ID: "path", In: "copy", Name: "copy the path", Keys: []string{"y p"}, Do: (*Pane).copyPaths, Why: anyPath},
		{ID: "text", In: "copy", Name: "copy the text", Keys: []string{"y y"}, Do: (*Pane).copyContent, Why: oneMemory},
		{ID: "redact", Writes: true, Name: "redact", Keys: []string{"X"}, Do: (*Pane).redact, Why: oneMemory},
		{ID: "back", Name: "clear selection and filter", Keys: []string{"esc"}, Do: (*Pane).escape},

		{ID: "in", Name: "unfold, or open", Keys: []string{"l", "right"}, Do: (*Pane).in, Why: anyPath, Hide: true},
		{ID: "out", Name: "fold, or up", Keys: []string{"h", "left"}, Do: (*Pane).out, Why: anyRow, Hide: true},
	}, list.Moves(func(t *Pane, by int) tea.Cmd { t.move(by); return nil }, (*Pane).listHeight)...))
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

func anyEntry(t *Pane) string {
	if t.data == nil || len(t.data.Entries) == 0 {
		return "there is nothing here yet"
	}
	return ""
}

// twoMemories applies to the two selected memories, or to one and the one under the cursor.
func twoMemories(t *Pane) string {
	if _, ok := t.pair(); !ok {
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
