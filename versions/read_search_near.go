package versions

import (
	"context"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/match"
)

// Near tells of each word of a query by itself whether it occurs, and what
// occurs that is spelled nearly like it. It looks at every word of the store:
// call it when a search found nothing, not at each key. Of a regular expression
// nothing is told.
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
