package versions

import (
	"context"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/planning"
)

// A version that only this home has, and a memory that begins with one, has an id of a special form: what a
// redaction changes while the service can't be asked, and what equals the state that the service has
// already. Once the service has the newest version, that version gets the service's id.

// isUnsent returns the SQL condition that the id in a column is of that form.
func isUnsent(column string) string {
	return `substr(` + column + `,1,7)=CAST('` + ids.UnsentMark + `' AS BLOB)`
}

// freshUID returns an id for a version or a memory that is made here.
func (s *Store) freshUID() []byte {
	if s.hosted() {
		return ids.NewUnsent()
	}
	return ids.New()
}

// sent is a memory as the service has it, as far as this home knows.
type sent struct {
	id             MemoryID // empty: the service never had it
	planning.State          // zero: the service no longer has it
}

// sentOf returns the service's state of a memory, according to its versions below a number.
func (x *txn) sentOf(memory int64, below int) (out sent, err error) {
	err = x.Row(`SELECT m.uid,`+stateColumns+` FROM version v JOIN memory m ON m.id=v.memory LEFT JOIN blob b ON b.id=v.blob
		WHERE v.memory=? AND v.number<? AND NOT `+isUnsent("v.uid")+` ORDER BY v.number DESC LIMIT 1`, memory, below).
		Scan(append([]any{idTo(&out.id)}, stateTo(&out.State)...)...)
	if err != nil || ids.Unsent(ids.Parse(ids.MemoryPrefix, string(out.id))) {
		return sent{}, ignoreNoRows(err)
	}
	return out, nil
}

// sentNow sets the id of a version to the service's.
func (x *txn) sentNow(version int64, uid []byte) error {
	if err := x.Exec(`UPDATE version SET uid=? WHERE id=?`, uid, version); err != nil {
		return err
	}
	return x.Exec(`UPDATE head SET vuid=? WHERE version=?`, uid, version)
}

// unsent returns the acts for the memories whose newest version the service does not have.
func (s *replica) unsent(ctx context.Context) (*delivery, error) {
	d := &delivery{by: outside, asked: request{kind: KindEdit, path: memfs.Root}, background: true}
	leave, err := s.enter(ctx)
	if err != nil {
		return d, err
	}
	defer leave()
	x := s.reader(ctx)
	all, err := db.Values[int64](x.Rows(`SELECT v.id FROM version v JOIN memory m ON m.id=v.memory
		WHERE v.uid>=CAST('unsent-' AS BLOB) AND v.uid<CAST('unsent.' AS BLOB) AND m.store=? AND v.number=(SELECT max(number) FROM version WHERE memory=v.memory)`, s.id))
	if err != nil {
		return d, err
	}
	for _, id := range all {
		var v versionRow
		if err := x.Row(`SELECT memory,number FROM version WHERE id=?`, id).Scan(&v.memory, &v.number); err != nil {
			return d, err
		}
		now, err := nowOf(x, v.memory)
		if err != nil {
			return d, err
		}
		a, err := x.actOf(v.memory, v.number, now)
		if err != nil {
			return d, err
		}
		if a != nil {
			a.from = v.number
			d.acts = append(d.acts, a)
		}
	}
	return d, nil
}
