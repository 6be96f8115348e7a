package tables

import (
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/memend/memend/versions"
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

// IgnoreNoRows returns err unless it means that there is no row.
func IgnoreNoRows(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// HashOrNull stores a zero hash as NULL.
func HashOrNull(h versions.Hash) any {
	if h == (versions.Hash{}) {
		return nil
	}
	return h[:]
}

// Null stores a zero value as NULL, which takes no space.
func Null[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}
