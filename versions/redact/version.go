package redact

import (
	"context"
	"errors"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
)

// Version erases one version, regardless of concurrent plans and writes. It rejects
// the current version of a memory (ErrCurrent). It returns an already redacted version
// without a receipt.
func Version(ctx context.Context, s *core.Store, by versions.By, id versions.VersionID, c versions.Scrub) (v versions.ListedVersion, r versions.Receipt, err error) {
	for range core.MaxTries {
		if v, err = history.ListedVersion(ctx, s, id, false); err != nil || !v.Redacted.IsZero() {
			return v, r, err
		}
		var p Plan
		if p, err = Prepare(ctx, s, versions.RedactTarget{Version: id}); err != nil {
			return v, r, err
		}
		r, err = Do(ctx, s, by, p, versions.RedactChoice{Heads: versions.HeadRefuse, Scrub: c})
		stale := (*versions.StalePlanError)(nil)
		switch {
		case errors.As(err, &stale), errors.Is(err, versions.ErrNothing): // someone else was faster
		case err != nil && r.ID == 0:
			return v, r, err
		default: // the receipt records failures after the erasure
			after, aerr := history.ListedVersion(context.WithoutCancel(ctx), s, id, false)
			if aerr == nil && !after.Redacted.IsZero() {
				err = nil
			}
			return after, r, errors.Join(err, aerr)
		}
	}
	return v, r, err
}
