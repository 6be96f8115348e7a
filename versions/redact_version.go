package versions

import (
	"context"
	"errors"
)

// RedactVersion erases one version, regardless of concurrent plans and writes. It rejects
// the current version of a memory (ErrCurrent). It returns an already redacted version
// without a receipt.
func (s *Store) RedactVersion(ctx context.Context, by By, id VersionID, c Scrub) (v ListedVersion, r Receipt, err error) {
	for range maxTries {
		if v, err = s.ListedVersion(ctx, id, false); err != nil || !v.Redacted.IsZero() {
			return v, r, err
		}
		var p RedactPlan
		if p, err = s.PlanRedact(ctx, RedactTarget{Version: id}); err != nil {
			return v, r, err
		}
		r, err = s.Redact(ctx, by, p, RedactChoice{Heads: HeadRefuse, Scrub: c})
		stale := (*StalePlanError)(nil)
		switch {
		case errors.As(err, &stale), errors.Is(err, ErrNothing): // someone else was faster
		case err != nil && r.ID == 0:
			return v, r, err
		default: // the receipt records failures after the erasure
			after, aerr := s.ListedVersion(context.WithoutCancel(ctx), id, false)
			if aerr == nil && !after.Redacted.IsZero() {
				err = nil
			}
			return after, r, errors.Join(err, aerr)
		}
	}
	return v, r, err
}
