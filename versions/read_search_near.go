package versions

import (
	"context"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/match"
)

// Near reports for each word of a query whether it occurs, and which words with a similar spelling
// occur. It reads every word of the store, so call it after a search without hits and not at each
// key. It reports nothing for a regular expression.
func (s *Store) Near(ctx context.Context, q Query) ([]match.NearWord, error) {
	terms := q.text().Words()
	if q.Regexp || len(terms) == 0 {
		return nil, nil
	}
	leave, err := s.texts.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := s.refreshTexts(ctx); err != nil {
		return nil, err
	}
	shares := make([]match.Nearness, memfs.Readers())
	for i := range shares {
		shares[i].Begin(terms)
	}
	if _, err := s.eachText(ctx, q.In, func(n int, d *searchDoc) bool {
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
