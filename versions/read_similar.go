package versions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/similar"
)

// SimilarMemory is a memory of a store that another one is similar to.
type SimilarMemory struct {
	Store   StoreID
	Name    string // of the store
	Memory  MemoryID
	Version VersionID // the current one
	Path    memfs.Path
	Time    time.Time // of the current version
	Size    int64     // bytes
	Lines   int
}

// SimilarPair is two near-duplicates.
type SimilarPair struct {
	A, B       SimilarMemory
	Similarity float64 // from 0 to 1; see package similar
}

// maxCompared is the size from which on a memory is not compared.
const maxCompared = 1 << 20

// Similar returns near-duplicates among the current memories of all stores, as the trail has them, the most
// similar first: those of one memory, or all. Binary, damaged and very large memories are left out.
func (t *Trail) Similar(ctx context.Context, to MemoryID, least float64) ([]SimilarPair, error) {
	var all []SimilarMemory
	var texts []similar.Text
	one := -1
	err := t.view(ctx, func(q reader) error {
		var found []int64
		for row, err := range q.Each(`SELECT s.uid,s.name,m.uid,v.uid,h.path,h.bytes,c.ts,v.blob FROM head h JOIN version v ON v.id=h.version JOIN change c ON c.id=v.change
			JOIN memory m ON m.id=h.memory JOIN store s ON s.id=h.store WHERE NOT h.binary AND h.bytes<=? AND v.blob IS NOT NULL ORDER BY s.name,h.path`, maxCompared) {
			if err != nil {
				return err
			}
			var store, memory, version []byte
			var path string
			var blob, ts int64
			var m SimilarMemory
			if err := row.Scan(&store, &m.Name, &memory, &version, &path, &m.Size, &ts, &blob); err != nil {
				return err
			}
			m.Time = fromMicros(ts)
			m.Store, m.Memory, m.Version = StoreID(ids.Format(ids.StorePrefix, store)), MemoryID(ids.Format(ids.MemoryPrefix, memory)), VersionID(ids.Format(ids.VersionPrefix, version))
			if m.Path, err = pathOf(path); err != nil {
				return err
			}
			all, found = append(all, m), append(found, blob)
		}
		for i, blob := range found {
			text, err := blobs.Get(q, blob)
			if errors.Is(err, ErrDamaged) || errors.Is(err, ErrLost) {
				text = nil
			} else if err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			ReportProgress(ctx, Progress{Done: i + 1, Total: len(found), Of: MemoriesRead})
			texts = append(texts, similar.Of(text))
			all[i].Lines = diff.CountLines(text)
			if all[i].Memory == to {
				one = i
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var pairs []similar.Pair
	switch {
	case to == "":
		pairs = similar.Pairs(texts, least)
	case one >= 0:
		pairs = similar.To(texts, one, least)
	default:
		return nil, fmt.Errorf("%w that can be compared: %s", ErrNoMemory, to)
	}
	out := make([]SimilarPair, len(pairs))
	for i, p := range pairs {
		out[i] = SimilarPair{all[p.A], all[p.B], p.Similarity}
	}
	return slices.Clip(out), nil
}
