package gitsync

import (
	"context"
	"path"
	"path/filepath"
	"strings"

	"github.com/memend/memend/versions"
)

// GoOn takes in what came into a repository since its history was imported: the commits of its HEAD after the newest whose
// session the store has. It writes nothing there. started is false if the store has none of its commits.
func GoOn(ctx context.Context, s *versions.Store, by versions.By, dir, subdir string, o Options) (r Result, started bool, err error) {
	if err := s.MayTakeIn(ctx, by); err != nil {
		return r, false, err
	}
	prefix, err := output(ctx, dir, "rev-parse", "--show-prefix")
	if err != nil {
		return r, false, err
	}
	head, err := output(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return r, false, err
	}
	w := &run{s: s, o: o, dir: dir, remote: head, left: map[string]bool{}}
	if w.b.Subdir = path.Join(prefix, filepath.ToSlash(subdir)); w.b.Subdir == "." {
		w.b.Subdir = ""
	}
	list, err := output(ctx, dir, "rev-list", "--first-parent", head)
	if err != nil {
		return r, false, err
	}
	for id := range strings.FieldsSeq(list) {
		known, err := s.HasSession(ctx, versions.SessionID(id))
		if err != nil {
			return r, false, err
		}
		if known {
			w.b.Head = id
			err = w.takeIn(ctx, id)
			return w.Result, true, err
		}
	}
	return r, false, nil
}
