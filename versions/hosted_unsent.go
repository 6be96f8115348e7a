package versions

import (
	"database/sql"
	"errors"

	"github.com/memend/memend/versions/ids"
)

// Changes of other programs in a replica's folder are adopted immediately, before the service has
// them. Such versions, and memories that start with one, have ids of a special form. Once the
// service has the newest version, they get the service's ids. A version that lost a race against
// another writer keeps its own id.

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
	id    MemoryID // empty: the service never had it
	place          // zero: the service no longer has it
}

// sentOf returns the service's state of a memory, according to its versions below a number.
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

// sentNow sets the ids of a version and its memory to the service's ids.
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
