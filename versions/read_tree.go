package versions

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
)

// Tree lists everything in the store, ordered by the bytes of the paths: its current memories from
// the trail, and the other entries that the last scan found.
func (s *Store) Tree(ctx context.Context) (es []Entry, err error) {
	err = s.t.view(ctx, func(q reader) error {
		actors, err := actorsOf(q)
		if err != nil {
			return err
		}
		es, err = s.headsTo(q, actors, math.MaxInt64)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.withOthers(es), nil
}

// withOthers merges in the entries that are not memories. When a path became a memory since the
// last scan, it is a memory. A memory that has outgrown the limit says so in its Note.
func (s *Store) withOthers(es []Entry) []Entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.others) == 0 {
		return es
	}
	memories := len(es)
	for _, o := range s.others {
		i, is := slices.BinarySearchFunc(es[:memories], o.Path, func(e Entry, p memfs.Path) int { return comparePaths(e.Path, p) })
		switch {
		case !is:
			es = append(es, o)
		case o.Kind == TooBig:
			es[i].Note = s.outgrown(es[i].Change)
		}
	}
	slices.SortStableFunc(es, func(a, b Entry) int { return comparePaths(a.Path, b.Path) })
	return es
}

// outgrown says that the file of a memory is too large to be versioned, and since which change.
func (s *Store) outgrown(change int64) string {
	return fmt.Sprintf("grew past %s: not versioned since change %d", sizeText(s.t.maxBytes), change)
}

// Entry returns the current memory at p, or ErrNoMemory when there is none.
func (s *Store) Entry(ctx context.Context, p memfs.Path) (Entry, error) {
	e := Entry{Kind: Memory, Path: p}
	var mtime int64
	err := s.t.db.Row(ctx, `SELECT h.muid,h.vuid,h.sha,h.bytes,h.binary,h.hidden,h.number,a.kind,a.name,coalesce(a.title,''),h.ts,h.mtime
		FROM head h JOIN actor a ON a.id=h.actor WHERE h.store=? AND h.path=?`, s.id, key(p)).
		Scan(idTo(&e.Memory), idTo(&e.Version), hashTo(&e.SHA256), &e.Size, &e.Binary, &e.Hidden, &e.Change, &e.Actor.Kind, &e.Actor.Name, &e.Actor.Title, timeTo(&e.Time), &mtime)
	if err != nil {
		return Entry{}, notFound(err, ErrNoMemory, p.Tool())
	}
	e.Written = writtenBefore(&e, mtime)
	if s.tooBig(p) {
		e.Note = s.outgrown(e.Change)
	}
	return e, nil
}

// actorsOf reads all actors: there are few, and thousands of rows refer to them.
func actorsOf(q db.Queryer) (map[int64]Actor, error) {
	out := map[int64]Actor{}
	var id int64
	var a Actor
	rows := q.Rows(`SELECT id,kind,name,coalesce(title,'') FROM actor`)
	for range rows.Each(&id, &a.Kind, &a.Name, &a.Title) {
		out[id] = a
	}
	return out, rows.Err()
}
