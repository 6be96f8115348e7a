package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// ContentsPage is how many contents are in memory at a time.
const ContentsPage = 16

// Contents passes each distinct content of the current memories to each once, newest first, and with past also those of all other
// versions. It stops at the first error that each returns.
//
// A damaged content is left out, and is reported as an error at the end. A content that is marked as lost is skipped.
func Contents(ctx context.Context, s *core.Store, past bool, each func(versions.Content) error) error {
	ids, err := contentIDs(ctx, s, past)
	var damaged error
	for err == nil && len(ids) > 0 {
		n := min(len(ids), ContentsPage)
		page := make([]versions.Content, 0, n)
		// Each page has its own snapshot, and none is open while the caller is busy: a redaction
		// can't be finished while a snapshot is open.
		err = core.View(ctx, s.Trail, func(q tables.Reader) error {
			for _, id := range ids[:n] {
				c, err := content(s, q, id, past)
				switch {
				case errors.Is(err, versions.ErrLost), errors.Is(err, sql.ErrNoRows):
				case errors.Is(err, versions.ErrDamaged):
					damaged = fmt.Errorf("a content: %w", err)
				case err != nil:
					return err
				case len(c.In) > 0: // otherwise it was redacted, or another became current
					page = append(page, c)
				}
			}
			return ctx.Err()
		})
		for i := 0; err == nil && i < len(page); i++ {
			err = each(page[i])
		}
		ids = ids[n:]
	}
	return errors.Join(err, damaged)
}

// contentIDs lists the rows of the contents, newest first.
func contentIDs(ctx context.Context, s *core.Store, past bool) (ids []int64, err error) {
	text := `SELECT DISTINCT v.blob FROM head h JOIN version v ON v.id=h.version WHERE h.store=? AND v.blob IS NOT NULL ORDER BY v.blob DESC`
	if past {
		text = `SELECT DISTINCT v.blob FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=? AND v.blob IS NOT NULL ORDER BY v.blob DESC`
	}
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		ids, err = db.Values[int64](q.Rows(text, s.Row))
		return err
	})
	return ids, err
}

func content(s *core.Store, q tables.Reader, id int64, past bool) (c versions.Content, err error) {
	if c.Text, err = blobs.Get(q, id); err != nil {
		return c, err
	}
	holds, err := tables.ScanVersions(q, `SELECT `+tables.VersionColumns+tables.VersionTables+`WHERE v.blob=? AND m.store=? ORDER BY v.id DESC`, id, s.Row)
	for _, v := range holds {
		current := false
		if err := q.Row(`SELECT EXISTS(SELECT 1 FROM head WHERE memory=(SELECT memory FROM version WHERE id=?) AND version=?)`, v.Row, v.Row).Scan(&current); err != nil {
			return c, err
		}
		if current || past {
			c.In = append(c.In, versions.Holder{Version: v.Version, Current: current})
		}
	}
	return c, err
}
