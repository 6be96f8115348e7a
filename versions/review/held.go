package review

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
)

// Held lists the held changes of the store, oldest first.
func Held(ctx context.Context, s *core.Store, f versions.HeldFilter) (out []versions.Held, err error) {
	var h versions.Held
	return db.All(s.Trail.DB.Rows(ctx, `SELECT `+plan.HeldColumns+`WHERE h.store=?1 AND (?2='' OR h.state=?2) AND (?3='' OR s.uid=?3)
		AND (?4='' OR h.path=?4 OR h.path>?4||'/' AND h.path<?4||'0') ORDER BY h.id`, s.Row, string(f.State), string(f.Session), versions.Key(f.In)), &h, plan.Columns(&h)...)
}

// HeldChange returns one held change, of any store of the home.
func HeldChange(ctx context.Context, t *core.Trail, n int64) (versions.Held, error) {
	return core.ViewOf(ctx, t, func(q tables.Reader) (versions.Held, error) { return plan.HeldChange(q, n) })
}

// Accept applies a held change that a person has read, as its plan showed it. Its memories are reviewed with it, except one of which
// earlier changes are to be reviewed.
func Accept(ctx context.Context, s *core.Store, by versions.By, p *plan.Plan, choices map[versions.MemoryID]planning.Choice) (versions.Change, error) {
	var reviewed []versions.MemoryID
	for _, it := range slices.Concat(p.Conflicts, p.Merged, p.Clean, p.Nothing) {
		pending, err := PendingOf(ctx, s, it.Memory, by.Actor)
		if err != nil && !errors.Is(err, versions.ErrNoMemory) { // the change may create it
			return versions.Change{}, err
		}
		if pending.Decided() {
			reviewed = append(reviewed, it.Memory)
		}
	}
	c, err := plan.Apply(ctx, s, by, p, choices)
	if err != nil || c.Number == 0 {
		return c, err
	}
	upTo := map[versions.MemoryID]int64{}
	for _, m := range reviewed {
		upTo[m] = c.Number
	}
	if _, err := MarkReviewed(ctx, s, upTo); err != nil {
		return c, fmt.Errorf("change %d accepts it, but it is not marked as reviewed: %w", c.Number, err)
	}
	return c, nil
}

// Reject decides against a held change. The reason is shown to whoever wanted it. Lines that it would
// have added are remembered: a change that brings them back is held, whatever the policy says. Only a
// person may reject.
func Reject(ctx context.Context, s *core.Store, by versions.By, n int64, reason string) error {
	return core.AsPerson(ctx, s, by, fmt.Sprintf("reject #%d", n), func(x *core.Txn) error {
		h, err := plan.Waiting(x, n)
		if err != nil {
			return err
		}
		if h.Store != s.Opened.ID {
			return fmt.Errorf("%w: #%d belongs to another store", versions.ErrNoHeld, n)
		}
		if err := x.RememberRejected(n); err != nil {
			return err
		}
		return x.Decided(n, versions.HeldRejected, by, 0, reason)
	})
}
