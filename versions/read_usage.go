package versions

import (
	"context"
	"database/sql"

	"github.com/memend/memend/memfs"
)

// Usage is the space that one memory takes, deleted or not.
type Usage struct {
	Path     memfs.Path // path of its newest version; the root when that was redacted
	Current  bool       // it is not deleted
	Bytes    int64      // size of its current content
	Versions int
	History  int64 // bytes of its versions in the trail; a text of several memories counts for the oldest
}

// Usage returns the space that each memory of the store takes.
func (s *Store) Usage(ctx context.Context) (out []Usage, err error) {
	err = s.t.view(ctx, func(q reader) error {
		// A join of memories with their texts would be quadratic: it has no index. Their union is grouped by sorting.
		for row, err := range q.Each(`WITH text AS (
				SELECT min(v.memory) AS memory, length(b.data)+coalesce((SELECT sum(length(data)) FROM blob_chunk WHERE blob=b.id),0) AS bytes
				FROM version v JOIN memory m ON m.id=v.memory JOIN blob b ON b.id=v.blob WHERE m.store=?1 GROUP BY v.blob),
			kept AS (
				SELECT memory, sum(bytes) AS bytes
				FROM (SELECT id AS memory, 0 AS bytes FROM memory WHERE store=?1 UNION ALL SELECT * FROM text) GROUP BY memory)
			SELECT (SELECT path FROM version WHERE memory=k.memory ORDER BY number DESC LIMIT 1), h.bytes,
				(SELECT count(*) FROM version WHERE memory=k.memory), k.bytes
			FROM kept k LEFT JOIN head h ON h.memory=k.memory ORDER BY k.memory`, s.id) {
			if err != nil {
				return err
			}
			var u Usage
			var path sql.NullString
			var bytes sql.NullInt64
			if err := row.Scan(&path, &bytes, &u.Versions, &u.History); err != nil {
				return err
			}
			u.Current, u.Bytes = bytes.Valid, bytes.Int64
			if path.Valid {
				if u.Path, err = pathOf(path.String); err != nil {
					return err
				}
			}
			out = append(out, u)
		}
		return nil
	})
	return out, err
}
