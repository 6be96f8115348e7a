package db

import (
	"testing"

	"github.com/memend/memend/versions/db/pages"
)

// Whatever a page holds, it is read or refused.
func FuzzTablePage(f *testing.F) {
	f.Add([]byte{10, 0, 0, 0, 1, 0, 0, 0, 0, 10, 2, 1, 8})
	f.Add([]byte{2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 9, 0, 14, 0, 0, 0, 3, 2, 1, 9})
	f.Fuzz(func(t *testing.T, page []byte) {
		page = append(page, make([]byte, max(0, 512-len(page)))...)
		h := &tablePages{key: 1, usable: len(page),
			rest: func(uint32) ([]byte, error) { return make([]byte, len(page)), nil },
			visit: func(r *pages.Record) error {
				var n int64
				r.Numbers(&n, nil)
				r.Text()
				r.Numbers(nil)
				r.Complete()
				return nil
			}}
		kind, err := pageKind(page)
		if err != nil {
			return
		}
		var below []pageItem
		if kind == pages.InnerIndex {
			_ = h.children(page, &below)
			return
		}
		_ = h.cells(page, 8, func(_, row []byte) error { return h.take(row) })
	})
}
