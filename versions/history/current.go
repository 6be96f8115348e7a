package history

import (
	"context"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// Store returns the description of a store, or ErrNoStore when no store has this id.
func Store(ctx context.Context, t *core.Trail, id versions.StoreID) (versions.StoreInfo, error) {
	info, _, err := core.StoreByID(ctx, t, id)
	return info, err
}

// firstTime returns the SQL expression for the time of a memory's first version.
func firstTime(memory string) string {
	return `(SELECT c.ts FROM version f JOIN change c ON c.id=f.change WHERE f.memory=` + memory + ` ORDER BY f.number LIMIT 1)`
}

var currentColumns = `h.path,h.muid,h.vuid,h.sha,h.bytes,` + firstTime("h.memory") + `,h.ts,(SELECT blob FROM version WHERE id=h.version)`

// currentRow is a current memory and the row of its content.
type currentRow struct {
	versions.Current
	blob int64
}

// columns are the destinations of the currentColumns.
func (m *currentRow) columns() []any {
	return []any{tables.PathTo(&m.Path), tables.IDTo(&m.Memory), tables.IDTo(&m.Version), tables.HashTo(&m.SHA256), &m.Size, tables.TimeTo(&m.Created), tables.TimeTo(&m.Updated), &m.blob}
}

// Current returns the current state of the memory with this id, with its content if content is set.
// It returns ErrNoMemory when the memory is deleted or in another store.
func Current(ctx context.Context, s *core.Store, id versions.MemoryID, content bool) (m versions.Current, err error) {
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		var row currentRow
		err := q.Row(`SELECT `+currentColumns+` FROM head h
			WHERE h.memory=(SELECT id FROM memory WHERE uid=?) AND h.store=? AND h.binary=0`, ids.Parse(ids.MemoryPrefix, string(id)), s.Row).Scan(row.columns()...)
		if err != nil {
			return tables.NotFound(err, versions.ErrNoMemory, string(id))
		}
		if m = row.Current; content {
			m.Content, err = blobs.Get(q, row.blob)
		}
		return err
	})
	return m, err
}

// CurrentAs returns the memory as the version in a row describes it.
func CurrentAs(x *core.Txn, version int64) (versions.Current, error) {
	var m currentRow
	err := x.Row(`SELECT v.path,m.uid,v.uid,b.sha,b.size,`+firstTime("v.memory")+`,c.ts,v.blob
		FROM version v JOIN memory m ON m.id=v.memory JOIN change c ON c.id=v.change JOIN blob b ON b.id=v.blob WHERE v.id=?`, version).Scan(m.columns()...)
	return m.Current, err
}

// Text reads the file of a memory and returns its head. It returns ErrNoMemory when the memory is
// deleted or not UTF-8.
func Text(d *core.Mutation, id versions.MemoryID) (h tables.Head, err error) {
	var memory int64
	err = d.Txn.Row(`SELECT id FROM memory WHERE uid=? AND store=?`, ids.Parse(ids.MemoryPrefix, string(id)), d.Txn.Store.Row).Scan(&memory)
	if err != nil {
		return h, tables.NotFound(err, versions.ErrNoMemory, string(id))
	}
	if h, err = d.Txn.HeadOf(memory); err == nil && h.Live() {
		h, err = d.Current(h.Path)
	}
	if err != nil {
		return h, err
	}
	if h.Memory == memory {
		f, err := d.Txn.FactsOfHead(h)
		if err != nil || !f.Binary {
			return h, err
		}
	}
	return h, fmt.Errorf("%w: %s", versions.ErrNoMemory, id)
}
