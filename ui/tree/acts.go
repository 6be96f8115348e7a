package tree

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// enter opens a memory, and folds or unfolds a folder.
func (t *Pane) enter(int) tea.Cmd {
	if t.ToggleFold() {
		return t.saveSoon()
	}
	return t.env.Do(screen.Open{Path: t.current().path()})
}

// in goes one level deeper: it unfolds a folder, enters an unfolded one, or opens a memory.
func (t *Pane) in(int) tea.Cmd {
	n := t.current()
	switch {
	case !n.folder():
		return t.env.Do(screen.Open{Path: n.path()})
	case !t.isOpen(n):
		t.fold(n, true)
		return t.saveSoon()
	case len(n.kids) > 0:
		t.move(1)
	}
	return nil
}

// out goes one level up: it folds an unfolded folder, or goes to the parent folder.
func (t *Pane) out(int) tea.Cmd {
	n := t.current()
	switch {
	case t.data.order.flat:
	case n.folder() && t.isOpen(n):
		t.fold(n, false)
		return t.saveSoon()
	case !n.parent.path().IsRoot():
		t.moveTo(n.parent)
	}
	return nil
}

// reorder returns an action that changes the order.
func reorder(change func(*order)) func(*Pane, int) tea.Cmd {
	return func(t *Pane, _ int) tea.Cmd {
		change(&t.order)
		return tea.Batch(t.rearrange(), t.saveSoon())
	}
}

// choose toggles the selection of the row and moves to the next one; it ends a range.
func (t *Pane) choose(int) tea.Cmd {
	switch {
	case t.ranging:
		t.Chosen.addRange()
	case anyPath(t) == "":
		t.Chosen.toggle(t.current())
		t.move(1)
	}
	return nil
}

// escape ends the latest of a range, a filter and the selection.
func (t *Pane) escape(int) tea.Cmd {
	switch {
	case t.ranging:
		t.ranging = false
	case t.filter.query != "":
		return t.setFilter("")
	default:
		t.Chosen.Clear()
	}
	return nil
}

// startFilter begins to edit the filter.
func (t *Pane) startFilter(int) tea.Cmd {
	t.filter.input.Begin(t.filter.query)
	t.filter.actors = t.data.writers()
	t.move(0)
	return nil
}

// filterTo returns an action that sets the filter to a word, or clears it.
func filterTo(query string) func(*Pane, int) tea.Cmd {
	return func(t *Pane, _ int) tea.Cmd {
		if t.filter.query == query {
			return t.setFilter("")
		}
		return t.setFilter(query)
	}
}

func (t *Pane) setFilter(query string) tea.Cmd {
	t.filter.filter = parseFilter(query, t.facts.now)
	clear(t.folded)
	t.move(0)
	return t.rearrange()
}

// toggleColumns shows the other set.
func (t *Pane) toggleColumns(int) tea.Cmd {
	t.Draw.columns = 1 - t.Draw.columns
	notice := "columns: " + columnSets[t.Draw.columns].name
	if t.Draw.table().Rest(t.w, 0) == t.w {
		notice += " · widen the tree to see them"
	}
	return tea.Batch(t.saveSoon(), t.env.Do(screen.Notice{Text: notice}))
}

// markReviewed marks the selected memories as reviewed, and goes to the next one to review.
func (t *Pane) markReviewed(int) tea.Cmd {
	upTo := map[versions.MemoryID]int64{}
	what := ""
	for _, n := range t.Chosen.memories() {
		if t.facts.changed(n.entry) {
			upTo[versions.MemoryID(strings.Clone(string(n.entry.Memory)))] = n.entry.Change // copies, because they outlive the reading
			what = "kept " + n.path().String()
		}
	}
	t.Chosen.Clear()
	switch len(upTo) {
	case 0:
		return t.stepChanged(1)
	case 1:
	default:
		what = "kept " + draw.Plural(len(upTo), "changed memory", "changed memories")
	}
	t.env.Do(screen.MarkReviewed{UpTo: upTo, What: what})
	unsee := t.Review.See(upTo) // for the next step alone: the root marks them
	if p, ok := t.Review.NextUnreviewed(t.Here(), 1, true); ok {
		t.Reveal(p)
	}
	unsee()
	return nil
}

// stepChanged moves to the next memory to review, unfolding its parent folders.
func (t *Pane) stepChanged(d int) tea.Cmd {
	p, ok := t.Review.NextUnreviewed(t.Here(), d, true)
	switch {
	case ok:
		t.Reveal(p)
		return nil
	case t.Review.Changed() > 0:
		return t.env.Do(screen.Notice{Text: "nothing to review in what the filter shows"})
	}
	return t.env.Do(screen.Notice{Text: "nothing to review"})
}

func (t *Pane) copyPaths(int) tea.Cmd {
	paths := t.Chosen.targets()
	lines := make([]string, len(paths))
	for i, p := range paths {
		lines[i] = p.String()
	}
	what := "the path"
	if len(paths) > 1 {
		what = draw.Plural(len(paths), "path", "paths")
	}
	t.Chosen.Clear()
	return t.env.Do(screen.Copy{What: what, Text: strings.Join(lines, "\n")})
}

// maxCopy is the largest content that is copied: terminals refuse more.
const maxCopy = 100 << 10

func (t *Pane) copyContent(int) tea.Cmd {
	e := t.current().entry
	if e.Size > maxCopy {
		return t.env.Do(screen.Notice{Text: fmt.Sprintf("copy: %s is too large for the clipboard: open it and copy what you need", draw.Bytes(e.Size)), Bad: true})
	}
	ctx, store := t.env.Ctx, t.store
	return func() tea.Msg {
		b, err := store.Content(ctx, e.Version)
		if err != nil {
			return screen.Notice{Text: "copy: " + err.Error(), Bad: true}
		}
		return screen.Copy{What: e.Path.String(), Text: string(b)}
	}
}
