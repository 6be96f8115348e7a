package history

import (
	"context"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// Sizes returns the size of every store of this home, without opening any.
func Sizes(ctx context.Context, t *core.Trail) (map[versions.StoreID]versions.StoreSize, error) {
	out := map[versions.StoreID]versions.StoreSize{}
	var id versions.StoreID
	var z versions.StoreSize
	rows := t.DB.Rows(ctx, `SELECT s.uid, s.changes, count(h.path), coalesce(sum(h.bytes),0),
			(SELECT ts FROM change WHERE store=s.id AND number=s.changes)
		FROM store s LEFT JOIN head h ON h.store=s.id GROUP BY s.id`)
	for range rows.Each(tables.IDTo(&id), &z.Changes, &z.Memories, &z.Bytes, tables.TimeTo(&z.Changed)) {
		out[id] = z
	}
	return out, rows.Err()
}
