package versions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
)

// Current is a memory as it stands, by its id: what the memory-stores API tells
// of one. A file that is no text (not UTF-8) is none there, and none here.
type Current struct {
	Memory  MemoryID
	Version VersionID // its head
	Path    memfs.Path
	Size    int64
	SHA256  Hash
	Created time.Time // of the memory's first version
	Updated time.Time // of its head
	Content []byte    // where it was asked for
	Damaged bool      // of a list with contents: it is, in the trail, and Content is nil
}

// Store says what a store is; ErrNoStore when there is none of this id.
func (t *Trail) Store(ctx context.Context, id StoreID) (StoreInfo, error) {
	info, _, err := t.storeByID(ctx, id)
	return info, err
}

// firstTime is when the memory in a column got its first version.
func firstTime(memory string) string {
	return `(SELECT c.ts FROM version f JOIN change c ON c.id=f.change WHERE f.memory=` + memory + ` ORDER BY f.number LIMIT 1)`
}

var standingColumns = `h.path,h.muid,h.vuid,h.sha,h.bytes,` + firstTime("h.memory") + `,h.ts,(SELECT blob FROM version WHERE id=h.version)`

func scanStanding(row scanner) (m Current, blob int64, err error) {
	var path string
	var memory, version, sha []byte
	var created, updated int64
	if err := row.Scan(&path, &memory, &version, &sha, &m.Size, &created, &updated, &blob); err != nil {
		return m, 0, err
	}
	m.Memory, m.Version = MemoryID(ids.Format(ids.MemoryPrefix, memory)), VersionID(ids.Format(ids.VersionPrefix, version))
	copy(m.SHA256[:], sha)
	m.Created, m.Updated = fromMicros(created), fromMicros(updated)
	m.Path, err = pathOf(path)
	return m, blob, err
}

// Current is the memory of this id as it stands, with its content if that is
// wanted; ErrNoMemory when it is deleted or another store's.
func (s *Store) Current(ctx context.Context, id MemoryID, content bool) (m Current, err error) {
	err = s.t.view(ctx, func(q reader) error {
		var blob int64
		m, blob, err = scanStanding(q.Row(`SELECT `+standingColumns+` FROM head h
			WHERE h.memory=(SELECT id FROM memory WHERE uid=?) AND h.store=? AND h.binary=0`, ids.Parse(ids.MemoryPrefix, string(id)), s.id))
		if err != nil {
			return notFound(err, ErrNoMemory, string(id))
		}
		if content {
			m.Content, err = blobContent(q, blob)
		}
		return err
	})
	return m, err
}

// standingAs is the memory that a version, by its row, makes of it.
func (x *txn) standingAs(version int64) (m Current, err error) {
	var path string
	var memory, uid, sha []byte
	var created, updated int64
	err = x.Row(`SELECT v.path,m.uid,v.uid,b.sha,b.size,`+firstTime("v.memory")+`,c.ts
		FROM version v JOIN memory m ON m.id=v.memory JOIN change c ON c.id=v.change JOIN blob b ON b.id=v.blob WHERE v.id=?`, version).
		Scan(&path, &memory, &uid, &sha, &m.Size, &created, &updated)
	if err != nil {
		return m, err
	}
	m.Memory, m.Version = MemoryID(ids.Format(ids.MemoryPrefix, memory)), VersionID(ids.Format(ids.VersionPrefix, uid))
	copy(m.SHA256[:], sha)
	m.Created, m.Updated = fromMicros(created), fromMicros(updated)
	m.Path, err = pathOf(path)
	return m, err
}

// text is the head of the memory of an id, once the file is looked at; ErrNoMemory
// when it does not stand, or is no text.
func (d *mutation) text(id MemoryID) (h head, err error) {
	var memory int64
	err = d.x.Row(`SELECT id FROM memory WHERE uid=? AND store=?`, ids.Parse(ids.MemoryPrefix, string(id)), d.x.s.id).Scan(&memory)
	if err != nil {
		return h, notFound(err, ErrNoMemory, string(id))
	}
	if h, err = d.x.headOf(memory); err == nil && h.live() {
		h, err = d.current(h.path)
	}
	if err != nil && !errors.Is(err, memfs.ErrTooBig) {
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
