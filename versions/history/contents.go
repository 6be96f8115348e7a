package history

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// ContentsPage is how many contents are passed at a time; the next ones are in memory too.
const ContentsPage = 128

// Contents passes each distinct content of the current memories to each once, newest first and some at a time, and with past also
// those of all other versions. It stops at the first error that each returns.
//
// A damaged content is left out, and is reported as an error at the end. A content that is marked as lost is skipped.
func Contents(ctx context.Context, s *core.Store, past bool, each func([]versions.Content) error) error {
	ids, err := contentIDs(ctx, s, past)
	if err != nil {
		return err
	}
	var damaged error
	read := func(ctx context.Context) (page []versions.Content, more bool, err error) {
		if len(ids) == 0 {
			return nil, false, nil
		}
		// Each page has its own snapshot, and none is open while the caller is busy: a redaction
		// can't be finished while a snapshot is open.
		err = core.View(ctx, s.Trail, func(q tables.Reader) error {
			some, err := blobs.GetMany(q, ids[:min(len(ids), ContentsPage)])
			if err != nil {
				return err
			}
			holders, err := holdersOf(s, q, ids[:len(some)], past)
			if err != nil {
				return err
			}
			ids = ids[len(some):]
			for _, c := range some {
				switch in := holders[c.ID]; {
				case errors.Is(c.Err, versions.ErrLost), errors.Is(c.Err, sql.ErrNoRows):
				case errors.Is(c.Err, versions.ErrDamaged):
					damaged = fmt.Errorf("a content: %w", c.Err)
				case c.Err != nil:
					return c.Err
				case len(in) > 0: // otherwise it was redacted, or another became current
					page = append(page, versions.Content{Text: c.Text, In: in})
				}
			}
			return ctx.Err()
		})
		return page, len(ids) > 0, err
	}
	err = ahead(ctx, read, func(page []versions.Content) error {
		if len(page) == 0 {
			return nil
		}
		return each(page)
	})
	return errors.Join(err, damaged)
}

// ahead calls use with each page that read returns, until there are no more. While use is busy, read
// reads the next page. It stops at the first error of either.
func ahead(ctx context.Context, read func(context.Context) (page []versions.Content, more bool, err error), use func([]versions.Content) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	pages := make(chan []versions.Content)
	var readErr error
	var reader memfs.Group
	reader.Go(func() {
		defer close(pages)
		for more := true; more; {
			var page []versions.Content
			if page, more, readErr = read(ctx); readErr != nil {
				return
			}
			select {
			case pages <- page:
			case <-ctx.Done():
				readErr = ctx.Err()
				return
			}
		}
	})
	var err error
	for page := range pages {
		if err == nil {
			if err = use(page); err != nil {
				stop()
			}
		}
	}
	reader.Wait()
	return cmp.Or(err, readErr)
}

// contentIDs lists the rows of the contents, newest first.
func contentIDs(ctx context.Context, s *core.Store, past bool) ([]int64, error) {
	text := `SELECT DISTINCT v.blob FROM head h JOIN version v ON v.id=h.version WHERE h.store=? AND v.blob IS NOT NULL ORDER BY v.blob DESC`
	if past {
		text = `SELECT DISTINCT v.blob FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=? AND v.blob IS NOT NULL ORDER BY v.blob DESC`
	}
	return db.Values[int64](s.Trail.DB.Rows(ctx, text, s.Row))
}

// holdersOf returns the versions that have some contents, the newest of each first.
func holdersOf(s *core.Store, q tables.Reader, contents []int64, past bool) (map[int64][]versions.Holder, error) {
	out := map[int64][]versions.Holder{}
	var blob int64
	var h versions.Holder
	rows := q.Rows(`SELECT v.blob,v.uid,v.number,v.path,EXISTS(SELECT 1 FROM head WHERE memory=v.memory AND version=v.id) FROM version v JOIN memory m ON m.id=v.memory
		WHERE v.blob IN (SELECT value FROM json_each(?)) AND +m.store=? ORDER BY v.id DESC`, tables.AsJSON(contents), s.Row)
	for range rows.Each(&blob, tables.IDTo(&h.ID), &h.Number, tables.PathTo(&h.Path), &h.Current) {
		if h.Current || past {
			out[blob] = append(out[blob], h)
		}
	}
	return out, rows.Err()
}
