package history

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// Tree lists everything in the store, ordered by the bytes of the paths: its current memories from
// the trail, and the other entries that the last scan found.
func Tree(ctx context.Context, s *core.Store) (es []versions.Entry, err error) {
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		actors, err := actorsOf(q)
		if err != nil {
			return err
		}
		es, err = headsTo(s, q, actors, math.MaxInt64)
		return err
	})
	if err != nil {
		return nil, err
	}
	return withOthers(s, es), nil
}

// withOthers merges in the entries that are not memories. When a path became a memory since the
// last scan, it is a memory. A memory that has outgrown the limit says so in its Note.
func withOthers(s *core.Store, es []versions.Entry) []versions.Entry {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	if len(s.Others) == 0 {
		return es
	}
	memories := len(es)
	for _, o := range s.Others {
		i, is := slices.BinarySearchFunc(es[:memories], o.Path, func(e versions.Entry, p memfs.Path) int { return versions.ComparePaths(e.Path, p) })
		switch {
		case !is:
			es = append(es, o)
		case o.Kind == versions.TooBig:
			es[i].Note = outgrown(s, es[i].Change)
		}
	}
	slices.SortStableFunc(es, func(a, b versions.Entry) int { return versions.ComparePaths(a.Path, b.Path) })
	return es
}

// outgrown says that the file of a memory is too large to be versioned, and since which change.
func outgrown(s *core.Store, change int64) string {
	return fmt.Sprintf("grew past %s: not versioned since change %d", versions.SizeText(s.Trail.MaxBytes), change)
}

// Entry returns the current memory at p, or ErrNoMemory when there is none.
func Entry(ctx context.Context, s *core.Store, p memfs.Path) (versions.Entry, error) {
	e := versions.Entry{Kind: versions.Memory, Path: p}
	var mtime int64
	err := s.Trail.DB.Row(ctx, `SELECT h.muid,h.vuid,h.sha,h.bytes,h.binary,h.hidden,h.number,a.kind,a.name,coalesce(a.title,''),h.ts,h.mtime
		FROM head h JOIN actor a ON a.id=h.actor WHERE h.store=? AND h.path=?`, s.Row, versions.Key(p)).
		Scan(tables.IDTo(&e.Memory), tables.IDTo(&e.Version), tables.HashTo(&e.SHA256), &e.Size, &e.Binary, &e.Hidden, &e.Change, &e.Actor.Kind, &e.Actor.Name, &e.Actor.Title, tables.TimeTo(&e.Time), &mtime)
	if err != nil {
		return versions.Entry{}, tables.NotFound(err, versions.ErrNoMemory, p.Tool())
	}
	e.Written = writtenBefore(&e, mtime)
	if core.TooBig(s, p) {
		e.Note = outgrown(s, e.Change)
	}
	return e, nil
}

// actorsOf reads all actors: there are few, and thousands of rows refer to them.
func actorsOf(q db.Queryer) (map[int64]versions.Actor, error) {
	out := map[int64]versions.Actor{}
	var id int64
	var a versions.Actor
	rows := q.Rows(`SELECT id,kind,name,coalesce(title,'') FROM actor`)
	for range rows.Each(&id, &a.Kind, &a.Name, &a.Title) {
		out[id] = a
	}
	return out, rows.Err()
}
