package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/ui/diffview"
	"github.com/memtrail/memtrail/ui/draw"
	"github.com/memtrail/memtrail/ui/keys"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/versions"
)

// writer is what restoring a hunk needs of a store beside what looking needs.
type writer interface {
	Write(ctx context.Context, by versions.By, p memfs.Path, content []byte, pre versions.Pre) (versions.Change, error)
}

// hunkKeys work in the diff.
func hunkKeys(own keys.Bindings) *keys.Map[*Pane] {
	return keys.New("hunk", own, []keys.Action[*Pane]{
		{ID: "restore", Name: "restore this hunk", Keys: []string{"R"}, Why: (*Pane).whyNoHunk, Do: func(p *Pane, _ int) tea.Cmd { return p.restoreHunk() }},
	})
}

func (p *Pane) whyNoHunk() string {
	if _, ok := p.diff.Selection(); !ok || p.shown.right == nil {
		return "nothing differs here"
	}
	return ""
}

// restoreHunk brings the lines on the left of the current hunk, or of what is
// selected in it, back into the memory as it is now.
func (p *Pane) restoreHunk() tea.Cmd {
	sel, ok := p.diff.Selection()
	if !ok || p.shown.right == nil {
		return nil
	}
	from := "the time before " + versionName(*p.shown.right)
	if p.shown.left != nil {
		from = versionName(*p.shown.left)
	}
	old, new := sel.Lines()
	what := draw.Plural(old, "line", "lines")
	if old == 0 {
		what = draw.Plural(new, "line", "lines") + " less, as"
	}
	did := "restored " + what + " of " + from + " · u undoes"
	h := hunk{store: p.store, by: p.by, memory: p.shown.right.Memory, text: p.shown.doc, sel: sel}
	p.diff.Deselect()
	return screen.Ask(screen.Act{Did: did, Do: h.restore})
}

// hunk is lines to be brought back.
type hunk struct {
	store  Store
	by     versions.By
	memory versions.MemoryID
	text   *diffview.Document
	sel    diffview.Selection
}

var (
	errDeletedNow = errors.New("it is deleted now: restore a version of it first")
	errChanged    = errors.New("these lines have changed since: restore the whole version, or edit them")
)

// restore merges: what the lines become is the one side, what became of the memory
// after the text on the right the other.
func (h hunk) restore(ctx context.Context) (versions.Change, error) {
	c, err := h.merge(ctx)
	if err != nil {
		err = fmt.Errorf("restore a hunk: %w", err)
	}
	return c, err
}

func (h hunk) merge(ctx context.Context) (versions.Change, error) {
	page, err := h.store.History(ctx, h.memory, 0, 1)
	switch {
	case err != nil:
		return versions.Change{}, err
	case len(page) == 0 || page[0].Operation == versions.Deleted:
		return versions.Change{}, errDeletedNow
	}
	head := page[0]
	now, err := h.store.Content(ctx, head.ID)
	if err != nil {
		return versions.Change{}, err
	}
	m := versions.Merge3(h.text.New(), now, h.sel.Revert())
	switch {
	case !m.Clean():
		return versions.Change{}, errChanged
	case bytes.Equal(m.Text(), now):
		return versions.Change{}, versions.ErrNothing
	}
	return h.store.Write(ctx, h.by, head.Path, m.Text(), versions.Pre{SHA256: head.SHA256})
}
