package versions

import (
	"fmt"
	"time"

	"github.com/memend/memend/versions/ids"
)

// headsTo lists the heads that changes up to number change wrote, ordered by the bytes of their
// paths.
func (s *Store) headsTo(q reader, actors map[int64]Actor, change int64) ([]Entry, error) {
	many, err := s.howMany(q)
	out := make([]Entry, 0, many)
	r := headReader{s: s, q: q, query: listedHeads, err: err}
	for r.next() {
		if e := r.entry(actors); e.Change <= change {
			out = append(out, e)
		}
	}
	return out, r.err
}

// entry reads a head.
func (r *headReader) entry(actors map[int64]Actor) Entry {
	e := Entry{Kind: Memory, Change: r.number(), Actor: actors[r.number()], Time: fromMicros(r.number()),
		Size: r.number(), Binary: r.number() != 0, Hidden: int(r.number())}
	e.Written = writtenBefore(&e, r.number())
	path, memory, version, sha := r.path(), []byte(r.text()), []byte(r.text()), r.text()
	if !ids.Valid(memory) || !ids.Valid(version) || len(sha) != len(Hash{}) {
		r.failed(fmt.Errorf("%w: an id or a hash in the table of heads can't be one", ErrDamaged))
	}
	copy(e.SHA256[:], sha)
	// One text for the three saves memory. It is not one for all entries: a screen that keeps a path of each of a
	// thousand listings must not keep the listings.
	var room [256]byte
	b := append(room[:0], path...)
	b = ids.Append(b, ids.MemoryPrefix, memory)
	end := len(b)
	text := string(ids.Append(b, ids.VersionPrefix, version))
	p, err := pathOf(text[:len(path)])
	if err != nil {
		r.failed(err)
	}
	e.Path, e.Memory, e.Version = p, MemoryID(text[len(path):end]), VersionID(text[end:])
	return e
}

// writtenBefore returns when another program wrote the file of an entry, according to the file's
// time in nanoseconds, if that was before it was found.
func writtenBefore(e *Entry, mtime int64) time.Time {
	if t := time.Unix(0, mtime); e.Actor.Kind == Outside && mtime > 0 && t.Before(e.Time) {
		return t
	}
	return time.Time{}
}
