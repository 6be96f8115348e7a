package versions

import (
	"context"
	"errors"
	"fmt"
)

// redactHosted does what concerns one hosted store: memories that stand change first,
// as any mutation; then the service erases each version that it has; then here does it
// here. When the service can't be asked in the middle, nothing is erased here, and the
// same plan made again goes on from there. What the service erased and a dying process
// did not, the next pull erases.
func (s *Store) redactHosted(ctx context.Context, by By, p RedactPlan, c RedactChoice, here func(RedactPlan) error) error {
	if len(p.Live()) > 0 {
		var err error
		if p, err = s.takeOutHosted(ctx, by, p, c); err != nil {
			return err
		}
	}
	release, err := s.alone(ctx)
	if err != nil {
		return err
	}
	defer release()
	for i, v := range p.Erase {
		if v.ID.Unsent() {
			continue
		}
		tell(ctx, i, len(p.Erase), VersionsErased)
		_, err := s.up.Redact(ctx, v.ID)
		switch {
		case errors.Is(err, ErrNoVersion), errors.Is(err, ErrNoMemory):
			p.droppedThere++
		case err != nil:
			s.asked(err)
			return fmt.Errorf("redact: the service has erased %d of %d versions, here nothing is erased: %w", i, len(p.Erase), err)
		default:
			p.erasedThere++
		}
	}
	return here(p)
}

// takeOutHosted gives memories that stand their new text, or deletes them, and gives
// the plan as it is after that.
func (s *Store) takeOutHosted(ctx context.Context, by By, p RedactPlan, c RedactChoice) (RedactPlan, error) {
	var whose []int64
	for _, v := range p.Live() {
		whose = append(whose, v.memory)
	}
	done, err := s.mutateHosted(ctx, by, func(d *draft) error { return d.takeOutPlanned(p, c) })
	if err != nil {
		return p, err
	}
	p.taken = done.Number
	for i := range p.Erase {
		p.Erase[i].Live = false
	}
	err = s.t.view(ctx, func(q reader) error {
		if err := q.row(`SELECT coalesce(max(id),0) FROM version`).Scan(&p.newest); err != nil {
			return err
		}
		gone, err := plannedVersions(q, `v.op='deleted' AND c.number=? AND c.store=? AND v.memory IN (SELECT value FROM json_each(?))`, done.Number, s.id, asJSON(whose))
		if err != nil {
			return err
		}
		for _, v := range gone {
			if p.Target.Memory != "" || p.tellsPath(v.Path) {
				p.Erase = append(p.Erase, v)
			}
		}
		if p.tellsPath(done.Path) {
			ids, err := q.ids(`SELECT id FROM change WHERE store=? AND number=?`, s.id, done.Number)
			if err != nil {
				return err
			}
			p.changes = append(p.changes, ids...)
		}
		return nil
	})
	return p, err
}
