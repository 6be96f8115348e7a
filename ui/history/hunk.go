package history

import (
	"bytes"
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/merge"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
)

// writer has the methods of a store that restoring a hunk needs in addition to Store.
type writer interface {
	// RestoreText replaces the memory at p, if the precondition holds, by a content that restores
	// earlier lines of it.
	RestoreText(ctx context.Context, by versions.By, p memfs.Path, content []byte, pre versions.Pre) (versions.Change, error)
}

func (p *Pane) hunkDisabled() string {
	if _, ok := p.Diff.Selection(); !ok || p.shown.right == nil {
		return "there are no differences"
	}
	return ""
}

// restoreHunk restores the lines on the left of the current hunk, or of the selection in it,
// in the current memory.
func (p *Pane) restoreHunk() tea.Cmd {
	sel, ok := p.Diff.Selection()
	if !ok || p.shown.right == nil {
		return nil
	}
	h := hunk{
		store: p.store, by: p.by, env: p.env, now: p.now, asked: p,
		memory: p.shown.right.Memory, text: p.shown.doc.New(), sel: sel, from: "before " + versionName(*p.shown.right),
	}
	if p.shown.left != nil {
		h.from = versionName(*p.shown.left)
	}
	p.Diff.Deselect()
	ctx := p.env.Ctx
	return func() tea.Msg { return h.restore(ctx) }
}

// hunk is a set of lines to restore.
type hunk struct {
	store  Store
	by     versions.By
	env    screen.Env
	now    time.Time
	asked  *Pane
	memory versions.MemoryID
	text   []byte // the right side of the diff
	sel    diffview.Selection
	from   string // the source of the lines
}

var errDeletedNow = errors.New("the memory is deleted now: restore a version of it first")

// restore does a three-way merge. The base is the text on the right of the diff; one side is
// that text with the lines restored, the other side is the current memory. The user resolves
// conflicts.
func (h hunk) restore(ctx context.Context) tea.Msg {
	head, now, err := h.read(ctx)
	if err != nil {
		return screen.Notice{Text: "restore this hunk: " + err.Error(), Bad: true}
	}
	mine := h.sel.Revert()
	m := diff.Merge(h.text, now, mine)
	switch {
	case !m.Clean():
		in := merge.Input{
			Path: head.Path, Base: h.text, Theirs: now, Mine: mine,
			TheirsName: "by " + actors.Short(head.Actor) + " " + draw.Age(h.now, head.Time), MineName: h.from, MineIs: "before",
		}
		var pane *merge.Pane
		pane = merge.New(h.env, in, func(result []byte) tea.Msg {
			act := h.write(head, result)
			act.Done = func(_ versions.Change, err error) tea.Msg {
				if err != nil {
					return nil
				}
				return screen.Drop{Pane: pane}
			}
			return act
		})
		return screen.Late{From: h.asked, Request: screen.Show{Pane: pane},
			Else: "restore a hunk of " + head.Path.String() + ": it conflicts with what changed since: restore it again to merge"}
	case bytes.Equal(m.Text(), now):
		return screen.Notice{Text: "restore this hunk: already like that"}
	}
	return h.write(head, m.Text())
}

// read returns the current version and text of the memory.
func (h hunk) read(ctx context.Context) (head versions.Version, now []byte, err error) {
	page, err := h.store.History(ctx, h.memory, 0, 1)
	switch {
	case err != nil:
		return head, nil, err
	case len(page) == 0 || page[0].Operation == versions.Deleted:
		return head, nil, errDeletedNow
	}
	now, err = h.store.Content(ctx, page[0].ID)
	return page[0], now, err
}

// write replaces the memory if it has not changed since it was read.
func (h hunk) write(head versions.Version, text []byte) screen.Act {
	what := " a hunk of " + head.Path.String() + " from " + h.from
	return screen.Act{Doing: "restore" + what, Did: "restored" + what, Do: func(ctx context.Context) (versions.Change, error) {
		return h.store.RestoreText(ctx, h.by, head.Path, text, versions.Pre{SHA256: head.SHA256})
	}}
}
