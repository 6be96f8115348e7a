package journal

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
)

// HeadOf returns the head of a store.
func HeadOf(q db.Queryer, store int64) (h versions.LogHead, err error) {
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
func Since(q db.Queryer, h versions.LogHead) (string, error) {
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
