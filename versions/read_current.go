package versions

import (
	"context"
	"fmt"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/ids"
)

// Current is the current state of a memory as the memory-stores API describes it. A file that is
// not UTF-8 is not a memory in that API, and has no Current.
type Current struct {
	Memory  MemoryID
	Version VersionID // its head
	Path    memfs.Path
	Size    int64
	SHA256  Hash
	Created time.Time // of the memory's first version
	Updated time.Time // of its head
	Content []byte    // when requested
	Damaged bool      // in a list with contents: the content is damaged in the trail, and Content is nil
}

// Store returns the description of a store, or ErrNoStore when no store has this id.
func (t *Trail) Store(ctx context.Context, id StoreID) (StoreInfo, error) {
	info, _, err := t.storeByID(ctx, id)
	return info, err
}

// firstTime returns the SQL expression for the time of a memory's first version.
func firstTime(memory string) string {
	return `(SELECT c.ts FROM version f JOIN change c ON c.id=f.change WHERE f.memory=` + memory + ` ORDER BY f.number LIMIT 1)`
}

var currentColumns = `h.path,h.muid,h.vuid,h.sha,h.bytes,` + firstTime("h.memory") + `,h.ts,(SELECT blob FROM version WHERE id=h.version)`

// currentRow is a current memory and the row of its content.
type currentRow struct {
	Current
	blob int64
}

// columns are the destinations of the currentColumns.
func (m *currentRow) columns() []any {
	return []any{pathTo(&m.Path), idTo(&m.Memory), idTo(&m.Version), hashTo(&m.SHA256), &m.Size, timeTo(&m.Created), timeTo(&m.Updated), &m.blob}
}

// Current returns the current state of the memory with this id, with its content if content is set.
// It returns ErrNoMemory when the memory is deleted or in another store.
func (s *Store) Current(ctx context.Context, id MemoryID, content bool) (m Current, err error) {
	err = s.t.view(ctx, func(q reader) error {
		var row currentRow
		err := q.Row(`SELECT `+currentColumns+` FROM head h
			WHERE h.memory=(SELECT id FROM memory WHERE uid=?) AND h.store=? AND h.binary=0`, ids.Parse(ids.MemoryPrefix, string(id)), s.id).Scan(row.columns()...)
		if err != nil {
			return notFound(err, ErrNoMemory, string(id))
		}
		if m = row.Current; content {
			m.Content, err = blobs.Get(q, row.blob)
		}
		return err
	})
	return m, err
}

// currentAs returns the memory as the version in a row describes it.
func (x *txn) currentAs(version int64) (Current, error) {
	var m currentRow
	err := x.Row(`SELECT v.path,m.uid,v.uid,b.sha,b.size,`+firstTime("v.memory")+`,c.ts,v.blob
		FROM version v JOIN memory m ON m.id=v.memory JOIN change c ON c.id=v.change JOIN blob b ON b.id=v.blob WHERE v.id=?`, version).Scan(m.columns()...)
	return m.Current, err
}

// text reads the file of a memory and returns its head. It returns ErrNoMemory when the memory is
// deleted or not UTF-8.
func (d *mutation) text(id MemoryID) (h head, err error) {
	var memory int64
	err = d.x.Row(`SELECT id FROM memory WHERE uid=? AND store=?`, ids.Parse(ids.MemoryPrefix, string(id)), d.x.s.id).Scan(&memory)
	if err != nil {
		return h, notFound(err, ErrNoMemory, string(id))
	}
	if h, err = d.x.headOf(memory); err == nil && h.live() {
		h, err = d.current(h.path)
	}
	if err != nil {
		return h, err
	}
	if h.memory == memory {
		f, err := d.x.factsOfHead(h)
		if err != nil || !f.binary {
			return h, err
		}
	}
	return h, fmt.Errorf("%w: %s", ErrNoMemory, id)
}
