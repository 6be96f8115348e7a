package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/db/pages"
)

// readTrailCopy calls text with all contents of a copy of a trail, from a backup, a repair
// or an upgrade. Other databases store texts uncompressed and need no decoding.
func readTrailCopy(ctx context.Context, file string, text func([]byte)) error {
	pool := db.OpenCopy(file)
	defer func() { _ = pool.Close() }()
	q := db.On(ctx, pool)
	var ours bool
	if err := q.Row(`SELECT count(*)=2 FROM sqlite_schema WHERE type='table' AND name IN ('blob','blob_chunk')`).Scan(&ours); err != nil || !ours {
		return unreadableCopy(ctx, err)
	}
	ids, err := db.IDs(q, `SELECT id FROM blob`)
	if err != nil {
		return unreadableCopy(ctx, err)
	}
	for _, id := range ids {
		b, err := blobs.Get(q, id)
		if err != nil {
			return unreadableCopy(ctx, err)
		}
		text(b)
	}
	if err := readLongRows(q, text); err != nil {
		return unreadableCopy(ctx, err)
	}
	if fi, err := os.Stat(file + "-wal"); err == nil && fi.Size() > 0 {
		return errors.New("it is a database with a log beside it, whose contents could not be read")
	}
	return nil
}

// readLongRows calls text with the texts of rows that may continue on other pages: a scan
// of the file does not find a text that spans two pages.
func readLongRows(q db.Queryer, text func([]byte)) error {
	tables, err := db.Tables(q)
	if err != nil {
		return err
	}
	for _, table := range tables {
		columns, err := db.Columns(q, table)
		if err != nil {
			return err
		}
		var texts []string
		for _, c := range columns {
			if c.Type == "TEXT" {
				texts = append(texts, `coalesce(`+quotedName(c.Name)+`,'')`)
			}
		}
		if len(texts) == 0 {
			continue
		}
		all := strings.Join(texts, `||char(0)||`)
		if err := readTexts(q, `SELECT `+all+` FROM `+quotedName(table)+` WHERE octet_length(`+all+`)>`+strconv.Itoa(pages.DefaultSize/5), text); err != nil {
			return err
		}
	}
	return nil
}

func readTexts(q db.Queryer, query string, text func([]byte)) error {
	for row, err := range q.Each(query) {
		if err != nil {
			return err
		}
		var b sql.RawBytes
		if err := row.Scan(&b); err != nil {
			return err
		}
		text(b)
	}
	return nil
}

// quotedName returns the name of a table or a column, quoted for a query.
func quotedName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func unreadableCopy(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("it is a database that could not be read: %w", err)
}
