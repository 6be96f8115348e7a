package timeline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

const (
	firstPage  = 500 // changes read before the first moment is shown
	laterPages = 5000
)

// page is a page of changes, newest first.
type page struct {
	changes []versions.Change
	acts    []versions.Bulk // bulk edits with changes in the page
	done    bool            // there are no older ones
}

// visit is the store right after a change.
type visit struct {
	change   int64
	words    versions.Change // the change
	act      *versions.Bulk  // the bulk edit that it completed; nil for none
	entries  []versions.Entry
	tree     *tree.Data
	modified []versions.TreeDiff // what the change modified
}

// comparison is the diff of a change for one memory.
type comparison struct {
	title string
	doc   *diffview.Document
}

func loadMarks(ctx context.Context, store Store, before int64, limit int) (p page, err error) {
	p.changes, err = store.Changes(ctx, versions.Filter{}, before, limit)
	p.done = len(p.changes) < limit
	if n := len(p.changes); n > 0 && err == nil {
		p.acts, err = store.Acts(ctx, p.changes[n-1], p.changes[0])
	}
	return p, err
}

// lookUp computes the tree of change to from entries, the tree of change from; a negative from
// means there is none.
func lookUp(ctx context.Context, store Store, from, to int64, entries []versions.Entry) (visit, error) {
	v := visit{change: to}
	var err error
	if v.entries, err = treeAt(ctx, store, from, to, entries); err != nil {
		return v, err
	}
	first := to
	if to > 0 {
		page, err := store.Changes(ctx, versions.Filter{}, to+1, 1)
		if err != nil || len(page) == 0 {
			return v, cmp.Or(err, versions.ErrNoChange)
		}
		v.words = page[0]
		if v.act, err = actUntil(ctx, store, page[0]); err != nil {
			return v, err
		}
		if v.act != nil {
			first = v.act.First()
		}
		if v.modified, err = store.DiffTrees(ctx, first-1, to); err != nil {
			return v, err
		}
	}
	v.modified = slices.DeleteFunc(v.modified, func(d versions.TreeDiff) bool {
		return d.Kind == versions.TreeSame || pathOf(d).IsRoot() // a root was redacted since
	})
	v.tree = tree.BuildPast(withDeleted(v.entries, v.modified), first)
	return v, nil
}

// withDeleted adds the memories that a change deleted to the tree after it, unless another memory has taken the place of one.
func withDeleted(entries []versions.Entry, modified []versions.TreeDiff) []versions.Entry {
	var gone []versions.TreeDiff
	for _, d := range modified {
		if d.Kind != versions.TreeDeleted {
			continue
		}
		if _, taken := slices.BinarySearchFunc(entries, d.Before, byPath); !taken {
			d.Kind, d.After = versions.TreeCreated, d.Before                     // as far as applied is concerned
			d.After.Kind, d.After.Change = versions.DeletedMemory, math.MaxInt64 // newer than any: it is marked
			gone = append(gone, d)
		}
	}
	return applied(entries, gone)
}

func byPath(a, b versions.Entry) int { return cmp.Compare(a.Path.String(), b.Path.String()) }

// actUntil returns the bulk edit whose last change is c, or nil.
func actUntil(ctx context.Context, store Store, c versions.Change) (*versions.Bulk, error) {
	acts, err := store.Acts(ctx, c, c)
	for _, act := range acts {
		if act.Last() == c.Number && unbroken(act) {
			return &act, err
		}
	}
	return nil, err
}

func treeAt(ctx context.Context, store Store, from, to int64, entries []versions.Entry) ([]versions.Entry, error) {
	if from < 0 || to == 0 {
		all, err := store.TreeAt(ctx, to)
		return slices.DeleteFunc(all, func(e versions.Entry) bool { return e.Path.IsRoot() }), err
	}
	diffs, err := store.DiffTrees(ctx, from, to)
	if err != nil || len(diffs) == 0 {
		return entries, err
	}
	return applied(entries, diffs), nil
}

// applied returns the tree with the differences applied, sorted by path. It does not modify
// entries.
func applied(entries []versions.Entry, diffs []versions.TreeDiff) []versions.Entry {
	of := make(map[versions.MemoryID]bool, len(diffs))
	var after []versions.Entry
	for _, d := range diffs {
		of[d.Memory()] = true
		if d.Kind != versions.TreeDeleted && !d.After.Path.IsRoot() {
			after = append(after, d.After)
		}
	}
	slices.SortFunc(after, byPath)
	out := make([]versions.Entry, 0, len(entries)+len(after))
	for _, e := range entries {
		if of[e.Memory] {
			continue
		}
		for len(after) > 0 && byPath(after[0], e) < 0 {
			out, after = append(out, after[0]), after[1:]
		}
		out = append(out, e)
	}
	return append(out, after...)
}

func compare(ctx context.Context, store Store, d versions.TreeDiff) comparison {
	c := comparison{title: titleOf(d)}
	before, err := content(ctx, store, d.Before)
	after, err2 := content(ctx, store, d.After)
	switch err := errors.Join(err, err2); {
	case errors.Is(err, versions.ErrLost):
		c.doc = diffview.Note("The text is lost to damage.")
	case errors.Is(err, versions.ErrRedacted):
		c.doc = diffview.Note("The text was redacted: it is gone for good.")
	case err != nil:
		c.doc = diffview.Note("Can't be shown: " + err.Error())
	case d.Kind == versions.TreeRenamed && bytes.Equal(before, after):
		c.doc = diffview.Note("Renamed from " + d.Before.Path.String() + ". The text is the same.")
	default:
		c.doc = diffview.Compare(pathOf(d).String(), before, after)
	}
	return c
}

func content(ctx context.Context, store Store, e versions.Entry) ([]byte, error) {
	if e.Version == "" {
		return nil, nil
	}
	return store.Content(ctx, e.Version)
}

func titleOf(d versions.TreeDiff) string {
	if d.Kind == versions.TreeRenamed {
		return "renamed " + d.Before.Path.String() + " → " + d.After.Path.String()
	}
	did := string(d.Kind)
	if d.Kind == versions.TreeModified {
		did = wording.Edited
	}
	return did + " " + pathOf(d).String()
}

// neighbour returns the change before or after n that made a version of a memory.
func neighbour(ctx context.Context, p *Pane, store Store, memory versions.MemoryID, n int64, d int) tea.Cmd {
	return func() tea.Msg {
		best := int64(-1)
		for before := 0; ; {
			page, err := store.History(ctx, memory, before, 200)
			if err != nil {
				return screen.Notice{Text: err.Error(), Bad: true}
			}
			for _, v := range page {
				if d > 0 && v.Change > n {
					best = v.Change
				}
				if d < 0 && v.Change < n {
					return screen.Then(func() tea.Cmd { return p.goTo(v.Change) })
				}
			}
			if len(page) < 200 || d > 0 && page[len(page)-1].Change <= n {
				break
			}
			before = page[len(page)-1].Number
		}
		if best < 0 {
			return screen.Notice{Text: map[bool]string{true: "no later change of this memory", false: "no earlier change of this memory"}[d > 0]}
		}
		return screen.Then(func() tea.Cmd { return p.goTo(best) })
	}
}

// pastStore reads memories as they were right after a change.
type pastStore struct {
	Store
	at atomic.Int64
}

// Open returns the content of the memory at p after that change.
func (s *pastStore) Open(ctx context.Context, p memfs.Path) (versions.File, error) {
	e, err := s.EntryAt(ctx, p, s.at.Load())
	if err != nil {
		return nil, err
	}
	b, err := s.Content(ctx, e.Version)
	if errors.Is(err, versions.ErrLost) {
		return nil, fmt.Errorf("%s: its text is lost to damage", p)
	}
	if errors.Is(err, versions.ErrRedacted) {
		return nil, fmt.Errorf("%s: it was redacted: its text is gone for good", p)
	}
	if err != nil {
		return nil, err
	}
	return pastFile{bytes.NewReader(b)}, nil
}

// pastFile is a content that is in memory.
type pastFile struct{ *bytes.Reader }

func (pastFile) Close() error { return nil }
