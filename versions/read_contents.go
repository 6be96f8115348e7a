package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
)

// Content is a text and all versions of a store that have it.
type Content struct {
	Text []byte
	In   []Holder // newest first; never empty
}

// Holder is a version that has a content.
type Holder struct {
	Version
	Current bool // it is the memory's current version
}

// contentsPage is how many contents are in memory at a time.
const contentsPage = 16

// Contents passes each distinct content of the current memories to each once, newest first, and with past also those of all other
// versions. It stops at the first error that each returns.
//
// A damaged content is left out, and is reported as an error at the end. A content that is marked as lost is skipped.
func (s *Store) Contents(ctx context.Context, past bool, each func(Content) error) error {
	ids, err := s.contentIDs(ctx, past)
	var damaged error
	for err == nil && len(ids) > 0 {
		n := min(len(ids), contentsPage)
		page := make([]Content, 0, n)
		// Each page has its own snapshot, and none is open while the caller is busy: a redaction
		// can't be finished while a snapshot is open.
		err = s.t.view(ctx, func(q reader) error {
			for _, id := range ids[:n] {
				c, err := s.content(q, id, past)
				switch {
				case errors.Is(err, blobs.ErrLost), errors.Is(err, sql.ErrNoRows):
				case errors.Is(err, ErrDamaged):
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
func (s *Store) contentIDs(ctx context.Context, past bool) (ids []int64, err error) {
	text := `SELECT DISTINCT v.blob FROM head h JOIN version v ON v.id=h.version WHERE h.store=? AND v.blob IS NOT NULL ORDER BY v.blob DESC`
	if past {
		text = `SELECT DISTINCT v.blob FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=? AND v.blob IS NOT NULL ORDER BY v.blob DESC`
	}
	err = s.t.view(ctx, func(q reader) error {
		ids, err = db.Values[int64](q.Rows(text, s.id))
		return err
	})
	return ids, err
}

func (s *Store) content(q reader, id int64, past bool) (c Content, err error) {
	if c.Text, err = blobs.Get(q, id); err != nil {
		return c, err
	}
	holds, err := scanVersions(q, `SELECT `+versionColumns+versionTables+`WHERE v.blob=? AND m.store=? ORDER BY v.id DESC`, id, s.id)
	for _, v := range holds {
		current := false
		if err := q.Row(`SELECT EXISTS(SELECT 1 FROM head WHERE memory=(SELECT memory FROM version WHERE id=?) AND version=?)`, v.row, v.row).Scan(&current); err != nil {
			return c, err
		}
		if current || past {
			c.In = append(c.In, Holder{v.Version, current})
		}
	}
	return c, err
}
