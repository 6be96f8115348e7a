package history

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// maxKnown limits the number of ids with the same prefix. A few are enough to show that a prefix is
// ambiguous.
const maxKnown = 10

// IDs returns the ids of a kind that start with a prefix, in order, at most maxKnown of them. If no session's does, it
// returns those that start with it after "sesn_", or else those that end with it, as the screens show them.
func IDs(ctx context.Context, t *core.Trail, kind versions.IDKind, begun string) (out []versions.Known, err error) {
	err = core.View(ctx, t, func(q tables.Reader) error {
		switch kind {
		case versions.VersionIDs:
			out, err = uidsBegun(q, ids.VersionPrefix, begun, `version x JOIN memory m ON m.id=x.memory`)
		case versions.MemoryIDs:
			out, err = uidsBegun(q, ids.MemoryPrefix, begun, `memory m JOIN memory x ON x.id=m.id`)
		case versions.SessionIDs:
			const begins, ends = `uid>=?1 AND uid<?1||?2`, `length(?1)>=8 AND substr(uid,-length(?1))=?1`
			for _, is := range [][2]string{{begins, begun}, {begins, ids.SessionPrefix + begun}, {ends, begun}} {
				if out, err = sessionIDs(q, is[0], is[1]); err != nil || len(out) > 0 {
					return err
				}
			}
		case versions.CallIDs:
			out, err = callIDs(q, begun)
		}
		return err
	})
	return out, err
}

// uidsBegun returns the ids of versions or memories with a prefix. The from store memend's own
// ids as decoded bytes, and the ids of other services as text.
func uidsBegun(q tables.Reader, prefix, begun, from string) (out []versions.Known, err error) {
	text, ours := strings.CutPrefix(begun, prefix)
	first, last := uidRange(text)
	if !ours {
		first, last = nil, nil
		text = ids.WholeMark + begun
	}
	var uid []byte
	var store versions.StoreID
	rows := q.Rows(`SELECT x.uid, s.uid FROM `+from+` JOIN store s ON s.id=m.store
		WHERE x.uid BETWEEN ? AND ? OR x.uid>=? AND x.uid<? ORDER BY x.uid LIMIT ?`, first, last, []byte(text), append([]byte(text), 0xff), maxKnown)
	for range rows.Each(&uid, tables.IDTo(&store)) {
		if id := ids.Format(prefix, uid); strings.HasPrefix(id, begun) {
			out = append(out, versions.Known{ID: id, Stores: []versions.StoreID{store}})
		}
	}
	return out, rows.Err()
}

// uidRange returns the first and last of memend's own ids whose text starts with text.
func uidRange(text string) (first, last []byte) {
	n := ids.Text.EncodedLen(ids.Size)
	if len(text) > n {
		return nil, nil
	}
	first, err := ids.Text.DecodeString(text + strings.Repeat("a", n-len(text)))
	if err != nil {
		return nil, nil
	}
	last, _ = ids.Text.DecodeString(text + strings.Repeat("7", n-len(text)))
	return first, last
}

// afterAll, appended to a text, sorts after every text that starts with it.
const afterAll = "\U0010FFFF"

func sessionIDs(q tables.Reader, cond, of string) (out []versions.Known, err error) {
	var rowsOf []int64
	var id int64
	var k versions.Known
	rows := q.Rows(`SELECT id, uid FROM session WHERE `+cond+` ORDER BY uid LIMIT ?3`, of, afterAll, maxKnown)
	for range rows.Each(&id, &k.ID) {
		rowsOf, out = append(rowsOf, id), append(out, k)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	for i, id := range rowsOf {
		if out[i].Stores, err = storesOf(q, id); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func callIDs(q tables.Reader, begun string) (out []versions.Known, err error) {
	var id string
	var of versions.StoreID
	rows := q.Rows(`SELECT DISTINCT c.tool_use, s.uid FROM (SELECT store, tool_use FROM change WHERE tool_use>=?1 AND tool_use<?2
			UNION ALL SELECT store, w.tool_use FROM attribution w JOIN change c ON c.id=w.change WHERE w.tool_use>=?1 AND w.tool_use<?2 AND `+tables.IsNewest+`) c
		JOIN store s ON s.id=c.store ORDER BY c.tool_use, s.id LIMIT ?3`, begun, begun+afterAll, maxKnown)
	for range rows.Each(&id, tables.IDTo(&of)) {
		if n := len(out); n > 0 && out[n-1].ID == id {
			out[n-1].Stores = append(out[n-1].Stores, of)
			continue
		}
		out = append(out, versions.Known{ID: id, Stores: []versions.StoreID{of}})
	}
	return out, rows.Err()
}

// CallChanges returns the numbers of the changes that a tool call made in this store.
func CallChanges(ctx context.Context, s *core.Store, call string) ([]int64, error) {
	return db.Values[int64](s.Trail.DB.Rows(ctx, `SELECT number FROM change WHERE store=?1 AND tool_use=?2
		UNION ALL SELECT c.number FROM attribution w JOIN change c ON c.id=w.change WHERE c.store=?1 AND w.tool_use=?2 AND `+tables.IsNewest+` ORDER BY 1`, s.Row, call))
}

// FindVersion returns the row of a version of the store. A damaged row or index could lead to
// another version, or to another content that is valid, so FindVersion checks the row against both
// indexes that lead to it.
func FindVersion(s *core.Store, q db.Queryer, id versions.VersionID) (row int64, err error) {
	uid := ids.Parse(ids.VersionPrefix, string(id))
	err = q.Row(`SELECT v.id FROM version v JOIN memory m ON m.id=v.memory WHERE v.uid=? AND m.store=?`, uid, s.Row).Scan(&row)
	if err != nil {
		return 0, tables.NotFound(err, versions.ErrNoVersion, string(id))
	}
	var own []byte
	var held bool
	err = q.Row(`SELECT uid, EXISTS(SELECT 1 FROM version b INDEXED BY version_blob WHERE b.blob IS v.blob AND b.id=v.id) FROM version v NOT INDEXED WHERE id=?`, row).Scan(&own, &held)
	if err != nil {
		return 0, tables.NotFound(err, versions.ErrNoVersion, string(id))
	}
	if !bytes.Equal(own, uid) || !held {
		return 0, fmt.Errorf("%w: version %s: its row and the indexes differ", versions.ErrDamaged, id)
	}
	return row, nil
}
