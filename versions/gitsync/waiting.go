package gitsync

import (
	"context"
	"maps"
	"path"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/git"
	"github.com/memend/memend/versions/internal/tables"
)

// waiting are the paths of what waits for a person. On the branch it stays as it is.
type waiting struct {
	at    map[string]bool
	above map[string]bool // folders of at
}

func newWaiting() waiting { return waiting{map[string]bool{}, map[string]bool{}} }

func (w waiting) add(p string) {
	w.at[p] = true
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		w.above[d] = true
	}
}

// has reports whether a path waits, or is above or below one that does: a file may be where a folder should come.
func (w waiting) has(p string) bool {
	if w.at[p] || w.above[p] {
		return true
	}
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		if w.at[d] {
			return true
		}
	}
	return false
}

// delays reports whether a change of some paths waits, too. It goes out after the decision, and so do later changes of these paths.
func (w waiting) delays(change []string) bool {
	if !slices.ContainsFunc(change, w.has) {
		return false
	}
	for _, p := range change {
		w.add(p)
	}
	return true
}

// awaited returns the paths of memories whose text on the branch waits here for a person.
func awaited(q tables.Reader, store int64) (out []memfs.Path, err error) {
	var at, from memfs.Path
	rows := q.Rows(`SELECT i.path,v.path FROM shared s JOIN held h ON h.id=s.held JOIN held_item i ON i.held=h.id LEFT JOIN version v ON v.id=i.base
		WHERE s.store=? AND h.state='waiting'`, store)
	for range rows.Each(tables.PathTo(&at), tables.PathTo(&from)) {
		for _, p := range []memfs.Path{at, from} {
			if !p.IsRoot() {
				out = append(out, p)
			}
		}
	}
	return out, rows.Err()
}

// delayed counts the changes after change sent that go out after decisions about what waits, and about more.
func delayed(q tables.Reader, store, sent int64, more ...memfs.Path) (n int, err error) {
	paths, err := awaited(q, store)
	if paths = append(paths, more...); err != nil || len(paths) == 0 {
		return 0, err
	}
	w := newWaiting()
	for _, p := range paths {
		w.add(p.Rel())
	}
	var number, last int64
	var at, from memfs.Path
	var change []string
	count := func() {
		if w.delays(change) {
			n++
		}
	}
	rows := q.Rows(`SELECT c.number,v.path,v.origin FROM change c JOIN version v ON v.change=c.id WHERE c.store=?1 AND c.number>?2
		AND NOT EXISTS(SELECT 1 FROM shared WHERE store=?1 AND change=c.number) ORDER BY c.number`, store, sent)
	for range rows.Each(&number, tables.PathTo(&at), tables.PathTo(&from)) {
		if number != last {
			count()
			change, last = nil, number
		}
		for _, p := range []memfs.Path{at, from} {
			if !p.IsRoot() {
				change = append(change, p.Rel())
			}
		}
	}
	count()
	return n, rows.Err()
}

// waits reports whether a change waits with what a person decides about.
func (w *writer) waits(r *versions.Record) bool {
	var at []string
	for i := range r.Versions {
		for _, p := range []memfs.Path{r.Versions[i].Path, r.Versions[i].From} {
			if !p.IsRoot() {
				at = append(at, w.path(p))
			}
		}
	}
	if !w.waiting.delays(at) {
		return false
	}
	if w.delayed == 0 {
		w.delayed = r.Number
	}
	w.Waiting++
	return true
}

// keepLarge makes the files of the branch that are too large for memories stay as they are there, whatever the store
// has at their paths.
func (w *writer) keepLarge(ctx context.Context, behind bool) error {
	var at, ids []string
	files := w.there
	if behind {
		files = w.files
	}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		if files[p].Regular() {
			at, ids = append(at, p), append(ids, files[p].Blob)
		}
	}
	sizes, err := git.Sizes(ctx, w.dir, ids)
	if err != nil {
		return err
	}
	for i, p := range at {
		if sizes[i] > versions.DefaultMaxBytes {
			w.leave(p, tooLarge)
			w.waiting.add(p)
		}
	}
	return nil
}
