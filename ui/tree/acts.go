package tree

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
)

// folderHere returns the folder in which a new memory would be created.
func (t *Pane) folderHere() memfs.Path {
	n := t.current()
	switch {
	case n == nil:
		return memfs.Root
	case n.folder():
		return n.path()
	}
	return n.path().Dir()
}

// enter opens a memory, and folds or unfolds a folder.
func (t *Pane) enter(int) tea.Cmd {
	if t.ToggleFold() {
		return t.saveSoon()
	}
	return t.env.Do(screen.Open{Path: t.current().path()})
}

// ToggleFold folds or unfolds the folder under the cursor. It reports whether there is one.
func (t *Pane) ToggleFold() bool {
	n := t.current()
	if n == nil || !n.folder() {
		return false
	}
	t.fold(n, !t.isOpen(n))
	return true
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

func (t *Pane) sort(int) tea.Cmd {
	t.order.by = (t.order.by + 1) % sortings
	return t.reordered()
}

func (t *Pane) toggleFlat(int) tea.Cmd {
	t.order.flat = !t.order.flat
	return t.reordered()
}

func (t *Pane) reordered() tea.Cmd { return tea.Batch(t.rearrange(), t.saveSoon()) }

func (t *Pane) delete(int) tea.Cmd { return t.env.Do(screen.Delete{Paths: t.targetPaths()}) }

func (t *Pane) moveAway(int) tea.Cmd {
	paths := t.targetPaths()
	return t.env.Do(screen.Move{Paths: paths, Folder: paths[0].Dir()})
}

func (t *Pane) transfer(int) tea.Cmd { return t.env.Do(screen.Transfer{Paths: t.targetPaths()}) }

func (t *Pane) redact(int) tea.Cmd {
	n := t.current()
	return t.env.Do(screen.Redact{Memory: n.entry.Memory, Path: n.path()})
}

func (t *Pane) undoSession(int) tea.Cmd {
	return t.env.Do(screen.UndoSessionOf{Version: t.current().entry.Version})
}

func (t *Pane) copyPaths(int) tea.Cmd {
	paths := t.targetPaths()
	lines := make([]string, len(paths))
	for i, p := range paths {
		lines[i] = p.String()
	}
	what := "the path"
	if len(paths) > 1 {
		what = draw.Plural(len(paths), "path", "paths")
	}
	t.choseAct()
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

func changes(n int) string { return draw.Plural(n, "changed memory", "changed memories") }
