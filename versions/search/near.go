package search

import (
	"context"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/match"
)

// Near reports for each word of a query whether it occurs at or below a path, and which words with a
// similar spelling occur. It reads every word of the store.
func (c *Texts) Near(ctx context.Context, in memfs.Path, words []match.Term) ([]match.NearWord, error) {
	shares := make([]match.Nearness, memfs.Readers())
	for i := range shares {
		shares[i].Begin(words)
	}
	if _, err := c.each(ctx, in, func(n int, d *doc) bool {
		shares[n].Look([]byte(d.path.Rel()), d.text)
		return false
	}); err != nil {
		return nil, err
	}
	for _, sh := range shares[1:] {
		shares[0].Add(sh)
	}
	return shares[0].Words(), nil
}
