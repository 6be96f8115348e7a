package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// TreeAt lists the memories of the store as they were right after change n, ordered by the bytes of
// their paths. Its cost depends on the number of memories, and of changes since then. A version that was redacted since
// has its Redacted time and no path, size or hash; these come first. Binary and Hidden are set only for memories that
// have not changed since: EntryAt sets them for any memory.
func TreeAt(ctx context.Context, s *core.Store, n int64) ([]versions.Entry, error) {
	return core.ViewOf(ctx, s.Trail, func(q tables.Reader) ([]versions.Entry, error) {
		if err := checkKnown(s, q, n); err != nil {
			return nil, err
		}
		r, err := lookBack(s, q, n)
		if err != nil {
			return nil, err
		}
		return r.tree(q, n)
	})
}

// pastReader reads a store's past from one snapshot.
type pastReader struct {
	s      *core.Store
	actors map[int64]versions.Actor
	change int64 // row of the change that ends the past to read
}

func lookBack(s *core.Store, q tables.Reader, n int64) (pastReader, error) {
	r := pastReader{s: s}
	if n != 0 {
		if err := q.Row(`SELECT id FROM change WHERE store=? AND number=?`, s.Row, n).Scan(&r.change); err != nil {
			return r, tables.NotFound(err, versions.ErrNoChange, fmt.Sprint(n))
		}
	}
	var err error
	r.actors, err = actorsOf(q)
	return r, err
}

// tree returns the tree after change n, by path: the heads that no later change wrote, and for each memory that was
// changed later the version before that.
func (r pastReader) tree(q tables.Reader, n int64) ([]versions.Entry, error) {
	es, err := headsTo(r.s, q, r.actors, n)
	if err != nil {
		return nil, err
	}
	changed, err := r.entries(q, `SELECT `+pastColumns+` FROM `+SinceThen+`
		JOIN version v ON v.memory=since.memory AND v.number=since.number-1 JOIN memory m ON m.id=v.memory`+
		pastTables+`WHERE v.op<>'deleted'`, r.s.Row, n)
	es = append(es, changed...)
	slices.SortFunc(es, func(a, b versions.Entry) int { return versions.ComparePaths(a.Path, b.Path) })
	return es, err
}

// SinceThen selects each memory's first version after a change (parameters: store, number). The
// memory's state at that change is the version before it.
const SinceThen = `(SELECT v.memory AS memory, min(v.number) AS number FROM change c JOIN version v ON v.change=c.id
	WHERE c.store=? AND c.number>? GROUP BY v.memory) since`

const pastColumns = `v.path,m.uid,v.uid,b.sha,coalesce(b.size,0),c.number,` + tables.MakerAlone + `,c.ts,v.redacted`

const pastTables = ` JOIN change c ON c.id=v.change LEFT JOIN blob b ON b.id=v.blob `

func (r pastReader) entries(q tables.Reader, text string, args ...any) ([]versions.Entry, error) {
	var e versions.Entry
	return db.All(q.Rows(text, args...), &e, r.columns(&e)...)
}

// columns are the destinations of the pastColumns.
func (r pastReader) columns(e *versions.Entry) []any {
	e.Kind = versions.Memory
	return []any{tables.PathTo(&e.Path), tables.IDTo(&e.Memory), tables.IDTo(&e.Version), tables.HashTo(&e.SHA256), &e.Size, &e.Change,
		tables.ParsedTo(&e.Actor, func(id int64) (versions.Actor, error) { return r.actors[id], nil }), tables.TimeTo(&e.Time),
		tables.ParsedTo(&e.Redacted, func(us int64) (*time.Time, error) {
			e.Path, e.Size, e.SHA256 = memfs.Path{}, 0, versions.Hash{}
			at := tables.FromMicros(us)
			return &at, nil
		})}
}

// EntryAt returns the memory at p right after change n, or ErrNoMemory when there was none. A
// memory whose version at that time was redacted has no path and is not found by one.
func EntryAt(ctx context.Context, s *core.Store, p memfs.Path, n int64) (e versions.Entry, err error) {
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		if err := checkKnown(s, q, n); err != nil {
			return err
		}
		r, err := lookBack(s, q, n)
		if err != nil {
			return err
		}
		// The memory that came to p last, up to then, was at p if that version was still its
		// newest. The versions of one path have increasing change numbers.
		es, err := r.entries(q, `SELECT `+pastColumns+` FROM version v JOIN memory m ON m.id=v.memory`+pastTables+`
			WHERE v.id=(SELECT o.id FROM version o JOIN memory k ON k.id=o.memory
					WHERE o.path=? AND o.change<=? AND o.op<>'deleted' AND k.store=? ORDER BY o.id DESC LIMIT 1)
				AND NOT EXISTS(SELECT 1 FROM version l WHERE l.memory=v.memory AND l.number=v.number+1 AND l.change<=?)`,
			versions.Key(p), r.change, s.Row, r.change)
		if err != nil {
			return err
		}
		if len(es) == 0 {
			return fmt.Errorf("%w: %s", versions.ErrNoMemory, p.Tool())
		}
		e = es[0]
		return readFacts(s, q, &e)
	})
	return e, err
}

// readFacts sets the fields that depend on the content.
func readFacts(s *core.Store, q tables.Reader, e *versions.Entry) error {
	var blob int64
	err := q.Row(`SELECT id FROM blob WHERE sha=?`, e.SHA256[:]).Scan(&blob)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // its content is lost, and so is its hash
	}
	if err != nil {
		return err
	}
	b, err := blobs.Get(q, blob)
	if errors.Is(err, versions.ErrDamaged) {
		return nil
	}
	if err != nil {
		return err
	}
	f := tables.FactsOf(b, e.SHA256)
	e.Binary, e.Hidden = f.Binary, f.Hidden
	return nil
}
