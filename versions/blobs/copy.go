package blobs

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/memend/memend/versions/db"
)

// ReadCopy calls text with all contents of a copy of a trail, from a backup, a repair or an upgrade,
// and with the texts that a scan of the file could miss (see db.LongTexts). Other databases store texts
// uncompressed and need no decoding.
func ReadCopy(ctx context.Context, file string, text func([]byte)) error {
	pool := db.OpenCopy(file)
	defer func() { _ = pool.Close() }()
	q := db.On(ctx, pool)
	var ours bool
	if err := q.Row(`SELECT count(*)=2 FROM sqlite_schema WHERE type='table' AND name IN ('blob','blob_chunk')`).Scan(&ours); err != nil || !ours {
		return unreadableCopy(ctx, err)
	}
	ids, err := db.Values[int64](q.Rows(`SELECT id FROM blob`))
	if err != nil {
		return unreadableCopy(ctx, err)
	}
	for _, id := range ids {
		b, err := Get(q, id)
		if err != nil {
			return unreadableCopy(ctx, err)
		}
		text(b)
	}
	if err := db.LongTexts(q, text); err != nil {
		return unreadableCopy(ctx, err)
	}
	if fi, err := os.Stat(file + "-wal"); err == nil && fi.Size() > 0 {
		return errors.New("it is a database with a log beside it, whose contents could not be read")
	}
	return nil
}

func unreadableCopy(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("it is a database that could not be read: %w", err)
}
