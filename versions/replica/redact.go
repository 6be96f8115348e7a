package replica

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/redact"
)

// A hosted store's service keeps its own versions and can be unreachable. So the journal
// lists the versions that the service still has to erase (redact.Entry.Upstream), by row; the list
// holds no text. A row leaves the list when the service reports the version as erased or
// unknown. While the list is not empty, the redaction is unfinished, even if everything is
// erased here.
//
//	journal   with the list; see Redact
//	service   current memories get their new text there, as by any mutation; then the
//	          service erases each listed version
//	here      heads, flush, sweep, erase, clear and truncate, as for any store
//
// If the service rejects the request before it did anything, the redaction is withdrawn.
// Otherwise it continues here without the service, and after a crash the next open does
// the part "here" without a connection. A later Pull sends the new texts of current
// memories, as it sends what other programs write, and then works through the list.

// RedactUpstream does the service's part of a redaction. The caller holds the upstream lock.
// begun reports whether the service did, or may have done, any of it.
func (s *replica) RedactUpstream(ctx context.Context, r *redact.Redacting, part *redact.RedactedPart) (begun bool, err error) {
	if err := core.AtStep(s.Trail, "before-service"); err != nil {
		return true, err
	}
	if len(part.Plan.Current()) > 0 {
		done, err := s.mutateHostedAlone(ctx, r.By, func(d *core.Mutation) error { return redact.TakeOutPlanned(d, part.Plan, r.Choice) })
		if err != nil {
			return versions.MayBeDone(err), err
		}
		part.Plan.Taken = done.Number
		if err := core.AtStep(s.Trail, "after-service-heads"); err != nil {
			return true, err
		}
	}
	n, err := s.EraseUpstream(ctx, part)
	return n > 0 || part.Plan.Taken > 0 || versions.MayBeDone(err), err
}

// EraseUpstream makes the service erase the listed versions of a redaction, and removes the
// erased ones from the list. If the service rejects one version, it continues with the
// others. n counts the versions that are erased or unknown there. The caller holds the
// upstream lock.
func (s *replica) EraseUpstream(ctx context.Context, part *redact.RedactedPart) (n int, err error) {
	list, err := s.listedUpstream(context.WithoutCancel(ctx), part.ID)
	if err != nil || len(list) == 0 && part.Plan.Taken == 0 {
		return 0, err
	}
	out := struckOff{change: part.Plan.Taken}
	waiting := 0
	for i, v := range list {
		if v.id.Unsent() || v.current {
			waiting++
			continue
		}
		versions.ReportProgress(ctx, versions.Progress{Done: i, Total: len(list), Of: versions.VersionsErased})
		_, rerr := s.Service.Redact(ctx, v.id)
		switch {
		case errors.Is(rerr, versions.ErrNoVersion), errors.Is(rerr, versions.ErrNoMemory):
			out.dropped++
		case rerr == nil:
			out.erased++
		default:
			err = errors.Join(err, fmt.Errorf("version %s: %w", v.id, rerr))
		}
		if rerr == nil || errors.Is(rerr, versions.ErrNoVersion) || errors.Is(rerr, versions.ErrNoMemory) {
			out.rows = append(out.rows, v.row)
			if serr := core.AtStep(s.Trail, "service-mid"); serr != nil {
				return len(out.rows), serr
			}
			continue
		}
		if !errors.As(rerr, new(*versions.HostedRefusal)) {
			s.noteAnswer(rerr)
			break
		}
	}
	if err == nil { // the rest was never sent or was restored: the service has nothing to erase
		out.all = waiting > 0
	} else {
		out.why = err.Error()
	}
	if serr := core.AtStep(s.Trail, "before-strike"); serr != nil {
		return len(out.rows), serr
	}
	return len(out.rows), errors.Join(err, s.strike(context.WithoutCancel(ctx), part.ID, out))
}

// upstreamVersion is a version that the service still has to erase.
type upstreamVersion struct {
	row     int64
	id      versions.VersionID
	current bool // it is current: eraseVersion skips it as well
}

func (s *replica) listedUpstream(ctx context.Context, redaction int64) (out []upstreamVersion, err error) {
	rs, err := redact.Entries(ctx, s.Trail, `r.id=?`, redaction)
	if err != nil || len(rs) == 0 {
		return nil, err
	}
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		for _, row := range rs[0].Upstream {
			v := upstreamVersion{row: row}
			err := q.Row(`SELECT uid,EXISTS(SELECT 1 FROM head WHERE memory=v.memory AND version=v.id) FROM version v WHERE id=?`, row).Scan(tables.IDTo(&v.id), &v.current)
			if err != nil {
				return err
			}
			out = append(out, v)
		}
		return nil
	})
	return out, err
}

// struckOff is the result of a service's work on a redaction.
type struckOff struct {
	rows            []int64 // versions that it no longer has
	all             bool    // nothing is left there
	erased, dropped int
	change          int64  // the change that removed the text from current memories
	why             string // why versions are left
}

// strike records the result of a service's work on a redaction. If nothing is left there
// and the work here is done, the redaction is finished.
func (s *replica) strike(ctx context.Context, id int64, o struckOff) error {
	unlock, err := s.Trail.DB.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return core.InTx(ctx, s.Store, func(x *core.Txn) error {
		e, err := redact.ByID(x.TrailTxn, id)
		if err != nil {
			return err
		}
		e.Upstream = slices.DeleteFunc(e.Upstream, func(row int64) bool { return o.all || slices.Contains(o.rows, row) })
		e.ErasedUpstream += o.erased
		e.GoneUpstream += o.dropped
		e.WhyUpstream = o.why
		if o.change > 0 {
			e.Change = o.change
		}
		stage := e.Stage
		if stage == tables.StageUpstream && len(e.Upstream) == 0 {
			stage = tables.StageDone
		}
		redact.Advance(x.TrailTxn, e, stage)
		return x.Err()
	})
}

// finishUpstream makes the service erase what is left there of the store's earlier
// redactions. The receipt records what the service rejects, and the next pull asks again.
// The caller holds the upstream lock and has sent all unsent changes.
func (s *replica) finishUpstream(ctx context.Context) error {
	var ids []int64
	err := core.View(ctx, s.Trail, func(q tables.Reader) (err error) {
		ids, err = db.Values[int64](q.Rows(`SELECT id FROM redaction WHERE store=? AND pending<>0 AND pending<? AND `+redact.HasUpstream+` ORDER BY id`, s.Row, tables.StagePlanned))
		return err
	})
	for _, id := range ids {
		_, rerr := s.EraseUpstream(ctx, &redact.RedactedPart{Store: s.Store, ID: id})
		var trouble *versions.UpstreamError
		if errors.As(rerr, new(*versions.HostedRefusal)) || errors.As(rerr, &trouble) && trouble.Trouble == versions.Unauthorized {
			continue
		}
		err = errors.Join(err, rerr)
	}
	return err
}
