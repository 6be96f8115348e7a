package redact

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
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

// receiptRow is the content of the column receipt.
type receiptRow struct {
	versions.Receipt
	Todo  *versions.Todo `json:"todo,omitempty"`
	There []int64        `json:"there,omitempty"`
}

// Encode writes a receipt with the work that remains, for the column receipt.
func Encode(r versions.Receipt) string {
	b, err := json.Marshal(receiptRow{Receipt: r, Todo: r.Todo, There: r.There})
	if err != nil {
		panic(err) // only unsupported types fail
	}
	return string(b)
}

func decodeReceipt(text string) (versions.Receipt, error) {
	var row receiptRow
	err := json.Unmarshal([]byte(text), &row)
	row.Receipt.Todo, row.Receipt.There, row.LeftUpstream = row.Todo, row.There, len(row.There)
	return row.Receipt, err
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
	var next recorded
	rows := t.DB.Rows(ctx, receiptsWhere+which, args...)
	for range rows.Each(next.columns()...) {
		r := next.Receipt
		r.Todo = nil
		switch {
		case next.stage != tables.StageDone:
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

// recorded is a redaction as the trail has it.
type recorded struct {
	versions.Receipt
	stage int
}

// receiptsWhere selects redactions. A condition follows.
const receiptsWhere = `SELECT r.id,r.receipt,r.pending,r.ts,a.kind,a.name,coalesce(s.uid,'') FROM redaction r
	JOIN actor a ON a.id=r.actor LEFT JOIN session s ON s.id=r.session WHERE `

// columns are the destinations of the columns of receiptsWhere.
func (r *recorded) columns() []any {
	var id int64
	return []any{&id, tables.ParsedTo(&r.Receipt, func(text string) (versions.Receipt, error) {
		decoded, err := decodeReceipt(text)
		if err != nil {
			err = fmt.Errorf("%w: receipt %d: %v", versions.ErrDamaged, id, err)
		}
		decoded.ID, decoded.By = id, versions.Actor{}
		return decoded, err
	}), &r.stage, tables.TimeTo(&r.Time), &r.By.Kind, &r.By.Name, &r.Session}
}
