package history

import (
	"fmt"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// headsTo lists the heads that changes up to number change wrote, ordered by the bytes of their
// paths.
func headsTo(s *core.Store, q tables.Reader, actors map[int64]versions.Actor, change int64) ([]versions.Entry, error) {
	many, err := core.HowMany(s, q)
	if err != nil {
		return nil, err
	}
	out := make([]versions.Entry, 0, many)
	err = core.EachHead(s, q, tables.ListedHeads, func(r *core.HeadReader) {
		if e := entry(r, actors); e.Change <= change {
			out = append(out, e)
		}
	})
	return out, err
}

// entry reads a head.
func entry(r *core.HeadReader, actors map[int64]versions.Actor) versions.Entry {
	e := versions.Entry{Kind: versions.Memory, Change: r.Number(), Actor: actors[r.Number()], Time: tables.FromMicros(r.Number()),
		Size: r.Number(), Binary: r.Number() != 0, Hidden: int(r.Number())}
	e.Written = writtenBefore(&e, r.Number())
	path, memory, version, sha := r.Text(), []byte(r.Text()), []byte(r.Text()), r.Text()
	if !ids.Valid(memory) || !ids.Valid(version) || len(sha) != len(versions.Hash{}) {
		r.Failed(fmt.Errorf("%w: an id or a hash in the table of heads can't be one", versions.ErrDamaged))
	}
	copy(e.SHA256[:], sha)
	// One text for the three saves memory. It is not one for all entries: a screen that keeps a path of each of a
	// thousand listings must not keep the listings.
	var room [256]byte
	b := append(room[:0], path...)
	b = ids.Append(b, ids.MemoryPrefix, memory)
	end := len(b)
	text := string(ids.Append(b, ids.VersionPrefix, version))
	p, err := tables.PathOf(text[:len(path)])
	if err != nil {
		r.Failed(err)
	}
	e.Path, e.Memory, e.Version = p, versions.MemoryID(text[len(path):end]), versions.VersionID(text[end:])
	return e
}

// writtenBefore returns when another program wrote the file of an entry, according to the file's
// time in nanoseconds, if that was before it was found.
func writtenBefore(e *versions.Entry, mtime int64) time.Time {
	if t := time.Unix(0, mtime); e.Actor.Kind == versions.Outside && mtime > 0 && t.Before(e.Time) {
		return t
	}
	return time.Time{}
}
