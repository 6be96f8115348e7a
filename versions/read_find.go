package versions

import (
	"bytes"
	"fmt"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
)

// findVersion returns the row of a version of the store. A damaged row or index could lead to
// another version, or to another content that is valid, so findVersion checks the row against both
// indexes that lead to it.
func (s *Store) findVersion(q db.Queryer, id VersionID) (row int64, err error) {
	uid := ids.Parse(ids.VersionPrefix, string(id))
	err = q.Row(`SELECT v.id FROM version v JOIN memory m ON m.id=v.memory WHERE v.uid=? AND m.store=?`, uid, s.id).Scan(&row)
	if err != nil {
		return 0, notFound(err, ErrNoVersion, string(id))
	}
	var own []byte
	var held bool
	err = q.Row(`SELECT uid, EXISTS(SELECT 1 FROM version b INDEXED BY version_blob WHERE b.blob IS v.blob AND b.id=v.id) FROM version v NOT INDEXED WHERE id=?`, row).Scan(&own, &held)
	if err != nil {
		return 0, notFound(err, ErrNoVersion, string(id))
	}
	if !bytes.Equal(own, uid) || !held {
		return 0, fmt.Errorf("%w: version %s: its row and the indexes differ", ErrDamaged, id)
	}
	return row, nil
}
