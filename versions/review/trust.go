package review

import (
	"context"
	"database/sql"
	"errors"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/plan"
)

// Reads for a person who reviews what others want to change and what they have changed.

// Unreviewed lists versions by actors other than me that were made since their memory was reviewed, the
// newest first, at most limit of them. It leaves out what was undone. Lines are not counted.
func Unreviewed(ctx context.Context, s *core.Store, me versions.Actor, limit int) (out []versions.Version, err error) {
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		stored, err := tables.ScanVersions(q, `SELECT `+tables.VersionColumns+tables.VersionTables+`JOIN store st ON st.id=c.store LEFT JOIN look l ON l.memory=v.memory
			WHERE c.store=? AND c.number>`+reviewedUpTo+` AND c.number>coalesce(l.seen,0) AND NOT (a.kind=? AND a.name=?) AND (c.undone_by IS NULL OR `+tables.InEffect+`)
			ORDER BY v.id DESC LIMIT ?`, s.Row, string(me.Kind), me.Name, limit)
		if err != nil {
			return err
		}
		for _, v := range stored {
			if !v.Redacted.IsZero() { // its path is erased, too: that of the memory is known, if it exists
				if err := q.Row(`SELECT h.path FROM version v JOIN head h ON h.memory=v.memory WHERE v.id=?`, v.Row).Scan(tables.PathTo(&v.Path)); err != nil && !errors.Is(err, sql.ErrNoRows) {
					return err
				}
			}
			out = append(out, v.Version)
		}
		return nil
	})
	return out, err
}

// PlansHeld is Plan for accepting each of several held changes, by their numbers, from one snapshot. It does not scan the folder:
// Apply finds out if a file differs from the plan. A change that can't be planned, because its
// text was redacted, has no plan.
func PlansHeld(ctx context.Context, s *core.Store, numbers ...int64) (map[int64]*plan.Plan, error) {
	out := map[int64]*plan.Plan{}
	err := core.View(ctx, s.Trail, func(q tables.Reader) error {
		for _, n := range numbers {
			p := &plan.Planner{Store: s, Reader: q, Dir: core.Folder(s), Goal: plan.Accept(n), Done: ctx.Done()}
			err := p.Compute()
			if decided := (*versions.DecidedError)(nil); errors.As(err, &decided) || errors.Is(err, versions.ErrNoHeld) {
				continue
			}
			if err != nil {
				return err
			}
			if out[n], err = p.Plan(); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}
