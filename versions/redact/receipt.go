package redact

import (
	"context"
	"slices"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/scrub"
)

// maxHoldings is how many holdings a receipt lists.
const maxHoldings = 50

func add(r *versions.Receipt, h versions.Holding) {
	if len(r.Found) >= maxHoldings {
		r.More++
		return
	}
	r.Found = append(r.Found, h)
}

// Receipts lists the redactions of this home, newest first, including those of deleted
// stores.
func Receipts(ctx context.Context, t *core.Trail) ([]versions.Receipt, error) {
	return receipts(ctx, t, `1 ORDER BY r.id DESC`)
}

// Of lists the earlier redactions that erased versions of a target, newest
// first.
func Of(ctx context.Context, s *core.Store, target versions.RedactTarget) ([]versions.Receipt, error) {
	named := target.Versions
	if target.Version != "" {
		named = []versions.VersionID{target.Version}
	}
	var rows []int64
	err := core.View(ctx, s.Trail, func(q tables.Reader) (err error) {
		for _, id := range named {
			row, err := history.FindVersion(s, q, id)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		if target.Memory != "" {
			rows, err = db.Values[int64](q.Rows(`SELECT v.id FROM version v JOIN memory m ON m.id=v.memory WHERE m.uid=?`, ids.Parse(ids.MemoryPrefix, string(target.Memory))))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return receipts(ctx, s.Trail, `(r.ts,r.actor) IN (SELECT redacted,redacted_by FROM version WHERE id IN (SELECT value FROM json_each(?))) ORDER BY r.id DESC`, tables.AsJSON(rows))
}

func receipts(ctx context.Context, t *core.Trail, which string, args ...any) ([]versions.Receipt, error) {
	var out []versions.Receipt
	var next Entry
	rows := t.DB.Rows(ctx, entriesWhere+which, args...)
	for range rows.Each(next.columns()...) {
		r := next.Receipt
		switch {
		case next.Stage != tables.StageDone:
			r.Outcome = versions.OutcomePending
		case r.LeftUpstream > 0:
			r.Outcome = versions.OutcomeUnknown
			r.Unknown = append(r.Unknown, "the store was deleted or disconnected here before its service had erased "+countVersions(r.LeftUpstream))
		case r.Outcome == versions.OutcomePending: // finished by a process that didn't know what to search for
			r.Outcome = versions.OutcomeUnknown
			r.Unknown = append(r.Unknown, "it was interrupted and finished later: the files were not searched; `memend redact --verify TEXT` searches them")
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// masked returns a receipt with the text masked in what it lists.
func masked(r versions.Receipt, n *scrub.Needle) versions.Receipt {
	r.Found, r.Unknown, r.Places, r.Parts = slices.Clone(r.Found), slices.Clone(r.Unknown), slices.Clone(r.Places), slices.Clone(r.Parts)
	for _, text := range wordsOf(&r) {
		*text = n.Masked(*text)
	}
	return r
}

// wordsOf are the texts of a receipt that may have somebody's words: all but its ids, numbers and kinds, which may look like
// a short text by chance.
func wordsOf(r *versions.Receipt) []*string {
	out := []*string{&r.Name, &r.WhyUpstream}
	if ids.Parse(ids.SessionPrefix, string(r.Session)) == nil {
		out = append(out, (*string)(&r.Session))
	}
	for i := range r.Found {
		h := &r.Found[i]
		out = append(out, &h.Path, &h.File, &h.Store, &h.Place)
	}
	for i := range r.Unknown {
		out = append(out, &r.Unknown[i])
	}
	for i := range r.Places {
		out = append(out, &r.Places[i].What)
	}
	for i := range r.Parts {
		out = append(out, &r.Parts[i].Name)
	}
	return out
}
