package replica

import (
	"context"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/planning"
)

// A version that only this home has, and a memory that begins with one, has an id of a special form: what a
// redaction changes while the service can't be asked, and what equals the state that the service has
// already. Once the service has the newest version, that version gets the service's id.

// isUnsent returns the SQL condition that the id in a column is of that form.
func isUnsent(column string) string {
	return `substr(` + column + `,1,7)=CAST('` + ids.UnsentMark + `' AS BLOB)`
}

// sent is a memory as the service has it, as far as this home knows.
type sent struct {
	id             versions.MemoryID // empty: the service never had it
	planning.State                   // zero: the service no longer has it
}

// sentOf returns the service's state of a memory, according to its versions below a number.
func sentOf(x *core.Txn, memory int64, below int) (out sent, err error) {
	err = x.Row(`SELECT m.uid,`+tables.StateColumns+` FROM version v JOIN memory m ON m.id=v.memory LEFT JOIN blob b ON b.id=v.blob
		WHERE v.memory=? AND v.number<? AND NOT `+isUnsent("v.uid")+` ORDER BY v.number DESC LIMIT 1`, memory, below).
		Scan(append([]any{tables.IDTo(&out.id)}, tables.StateTo(&out.State)...)...)
	if err != nil || ids.Unsent(ids.Parse(ids.MemoryPrefix, string(out.id))) {
		return sent{}, tables.IgnoreNoRows(err)
	}
	return out, nil
}

// sentNow sets the id of a version to the service's.
func sentNow(x *core.Txn, version int64, uid []byte) {
	x.Exec(`UPDATE version SET uid=? WHERE id=?`, uid, version)
	x.Exec(`UPDATE head SET vuid=? WHERE version=?`, uid, version)
}

// unsent returns the acts for the memories whose newest version the service does not have.
func (s *replica) unsent(ctx context.Context) (*delivery, error) {
	d := &delivery{by: core.Outside, asked: core.Request{Kind: versions.KindEdit, Path: memfs.Root}, background: true}
	unlock, err := core.Enter(ctx, s.Store)
	if err != nil {
		return d, err
	}
	defer unlock()
	x := core.LockedReader(ctx, s.Store)
	all, err := db.Values[int64](x.Rows(`SELECT v.id FROM version v JOIN memory m ON m.id=v.memory
		WHERE v.uid>=CAST('unsent-' AS BLOB) AND v.uid<CAST('unsent.' AS BLOB) AND m.store=? AND v.number=(SELECT max(number) FROM version WHERE memory=v.memory)`, s.Row))
	if err != nil {
		return d, err
	}
	for _, id := range all {
		var v core.VersionRow
		if err := x.Row(`SELECT memory,number FROM version WHERE id=?`, id).Scan(&v.Memory, &v.Number); err != nil {
			return d, err
		}
		now, err := tables.NowOf(x, v.Memory)
		if err != nil {
			return d, err
		}
		a, err := actOf(x, v.Memory, v.Number, now)
		if err != nil {
			return d, err
		}
		if a != nil {
			a.from = v.Number
			d.acts = append(d.acts, a)
		}
	}
	return d, nil
}
