package core

import (
	"encoding/json"

	"github.com/memend/memend/versions/db"
)

// AsJSON gives numbers of rows to json_each.
func AsJSON(ids []int64) string {
	b, err := json.Marshal(ids)
	if err != nil {
		panic(err) // numbers always marshal
	}
	return string(b)
}

// Stages of a redaction, in the column pending. The trail records each stage before the
// work toward the next one begins.
const (
	StageUpstream = -1 // this home is done; the service of a hosted store is not
	StageDone     = 0  // the database's log was emptied after the erasure
	StageCleared  = 1  // the log may still contain what was erased
	StageErased   = 2  // the database may too, in free space
	StageStarted  = 3  // current memories no longer contain it; todo lists the rest
	StagePlanned  = 4  // nothing is done yet
)

// ForgetRejectedIn deletes the hashes of the lines of a text, in one store or, if it is 0, in all.
func (x TrailTxn) ForgetRejectedIn(store int64, text []byte) error {
	salts, err := db.Map[int64, []byte](x.Rows(`SELECT id,salt FROM store WHERE salt IS NOT NULL AND (id=?1 OR ?1=0)`, store))
	if err != nil {
		return err
	}
	for id, salt := range salts {
		for line := range rejectable(text) {
			if err := x.Exec(`DELETE FROM rejected WHERE store=? AND hash=?`, id, saltedHash(salt, line)); err != nil {
				return err
			}
		}
	}
	return nil
}
