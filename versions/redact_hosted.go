package versions

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/versions/db"
)

// A hosted store's service keeps its own versions and can be unreachable. So the journal
// lists the versions that the service still has to erase (Receipt.there), by row; the list
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
func (s *replica) RedactUpstream(ctx context.Context, r *redacting, part *redactedPart) (begun bool, err error) {
	if err := s.t.step("before-service"); err != nil {
		return true, err
	}
	if len(part.plan.Current()) > 0 {
		done, err := s.mutateHostedAlone(ctx, r.by, func(d *mutation) error { return d.takeOutPlanned(part.plan, r.choice) })
		if err != nil {
			return mayBeDone(err), err
		}
		part.plan.taken = done.Number
		if err := s.t.step("after-service-heads"); err != nil {
			return true, err
		}
	}
	n, err := s.EraseUpstream(ctx, part)
	return n > 0 || part.plan.taken > 0 || mayBeDone(err), err
}

// EraseUpstream makes the service erase the listed versions of a redaction, and removes the
// erased ones from the list. If the service rejects one version, it continues with the
// others. n counts the versions that are erased or unknown there. The caller holds the
// upstream lock.
func (s *replica) EraseUpstream(ctx context.Context, part *redactedPart) (n int, err error) {
	list, err := s.listedUpstream(context.WithoutCancel(ctx), part.id)
	if err != nil || len(list) == 0 && part.plan.taken == 0 {
		return 0, err
	}
	out := struckOff{change: part.plan.taken}
	waiting := 0
	for i, v := range list {
		if v.id.Unsent() || v.current {
			waiting++
			continue
		}
		ReportProgress(ctx, Progress{i, len(list), VersionsErased})
		_, rerr := s.up.Redact(ctx, v.id)
		switch {
		case errors.Is(rerr, ErrNoVersion), errors.Is(rerr, ErrNoMemory):
			out.dropped++
		case rerr == nil:
			out.erased++
		default:
			err = errors.Join(err, fmt.Errorf("version %s: %w", v.id, rerr))
		}
		if rerr == nil || errors.Is(rerr, ErrNoVersion) || errors.Is(rerr, ErrNoMemory) {
			out.rows = append(out.rows, v.row)
			if serr := s.t.step("service-mid"); serr != nil {
				return len(out.rows), serr
			}
			continue
		}
		if !errors.As(rerr, new(*HostedRefusal)) {
			s.noteAnswer(rerr)
			break
		}
	}
	if err == nil { // the rest was never sent or was restored: the service has nothing to erase
		out.all = waiting > 0
	} else {
		out.why = err.Error()
	}
	if serr := s.t.step("before-strike"); serr != nil {
		return len(out.rows), serr
	}
	return len(out.rows), errors.Join(err, s.strike(context.WithoutCancel(ctx), part.id, out))
}

// upstreamVersion is a version that the service still has to erase.
type upstreamVersion struct {
	row     int64
	id      VersionID
	current bool // it is current: eraseVersion skips it as well
}

func (s *replica) listedUpstream(ctx context.Context, redaction int64) (out []upstreamVersion, err error) {
	rs, err := s.t.redactions(ctx, `r.id=?`, redaction)
	if err != nil || len(rs) == 0 {
		return nil, err
	}
	err = s.t.view(ctx, func(q reader) error {
		for _, row := range rs[0].there {
			v := upstreamVersion{row: row}
			err := q.Row(`SELECT uid,EXISTS(SELECT 1 FROM head WHERE memory=v.memory AND version=v.id) FROM version v WHERE id=?`, row).Scan(idTo(&v.id), &v.current)
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
	unlock, err := s.t.db.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return s.inTx(ctx, func(x *txn) error {
		r, stage, err := x.redaction(id)
		if err != nil {
			return err
		}
		r.there = slices.DeleteFunc(r.there, func(row int64) bool { return o.all || slices.Contains(o.rows, row) })
		r.ErasedUpstream += o.erased
		r.GoneUpstream += o.dropped
		r.WhyUpstream = o.why
		if o.change > 0 {
			r.Change = o.change
		}
		if stage == stageUpstream && len(r.there) == 0 {
			stage = stageDone
		}
		return x.advance(&r, stage)
	})
}

// redaction reads one redaction from the trail.
func (x trailTxn) redaction(id int64) (r Receipt, stage int, err error) {
	var text string
	if err := x.Row(`SELECT pending,receipt FROM redaction WHERE id=?`, id).Scan(&stage, &text); err != nil {
		return r, 0, err
	}
	if r, err = decodeReceipt(text); err != nil {
		return r, 0, fmt.Errorf("%w: receipt %d: %v", ErrDamaged, id, err)
	}
	r.ID = id
	return r, stage, nil
}

// finishUpstream makes the service erase what is left there of the store's earlier
// redactions. The receipt records what the service rejects, and the next pull asks again.
// The caller holds the upstream lock and has sent all unsent changes.
func (s *replica) finishUpstream(ctx context.Context) error {
	var ids []int64
	err := s.t.view(ctx, func(q reader) (err error) {
		ids, err = db.Values[int64](q.Rows(`SELECT id FROM redaction WHERE store=? AND pending<>0 AND pending<? AND `+hasUpstream+` ORDER BY id`, s.id, stagePlanned))
		return err
	})
	for _, id := range ids {
		_, rerr := s.EraseUpstream(ctx, &redactedPart{s: s.Store, id: id})
		var trouble *UpstreamError
		if errors.As(rerr, new(*HostedRefusal)) || errors.As(rerr, &trouble) && trouble.Trouble == Unauthorized {
			continue
		}
		err = errors.Join(err, rerr)
	}
	return err
}

// countUpstream is an SQL expression for the number of versions that a redaction still lists
// for its service; hasUpstream is the condition that it lists any.
const (
	countUpstream = `iif(json_valid(receipt),coalesce(json_array_length(receipt,'$.there'),0),0)`
	hasUpstream   = countUpstream + `>0`
)

// waitsUpstream describes the redactions that services have not finished, of one store or of
// all.
func (t *Trail) waitsUpstream(ctx context.Context, store StoreID, all bool) (out []string, err error) {
	rs, err := t.redactions(ctx, `r.pending<>0 AND `+hasUpstream)
	for _, r := range rs {
		if all || r.Store == store {
			out = append(out, fmt.Sprintf("the service of store %s has not erased %s of redaction %d yet", r.Name, countVersions(len(r.there)), r.ID))
		}
	}
	return out, err
}

func countVersions(n int) string {
	if n == 1 {
		return "1 version"
	}
	return fmt.Sprintf("%d versions", n)
}
