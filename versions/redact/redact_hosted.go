package redact

import (
	"context"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
)

// Redaction reads one redaction from the trail.
func Redaction(x core.TrailTxn, id int64) (r versions.Receipt, stage int, err error) {
	var text string
	if err := x.Row(`SELECT pending,receipt FROM redaction WHERE id=?`, id).Scan(&stage, &text); err != nil {
		return r, 0, err
	}
	if r, err = decodeReceipt(text); err != nil {
		return r, 0, fmt.Errorf("%w: receipt %d: %v", versions.ErrDamaged, id, err)
	}
	r.ID = id
	return r, stage, nil
}

// HasUpstream is an SQL condition: a redaction lists versions for its service.
const HasUpstream = core.CountUpstream + `>0`

// waitsUpstream describes the redactions that services have not finished, of one store or of
// all.
func waitsUpstream(ctx context.Context, t *core.Trail, store versions.StoreID, all bool) (out []string, err error) {
	rs, err := Redactions(ctx, t, `r.pending<>0 AND `+HasUpstream)
	for _, r := range rs {
		if all || r.Store == store {
			out = append(out, fmt.Sprintf("the service of store %s has not erased %s of redaction %d yet", r.Name, countVersions(len(r.There)), r.ID))
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
