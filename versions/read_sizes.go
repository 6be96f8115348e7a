package versions

import (
	"context"
	"time"
)

// StoreSize is the size of a store's current memories.
type StoreSize struct {
	Memories int
	Bytes    int64
	Changes  int64
	Changed  time.Time // time of its last change; zero when there was none
}

// Sizes returns the size of every store of this home, without opening any.
func (t *Trail) Sizes(ctx context.Context) (map[StoreID]StoreSize, error) {
	out := map[StoreID]StoreSize{}
	err := t.view(ctx, func(q reader) error {
		var id StoreID
		var z StoreSize
		rows := q.Rows(`SELECT s.uid, s.changes, count(h.path), coalesce(sum(h.bytes),0),
				(SELECT ts FROM change WHERE store=s.id AND number=s.changes)
			FROM store s LEFT JOIN head h ON h.store=s.id GROUP BY s.id`)
		for range rows.Each(idTo(&id), &z.Changes, &z.Memories, &z.Bytes, timeTo(&z.Changed)) {
			out[id] = z
		}
		return rows.Err()
	})
	return out, err
}
