package history

import (
	"bytes"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
)

// FindVersion returns the row of a version of the store. A damaged row or index could lead to
// another version, or to another content that is valid, so FindVersion checks the row against both
// indexes that lead to it.
func FindVersion(s *core.Store, q db.Queryer, id versions.VersionID) (row int64, err error) {
	uid := ids.Parse(ids.VersionPrefix, string(id))
	err = q.Row(`SELECT v.id FROM version v JOIN memory m ON m.id=v.memory WHERE v.uid=? AND m.store=?`, uid, s.Row).Scan(&row)
	if err != nil {
		return 0, core.NotFound(err, versions.ErrNoVersion, string(id))
	}
	var own []byte
	var held bool
	err = q.Row(`SELECT uid, EXISTS(SELECT 1 FROM version b INDEXED BY version_blob WHERE b.blob IS v.blob AND b.id=v.id) FROM version v NOT INDEXED WHERE id=?`, row).Scan(&own, &held)
	if err != nil {
		return 0, core.NotFound(err, versions.ErrNoVersion, string(id))
	}
	if !bytes.Equal(own, uid) || !held {
		return 0, fmt.Errorf("%w: version %s: its row and the indexes differ", versions.ErrDamaged, id)
	}
	return row, nil
}
