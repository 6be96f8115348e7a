package versions

import (
	"context"
	"time"

	"github.com/memend/memend/versions/ids"
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
		for row, err := range q.Each(`SELECT s.uid, s.changes, count(h.path), coalesce(sum(h.bytes),0),
				coalesce((SELECT ts FROM change WHERE store=s.id AND number=s.changes),0)
			FROM store s LEFT JOIN head h ON h.store=s.id GROUP BY s.id`) {
			if err != nil {
				return err
			}
			var uid []byte
			var z StoreSize
			var ts int64
			if err := row.Scan(&uid, &z.Changes, &z.Memories, &z.Bytes, &ts); err != nil {
				return err
			}
			if ts > 0 {
				z.Changed = fromMicros(ts)
			}
			out[StoreID(ids.Format(ids.StorePrefix, uid))] = z
		}
		return nil
	})
	return out, err
}
