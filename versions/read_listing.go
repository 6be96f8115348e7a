package versions

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
)

// headsTo lists the heads that changes up to number change wrote, ordered by the bytes of their
// paths.
func (s *Store) headsTo(q reader, actors map[int64]Actor, change int64) (out []Entry, err error) {
	many, err := s.howMany(q)
	if err != nil {
		return nil, err
	}
	var l *listing
	err = s.eachHead(q, true,
		func() {
			l = &listing{actors: actors, out: make([]Entry, 0, many)}
			makeReady(s.t, l.out)
		},
		func(r *headRow) error {
			if r.number > change {
				return nil
			}
			return l.add(r)
		})
	return l.out, err
}

const countHeads = `SELECT CASE (SELECT count(*) FROM store) WHEN 1 THEN (SELECT count(*) FROM head)
	ELSE (SELECT count(*) FROM head WHERE store=?) END`

// howMany returns the number of the store's heads. SQLite counts all heads without reading them.
func (s *Store) howMany(q reader) (n int, err error) {
	err = q.Row(countHeads, s.id).Scan(&n)
	return n, err
}

// listing builds entries from heads. It stores their texts together in a few blocks.
type listing struct {
	actors map[int64]Actor
	out    []Entry
	texts  texts
}

func (l *listing) add(r *headRow) (err error) {
	if !ids.Valid(r.muid) || !ids.Valid(r.vuid) || len(r.sha) != len(Hash{}) {
		return fmt.Errorf("%w: an id or a hash in the table of heads can't be one", ErrDamaged)
	}
	l.out = append(l.out, Entry{Kind: Memory, Actor: l.actors[r.actor], Change: r.number, Time: fromMicros(r.ts),
		Size: r.bytes, Binary: r.binary != 0, Hidden: int(r.hidden), SHA256: Hash(r.sha)})
	e := &l.out[len(l.out)-1]
	e.Written = writtenBefore(e, r.mtime)
	e.Path, err = l.texts.path(r.path)
	e.Memory, e.Version = MemoryID(l.texts.id(ids.MemoryPrefix, r.muid)), VersionID(l.texts.id(ids.VersionPrefix, r.vuid))
	return err
}

// writtenBefore returns when another program wrote the file of an entry, according to the file's
// time in nanoseconds, if that was before it was found.
func writtenBefore(e *Entry, mtime int64) time.Time {
	if t := time.Unix(0, mtime); e.Actor.Kind == Outside && mtime > 0 && t.Before(e.Time) {
		return t
	}
	return time.Time{}
}

// texts stores many short texts in a few blocks, which saves an allocation for each.
type texts struct{ b []byte }

// textsBytes is the size of a block. It is small because a text keeps its whole block alive: a
// caller that keeps one path from each of a thousand listings must not keep the listings.
const textsBytes = 4 << 10

// room returns the memory for the next n bytes.
func (t *texts) room(n int) []byte {
	if cap(t.b)-len(t.b) < n {
		t.b = make([]byte, 0, max(textsBytes, n))
	}
	from := len(t.b)
	t.b = t.b[:from+n]
	return t.b[from:]
}

// text returns a string that shares the bytes of b, which must not be written again.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func (t *texts) path(b []byte) (memfs.Path, error) {
	room := t.room(len(b))
	copy(room, b)
	return pathOf(text(room))
}

func (t *texts) id(prefix string, uid []byte) string {
	if len(uid) != ids.Size {
		return ids.Format(prefix, uid)
	}
	room := t.room(len(prefix) + ids.Text.EncodedLen(ids.Size))
	ids.Text.Encode(room[copy(room, prefix):], uid)
	return text(room)
}
