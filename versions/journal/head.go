package journal

import (
	"bytes"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
)

// Head is where the log ended when a store was looked at. Kept elsewhere, it shows later whether the history up to there is
// still the same.
type Head struct {
	Store  ids.Store
	Change int64 // the number of the store's last change
	Record int64 // the number of the last record
	Hash   ids.Hash
}

// String returns the head on one line, which ParseHead reads.
func (h Head) String() string {
	return fmt.Sprintf("%s %d %d %s", h.Store, h.Change, h.Record, h.Hash)
}

// ErrHead means that a text is not a head.
var ErrHead = errors.New("not a head; it is a line of `memend check --head`")

// ErrOldHead means that a text is a head of a release before the log.
var ErrOldHead = errors.New("this head is of an earlier format of the trail, whose chains ended when the home was converted; the copy that the conversion left in the home has them")

// ParseHead parses a head.
func ParseHead(line string) (h Head, err error) {
	f := strings.Fields(line)
	if len(f) == 5 && ids.Parse(ids.StorePrefix, f[0]) != nil {
		return h, ErrOldHead
	}
	if len(f) != 4 || ids.Parse(ids.StorePrefix, f[0]) == nil {
		return h, ErrHead
	}
	h.Store = ids.Store(f[0])
	var errs [2]error
	h.Change, errs[0] = strconv.ParseInt(f[1], 10, 64)
	h.Record, errs[1] = strconv.ParseInt(f[2], 10, 64)
	b, err := hex.DecodeString(f[3])
	if errors.Join(errs[0], errs[1], err) != nil || len(b) != len(h.Hash) || h.Change < 0 || h.Record < 0 {
		return Head{}, ErrHead
	}
	copy(h.Hash[:], b)
	return h, nil
}

// HeadOf returns the head of a store.
func HeadOf(q db.Queryer, store int64) (h Head, err error) {
	var uid, hash []byte
	if err := q.Row(`SELECT uid,changes FROM store WHERE id=?`, store).Scan(&uid, &h.Change); err != nil {
		return h, err
	}
	h.Store = ids.Store(ids.Format(ids.StorePrefix, uid))
	err = q.Row(`SELECT n,hash FROM log ORDER BY n DESC LIMIT 1`).Scan(&h.Record, &hash)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	copy(h.Hash[:], hash)
	return h, err
}

// Since returns how the log differs from what it was at a head; empty if it does not. It relies on Verify.
func (h Head) Since(q db.Queryer) (string, error) {
	if h.Record == 0 {
		return "", nil
	}
	var hash []byte
	err := q.Row(`SELECT hash FROM log WHERE n=?`, h.Record).Scan(&hash)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Sprintf("log: it had %d records at the given head, and has fewer now", h.Record), nil
	case err == nil && !bytes.Equal(hash, h.Hash[:]):
		return fmt.Sprintf("log: the records up to %d are not the same as at the given head", h.Record), nil
	}
	return "", err
}
