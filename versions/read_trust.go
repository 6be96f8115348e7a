package versions

import (
	"context"
	"errors"
)

// Reads for a person who reviews what others want to change and what they have changed.

// Unreviewed lists versions by actors other than me that were made since their memory was reviewed, the
// newest first, at most limit of them. It leaves out what was undone. Lines are not counted.
func (s *Store) Unreviewed(ctx context.Context, me Actor, limit int) (out []Version, err error) {
	err = s.t.view(ctx, func(q reader) error {
		stored, err := scanVersions(q, `SELECT `+versionColumns+versionTables+`JOIN store st ON st.id=c.store LEFT JOIN look l ON l.memory=v.memory
			WHERE c.store=? AND c.number>`+reviewedUpTo+` AND c.number>coalesce(l.seen,0) AND NOT (a.kind=? AND a.name=?) AND (c.undone_by IS NULL OR `+inEffect+`)
			ORDER BY v.id DESC LIMIT ?`, s.id, string(me.Kind), me.Name, limit)
		for _, v := range stored {
			out = append(out, v.Version)
		}
		return err
	})
	return out, err
}

// PlansHeld is Plan for accepting each of several held changes, by their numbers, from one snapshot. It does not scan the folder:
// Apply finds out if a file differs from the plan. A change that can't be planned, because its
// text was redacted, has no plan.
func (s *Store) PlansHeld(ctx context.Context, numbers ...int64) (map[int64]*Plan, error) {
	out := map[int64]*Plan{}
	err := s.t.view(ctx, func(q reader) error {
		for _, n := range numbers {
			p := &planner{s: s, q: q, dir: s.folder(), goal: Accept(n), done: ctx.Done()}
			err := p.compute()
			if decided := (*DecidedError)(nil); errors.As(err, &decided) || errors.Is(err, ErrNoHeld) {
				continue
			}
			if err != nil {
				return err
			}
			if out[n], err = p.plan(); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// trustState differs after each hold and decision, after each change of a policy or a pin, after each
// redaction, and after each look at the store's branch.
type trustState struct{ held, waiting, policy, pins, pinned, redactions, seen int64 }

// trustColumns select it for store ?1, in the order of dest.
var trustColumns = `(SELECT coalesce(max(id),0) FROM held), (SELECT count(*) FROM held WHERE store=?1 AND state='waiting'),
	(SELECT coalesce(max(id),0) FROM policy), (SELECT count(*) FROM pin WHERE store=?1), (SELECT coalesce(max(ts),0) FROM pin WHERE store=?1),
	` + redactionsOf + `?1), coalesce((SELECT seen FROM branch WHERE store=?1),0)`

func (t *trustState) dest() []any {
	return []any{&t.held, &t.waiting, &t.policy, &t.pins, &t.pinned, &t.redactions, &t.seen}
}
