package history

import (
	"context"
	"fmt"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// Stale finds the memories that no agent and no API client has read for the duration unread, and
// that nobody has written either. The ledger does not include reads of files that bypass memend.
// Recorded tells how far back the ledger goes.
func Stale(ctx context.Context, s *core.Store, unread time.Duration) (*versions.StalePlan, error) {
	if unread <= 0 {
		return nil, fmt.Errorf("stale memories: %w: the time must be longer than none", versions.ErrInvalid)
	}
	if err := s.Trail.FlushReads(ctx); err != nil {
		return nil, err
	}
	plan := &versions.StalePlan{Unread: unread}
	since := s.Trail.Now().Add(-unread).UnixMicro()
	err := core.View(ctx, s.Trail, func(q tables.Reader) error {
		if err := q.Row(`SELECT coalesce((SELECT max(id) FROM read),0), (SELECT ts FROM read WHERE store=? ORDER BY id LIMIT 1)`, s.Row).Scan(&plan.LastRead, tables.TimeTo(&plan.Recorded)); err != nil {
			return err
		}
		var err error
		plan.Memories, err = stale(s, q, since)
		return err
	})
	return plan, err
}

func stale(s *core.Store, q tables.Reader, since int64) (out []versions.Stale, err error) {
	var m versions.Stale
	return db.All(q.Rows(`SELECT path,muid,vuid,bytes,ts,last FROM
		(SELECT h.*, (SELECT max(ts) FROM read WHERE memory=h.memory) last FROM head h WHERE h.store=? AND h.ts<?)
		WHERE coalesce(last,0)<? ORDER BY path`, s.Row, since, since), &m,
		tables.PathTo(&m.Path), tables.IDTo(&m.Memory), tables.IDTo(&m.Version), &m.Size, tables.TimeTo(&m.Written), tables.TimeTo(&m.LastRead))
}

// Expire deletes the memories of a plan as one change. It keeps and returns the memories that were
// read or changed since the plan was made. When that is all of them, there is no change. Expire
// can't know of reads that another process has not written yet.
func Expire(ctx context.Context, s *core.Store, by versions.By, plan *versions.StalePlan) (c versions.Change, kept []versions.Stale, err error) {
	c, err = core.Mutate(ctx, s, by, func(d *core.Mutation) error {
		kept = nil
		var gone []memfs.Path
		reading, err := d.Txn.Reading(s.Trail.Ledger.Unwritten(s))
		if err != nil {
			return err
		}
		for _, m := range plan.Memories {
			still, err := stillStale(d, plan, m, reading)
			if err != nil {
				return err
			}
			if !still {
				kept = append(kept, m)
				continue
			}
			gone = append(gone, m.Path)
		}
		d.Asked = core.Request{Kind: versions.KindDelete, Path: versions.Common(gone)}
		for _, p := range gone {
			if err := d.Remove(p); err != nil {
				return err
			}
		}
		return nil
	})
	return c, kept, err
}

// stillStale reports whether a memory is unchanged since the plan was made, in the folder too.
func stillStale(d *core.Mutation, plan *versions.StalePlan, m versions.Stale, reading map[int64]bool) (bool, error) {
	h, err := d.Current(m.Path)
	if memfs.Is(err, memfs.OnlyPath|memfs.Busy) {
		return false, nil
	}
	if err != nil || !h.Live() || reading[h.Memory] {
		return false, err
	}
	var same, read bool
	err = d.Txn.Row(`SELECT (SELECT uid FROM version WHERE id=?1)=?2 AND memory.uid=?3, EXISTS(SELECT 1 FROM read WHERE memory=?4 AND id>?5) FROM memory WHERE id=?4`,
		h.Version, ids.Parse(ids.VersionPrefix, string(m.Version)), ids.Parse(ids.MemoryPrefix, string(m.Memory)), h.Memory, plan.LastRead).Scan(&same, &read)
	return same && !read, err
}
