package cli

import (
	"context"
	"iter"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

const page = 200 // rows per query

// listed iterates over a list that is read in pages. It ends after the first error.
func listed[T any](read func(at versions.Cursor) ([]T, versions.Cursor, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for at, more := versions.Cursor(""), true; more; more = at != "" {
			rows, next, err := read(at)
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
			}
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			at = next
		}
	}
}

// paged iterates over a list that begins at a number, in pages. It ends after
// the first error.
func paged[T, C any](read func(after C) ([]T, error), cursor func(T) C) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var after C
		for {
			rows, err := read(after)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
				after = cursor(row)
			}
			if len(rows) < page {
				return
			}
		}
	}
}

// changesOf iterates over the changes of a store that pass a filter, newest first.
func changesOf(ctx context.Context, s *engine.Store, f versions.Filter) iter.Seq2[versions.Change, error] {
	return paged(func(before int64) ([]versions.Change, error) { return history.Changes(ctx, s, f, before, page) },
		func(c versions.Change) int64 { return c.Number })
}
