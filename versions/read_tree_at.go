package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/ids"
)

// TreeAt lists the memories of the store as they were right after change n, ordered by the bytes of
// their paths. A version that was redacted since has its Redacted time and no path, size or hash;
// these come first. Binary and Hidden are set only for memories that have not changed since:
// EntryAt sets them for any memory.
func (s *Store) TreeAt(ctx context.Context, n int64) (es []Entry, err error) {
	err = s.t.view(ctx, func(q reader) error {
		if err := s.checkKnown(q, n); err != nil {
			return err
		}
		r, err := s.lookBack(q, n)
		if err != nil {
			return err
		}
		es, err = r.treeOf(q, n)
		return err
	})
	return es, err
}

// pastReader reads a store's past from one snapshot.
type pastReader struct {
	s      *Store
	actors map[int64]Actor
	change int64 // row of the change that ends the past to read
}

func (s *Store) lookBack(q reader, n int64) (pastReader, error) {
	r := pastReader{s: s}
	if n != 0 {
		if err := q.Row(`SELECT id FROM change WHERE store=? AND number=?`, s.id, n).Scan(&r.change); err != nil {
			return r, notFound(err, ErrNoChange, fmt.Sprint(n))
		}
	}
	var err error
	r.actors, err = actorsOf(q)
	return r, err
}

// route is a way to compute the tree after a change.
type route uint8

const (
	fromHeads  route = iota // back from the heads: reads each change since then
	fromStart               // forth from the empty store: reads each change until then
	eachMemory              // look each memory up, in the index of its versions
)

// The cost of each part of a route, as measured, in units of one change that is read.
const (
	costOfEntry  = 4 // of a memory's version with its change and content
	costOfLookup = 2 // of finding a memory's version
)

// extent is how much there is to read of a store.
type extent struct{ changes, memories int64 }

func (s *Store) extent(q reader) (x extent, err error) {
	err = q.Row(`SELECT changes,(SELECT count(*) FROM memory WHERE store=?1) FROM store WHERE id=?1`, s.id).Scan(&x.changes, &x.memories)
	return x, err
}

// cheapest chooses how to compute the tree after change n, and estimates what that costs.
func (x extent) cheapest(n int64) (by route, cost int64) {
	since := x.changes - n
	costs := [...]int64{
		fromHeads:  x.memories + since + costOfEntry*min(since, x.memories),
		fromStart:  n + costOfEntry*min(n, x.memories),
		eachMemory: (costOfLookup + costOfEntry) * x.memories,
	}
	for other, c := range costs {
		if c < costs[by] {
			by = route(other)
		}
	}
	return by, costs[by]
}

// between estimates what computing the differences after n changes from their versions costs.
func (x extent) between(n int64) int64 { return n + 2*costOfEntry*min(n, x.memories) }

// treeOf returns the tree after change n, by path.
func (r pastReader) treeOf(q reader, n int64) ([]Entry, error) {
	x, err := r.s.extent(q)
	if err != nil {
		return nil, err
	}
	by, _ := x.cheapest(n)
	return r.tree(q, n, by)
}

func (r pastReader) tree(q reader, n int64, by route) ([]Entry, error) {
	es, err := r.unordered(q, n, by)
	slices.SortFunc(es, func(a, b Entry) int { return comparePaths(a.Path, b.Path) })
	return es, err
}

// unordered returns the tree after change n in any order.
func (r pastReader) unordered(q reader, n int64, by route) (es []Entry, err error) {
	switch by {
	case fromStart:
		es, err = r.entries(q, `SELECT `+pastColumns+` FROM `+untilThen+
			` JOIN version v ON v.memory=until.memory AND v.number=until.number JOIN memory m ON m.id=v.memory`+
			pastTables+`WHERE v.op<>'deleted'`, r.s.id, n)
	case eachMemory:
		var until string
		var last int64
		if until, last, err = r.until(q); err != nil {
			return nil, err
		}
		es, err = r.entries(q, `SELECT `+pastColumns+` FROM memory m
			JOIN version v ON v.id=(SELECT id FROM version WHERE memory=m.id AND `+until+`<=? ORDER BY number DESC LIMIT 1)`+
			pastTables+`WHERE m.store=? AND v.op<>'deleted'`, last, r.s.id)
	default:
		es, err = r.entries(q, `SELECT `+pastColumns+` FROM `+sinceThen+
			` JOIN version v ON v.memory=since.memory AND v.number=since.number-1 JOIN memory m ON m.id=v.memory`+
			pastTables+`WHERE v.op<>'deleted'`, r.s.id, n)
		if err == nil {
			var still []Entry
			still, err = r.s.headsTo(q, r.actors, n) // the memories that no change after n touched
			es = append(es, still...)
		}
	}
	return es, err
}

// until returns the column of a version, and its largest value, that tell whether the version is in
// the past: its id, because the index of a memory's versions has it, or its change, if a repair
// added a version to an earlier change.
func (r pastReader) until(q reader) (column string, last int64, err error) {
	var later int64
	err = q.Row(`SELECT (SELECT coalesce(max(id),0) FROM version INDEXED BY version_change WHERE change<=?1),
		(SELECT coalesce(min(id),?2) FROM version INDEXED BY version_change WHERE change>?1)`, r.change, math.MaxInt64).Scan(&last, &later)
	if last > later {
		return "change", r.change, err
	}
	return "id", last, err
}

// untilThen selects each memory's last version up to a change (parameters: store, number).
const untilThen = `(SELECT v.memory AS memory, max(v.number) AS number FROM change c JOIN version v ON v.change=c.id
	WHERE c.store=? AND c.number<=? GROUP BY v.memory) until`

// sinceThen selects each memory's first version after a change (parameters: store, number). The
// memory's state at that change is the version before it.
const sinceThen = `(SELECT v.memory AS memory, min(v.number) AS number FROM change c JOIN version v ON v.change=c.id
	WHERE c.store=? AND c.number>? GROUP BY v.memory) since`

const pastColumns = `coalesce(v.path,''),m.uid,v.uid,b.sha,coalesce(b.size,0),c.number,` + makerAlone + `,c.ts,coalesce(v.redacted,0)`

const pastTables = ` JOIN change c ON c.id=v.change LEFT JOIN blob b ON b.id=v.blob `

func (r pastReader) entries(q reader, text string, args ...any) ([]Entry, error) {
	var out []Entry
	for row, err := range q.Each(text, args...) {
		if err != nil {
			return nil, err
		}
		e, err := r.scan(row)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// scan scans the pastColumns of a row, and then the query's other columns into more.
func (r pastReader) scan(row scanner, more ...any) (e Entry, err error) {
	var path string
	var mem, ver, sha sql.RawBytes
	var actor, ts, redacted int64
	if err := row.Scan(append([]any{&path, &mem, &ver, &sha, &e.Size, &e.Change, &actor, &ts, &redacted}, more...)...); err != nil {
		return e, err
	}
	e.Kind, e.Actor, e.Time = Memory, r.actors[actor], fromMicros(ts)
	e.Memory, e.Version = MemoryID(ids.Format(ids.MemoryPrefix, mem)), VersionID(ids.Format(ids.VersionPrefix, ver))
	if redacted != 0 {
		at := fromMicros(redacted)
		e.Size, e.Redacted = 0, &at
		return e, nil
	}
	copy(e.SHA256[:], sha)
	e.Path, err = pathOf(path)
	return e, err
}

// EntryAt returns the memory at p right after change n, or ErrNoMemory when there was none. A
// memory whose version at that time was redacted has no path and is not found by one.
func (s *Store) EntryAt(ctx context.Context, p memfs.Path, n int64) (e Entry, err error) {
	err = s.t.view(ctx, func(q reader) error {
		if err := s.checkKnown(q, n); err != nil {
			return err
		}
		r, err := s.lookBack(q, n)
		if err != nil {
			return err
		}
		// The memory that came to p last, up to then, was at p if that version was still its
		// newest. The versions of one path have increasing change numbers.
		es, err := r.entries(q, `SELECT `+pastColumns+` FROM version v JOIN memory m ON m.id=v.memory`+pastTables+`
			WHERE v.id=(SELECT o.id FROM version o JOIN memory k ON k.id=o.memory
					WHERE o.path=? AND o.change<=? AND o.op<>'deleted' AND k.store=? ORDER BY o.id DESC LIMIT 1)
				AND NOT EXISTS(SELECT 1 FROM version l WHERE l.memory=v.memory AND l.number=v.number+1 AND l.change<=?)`,
			key(p), r.change, s.id, r.change)
		if err != nil {
			return err
		}
		if len(es) == 0 {
			return fmt.Errorf("%w: %s", ErrNoMemory, p.Tool())
		}
		e = es[0]
		return s.readFacts(q, &e)
	})
	return e, err
}

// readFacts sets the fields that depend on the content.
func (s *Store) readFacts(q reader, e *Entry) error {
	var blob int64
	err := q.Row(`SELECT id FROM blob WHERE sha=?`, e.SHA256[:]).Scan(&blob)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // its content is lost, and so is its hash
	}
	if err != nil {
		return err
	}
	b, err := blobs.Get(q, blob)
	if errors.Is(err, ErrDamaged) {
		return nil
	}
	if err != nil {
		return err
	}
	f := factsOf(b, e.SHA256)
	e.Binary, e.Hidden = f.binary, f.hidden
	return nil
}
