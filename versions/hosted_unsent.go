package versions

import (
	"database/sql"
	"errors"

	"github.com/memend/memend/versions/ids"
)

// What other programs write into a replica's folder is adopted at once, and the
// service has not heard of it yet: such versions, and memories that began so, have
// ids of their own form. Once the service has the same as its newest, they get the
// ids that it gave. What lost the race against another writer keeps its own.

// isUnsent is the condition that the id in a column is one of those.
func isUnsent(column string) string {
	return `substr(` + column + `,1,7)=CAST('` + ids.UnsentMark + `' AS BLOB)`
}

// freshUID is the id of a version or a memory that is made here.
func (s *Store) freshUID() []byte {
	if s.hosted() {
		return ids.NewUnsent()
	}
	return ids.New()
}

// sent is a memory as the service has it, as far as is known here.
type sent struct {
	id    MemoryID // empty: it never had it
	place          // zero: it has it no longer
}

// sentOf is what the service has of a memory, of its versions below a number.
func (x *txn) sentOf(memory int64, below int) (out sent, err error) {
	var muid []byte
	var v placeScan
	err = x.Row(`SELECT m.uid,`+placeColumns+` FROM version v JOIN memory m ON m.id=v.memory LEFT JOIN blob b ON b.id=v.blob
		WHERE v.memory=? AND v.number<? AND NOT `+isUnsent("v.uid")+` ORDER BY v.number DESC LIMIT 1`, memory, below).
		Scan(append([]any{&muid}, v.dest()...)...)
	if errors.Is(err, sql.ErrNoRows) {
		return sent{}, nil
	}
	if err != nil || ids.Unsent(muid) {
		return sent{}, err
	}
	out.id = MemoryID(ids.Format(ids.MemoryPrefix, muid))
	out.place, err = v.place()
	return out, err
}

// sentNow gives a version and its memory the ids under which the service has them.
func (x *txn) sentNow(version int64, versionUID []byte, memory int64, memoryUID []byte) error {
	for _, q := range []struct {
		text string
		uid  []byte
		row  int64
	}{
		{`UPDATE version SET uid=? WHERE id=?`, versionUID, version},
		{`UPDATE head SET vuid=? WHERE version=?`, versionUID, version},
		{`UPDATE memory SET uid=? WHERE id=?`, memoryUID, memory},
		{`UPDATE head SET muid=? WHERE memory=?`, memoryUID, memory},
	} {
		if q.uid == nil {
			continue
		}
		if err := x.Exec(q.text, q.uid, q.row); err != nil {
			return err
		}
	}
	return nil
}
