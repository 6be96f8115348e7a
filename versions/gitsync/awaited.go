package gitsync

import (
	"context"
	"maps"
	"path"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/git"
)

// waits reports whether a change is on a memory that waits for a person. It goes out after the decision, and so do later
// changes on its memories.
func (w *writer) waits(r *versions.Record) bool {
	var at []string
	for i := range r.Versions {
		for _, p := range []memfs.Path{r.Versions[i].Path, r.Versions[i].From} {
			if !p.IsRoot() {
				at = append(at, w.path(p))
			}
		}
	}
	if !slices.ContainsFunc(at, w.isAwaited) {
		return false
	}
	for _, p := range at {
		w.await(p)
	}
	if w.delayed == 0 {
		w.delayed = r.Number
	}
	w.Waiting++
	return true
}

// await leaves a path as it is on the branch.
func (w *writer) await(p string) {
	w.awaited[p] = true
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		w.above[d] = true
	}
}

// isAwaited reports whether a path is awaited, or above or below one that is: a file may be where a folder should come.
func (w *writer) isAwaited(p string) bool {
	if w.awaited[p] || w.above[p] {
		return true
	}
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		if w.awaited[d] {
			return true
		}
	}
	return false
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
			w.await(p)
		}
	}
	return nil
}
