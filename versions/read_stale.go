package versions

import (
	"context"
	"fmt"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
)

// Stale is a memory that was not read for a long time.
type Stale struct {
	Memory   MemoryID
	Version  VersionID // its newest version
	Path     memfs.Path
	Size     int64
	Written  time.Time // when that version was made, also by a rename
	LastRead time.Time // zero: never, as far as the ledger knows
}

// StalePlan is what Stale found and Expire would delete.
type StalePlan struct {
	Unread   time.Duration
	Memories []Stale
	Recorded time.Time // time of the oldest read in the ledger of this store; zero: none

	lastRead int64 // the ledger's newest row at that time
}

// Stale finds the memories that no agent and no API client has read for the duration unread, and
// that nobody has written either. The ledger does not include reads of files that bypass memend.
// Recorded tells how far back the ledger goes.
func (s *Store) Stale(ctx context.Context, unread time.Duration) (*StalePlan, error) {
	if unread <= 0 {
		return nil, fmt.Errorf("stale memories: %w: the time must be longer than none", ErrInvalid)
	}
	if err := s.t.FlushReads(ctx); err != nil {
		return nil, err
	}
	plan := &StalePlan{Unread: unread}
	since := s.t.now().Add(-unread).UnixMicro()
	err := s.t.view(ctx, func(q reader) error {
		if err := q.Row(`SELECT coalesce((SELECT max(id) FROM read),0), (SELECT ts FROM read WHERE store=? ORDER BY id LIMIT 1)`, s.id).Scan(&plan.lastRead, timeTo(&plan.Recorded)); err != nil {
			return err
		}
		var err error
		plan.Memories, err = s.stale(q, since)
		return err
	})
	return plan, err
}

func (s *Store) stale(q reader, since int64) (out []Stale, err error) {
	var m Stale
	return db.All(q.Rows(`SELECT path,muid,vuid,bytes,ts,last FROM
		(SELECT h.*, (SELECT max(ts) FROM read WHERE memory=h.memory) last FROM head h WHERE h.store=? AND h.ts<?)
		WHERE coalesce(last,0)<? ORDER BY path`, s.id, since, since), &m,
		pathTo(&m.Path), idTo(&m.Memory), idTo(&m.Version), &m.Size, timeTo(&m.Written), timeTo(&m.LastRead))
}

// Expire deletes the memories of a plan as one change. It keeps and returns the memories that were
// read or changed since the plan was made. When that is all of them, there is no change. Expire
// can't know of reads that another process has not written yet.
func (s *Store) Expire(ctx context.Context, by By, plan *StalePlan) (c Change, kept []Stale, err error) {
	c, err = s.mutate(ctx, by, func(d *mutation) error {
		kept = nil
		var gone []memfs.Path
		reading, err := d.x.reading(s.t.ledger.unwritten(s))
		if err != nil {
			return err
		}
		for _, m := range plan.Memories {
			still, err := d.stillStale(plan, m, reading)
			if err != nil {
				return err
			}
			if !still {
				kept = append(kept, m)
				continue
			}
			gone = append(gone, m.Path)
		}
		d.asked = request{kind: KindDelete, path: common(gone)}
		for _, p := range gone {
			if err := d.remove(p); err != nil {
				return err
			}
		}
		return nil
	})
	return c, kept, err
}

// stillStale reports whether a memory is unchanged since the plan was made, in the folder too.
func (d *mutation) stillStale(plan *StalePlan, m Stale, reading map[int64]bool) (bool, error) {
	h, err := d.current(m.Path)
	if memfs.Is(err, memfs.OnlyPath|memfs.Busy) {
		return false, nil
	}
	if err != nil || !h.live() || reading[h.memory] {
		return false, err
	}
	var same, read bool
	err = d.x.Row(`SELECT (SELECT uid FROM version WHERE id=?1)=?2 AND memory.uid=?3, EXISTS(SELECT 1 FROM read WHERE memory=?4 AND id>?5) FROM memory WHERE id=?4`,
		h.version, ids.Parse(ids.VersionPrefix, string(m.Version)), ids.Parse(ids.MemoryPrefix, string(m.Memory)), h.memory, plan.lastRead).Scan(&same, &read)
	return same && !read, err
}
