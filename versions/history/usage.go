package history

import (
	"context"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// Usage returns the space that each memory of the store takes.
func Usage(ctx context.Context, s *core.Store) ([]versions.Usage, error) {
	// A join of memories with their texts would be quadratic: it has no index. Their union is grouped by sorting.
	var u versions.Usage
	return db.All(s.Trail.DB.Rows(ctx, `WITH text AS (
			SELECT min(v.memory) AS memory, length(b.data)+coalesce((SELECT sum(length(data)) FROM blob_chunk WHERE blob=b.id),0) AS bytes
			FROM version v JOIN memory m ON m.id=v.memory JOIN blob b ON b.id=v.blob WHERE m.store=?1 GROUP BY v.blob),
		kept AS (
			SELECT memory, sum(bytes) AS bytes
			FROM (SELECT id AS memory, 0 AS bytes FROM memory WHERE store=?1 UNION ALL SELECT * FROM text) GROUP BY memory)
		SELECT (SELECT path FROM version WHERE memory=k.memory ORDER BY number DESC LIMIT 1), h.bytes IS NOT NULL, coalesce(h.bytes,0),
			(SELECT count(*) FROM version WHERE memory=k.memory), k.bytes
		FROM kept k LEFT JOIN head h ON h.memory=k.memory ORDER BY k.memory`, s.Row), &u, tables.PathTo(&u.Path), &u.Current, &u.Bytes, &u.Versions, &u.History)
}
