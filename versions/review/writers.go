package review

import (
	"context"
	"slices"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
)

// maxWriters is how many versions of a memory are read to find who wrote its hunks.
const maxWriters = 100

// Writers returns of each hunk the versions by others that wrote its new lines, newest first, or else the one that removed its old lines
// or renamed the memory. Where that is not known, it is the newest of them.
func Writers(ctx context.Context, s *core.Store, p Pending) ([][]versions.Version, error) {
	all, err := history.Of(ctx, s, p.Memory, 0, maxWriters)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	w := writers{ctx: ctx, s: s, p: &p, d: p.Diff(), all: all}
	if p.Now.Exists && !p.Now.Redacted {
		if w.blame, err = history.Blame(ctx, s, all[0].ID); err != nil {
			return nil, err
		}
	}
	var out [][]versions.Version
	for _, h := range p.Hunks() {
		by, err := w.of(h)
		if err != nil {
			return nil, err
		}
		out = append(out, by)
	}
	return out, nil
}

type writers struct {
	ctx   context.Context
	s     *core.Store
	p     *Pending
	d     *diff.Diff
	all   []versions.Version // of the memory, newest first
	blame *versions.Blame    // of the newest; nil if it has no text
}

// theirs reports whether somebody other than the person made a version since the last review.
func (w *writers) theirs(v *versions.Version) bool {
	return v.Memory == w.p.Memory && v.Number > w.p.Since && v.Actor != w.p.me
}

func (w *writers) of(h Hunk) (by []versions.Version, err error) {
	switch {
	case h.Kind == Renamed:
		by = w.newest(func(v *versions.Version) bool { return v.Renamed() })
	case (h.Kind == Edited || h.Kind == Created) && h.Part.Edit.NewLines > 0:
		by = w.blamed(h.Part.Edit)
	case h.Kind == Edited:
		by, err = w.removed(h.Part.Edit)
	}
	if len(by) == 0 {
		by = w.newest(func(*versions.Version) bool { return true })
	}
	return by, err
}

func (w *writers) newest(is func(*versions.Version) bool) []versions.Version {
	for i := range w.all {
		if v := &w.all[i]; w.theirs(v) && is(v) {
			return []versions.Version{*v}
		}
	}
	return nil
}

// blamed returns the versions that wrote the new lines of an edit, newest first.
func (w *writers) blamed(e diff.Edit) (by []versions.Version) {
	if w.blame == nil {
		return nil
	}
	for _, run := range w.blame.Runs {
		first := run.Start - 1
		if run.By == nil || first >= e.NewEnd() || first+run.Lines <= e.New || !w.theirs(run.By) {
			continue
		}
		if !slices.ContainsFunc(by, func(v versions.Version) bool { return v.ID == run.By.ID }) {
			by = append(by, *run.By)
		}
	}
	slices.SortFunc(by, func(a, b versions.Version) int { return b.Number - a.Number })
	return by
}

// removed returns the newest version that removed one of the old lines of an edit.
func (w *writers) removed(e diff.Edit) ([]versions.Version, error) {
	old := map[string]bool{}
	for i := range e.OldLines {
		old[string(w.d.OldLine(e.Old+i))] = true
	}
	var after []byte
	for i, v := range w.all {
		if v.Operation == versions.Deleted || !v.Redacted.IsZero() {
			return nil, nil
		}
		text, err := history.Content(w.ctx, w.s, v.ID)
		if err != nil {
			return nil, err
		}
		if i > 0 && w.theirs(&w.all[i-1]) && removes(text, after, old) {
			return w.all[i-1 : i], nil
		}
		if after = text; v.Number <= w.p.Since {
			return nil, nil
		}
	}
	return nil, nil
}

func removes(before, after []byte, lines map[string]bool) bool {
	d := diff.Lines(before, after)
	return slices.ContainsFunc(d.Edits(), func(e diff.Edit) bool {
		for i := range e.OldLines {
			if lines[string(d.OldLine(e.Old+i))] {
				return true
			}
		}
		return false
	})
}
