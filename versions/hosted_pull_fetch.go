package versions

import (
	"context"
	"time"
)

// fewFetches is how many contents are loaded one by one. More are loaded in pages by time.
const fewFetches = 3

// fetch loads contents, and reports how many are loaded.
func (s *Store) fetch(ctx context.Context, need []*HostedVersion, fetched func(n int)) error {
	if len(need) > fewFetches {
		if err := s.fetchPages(ctx, need, fetched); err != nil {
			return err
		}
	}
	there := 0
	for _, v := range need {
		if v.Content != nil || !v.Redacted.IsZero() {
			there++
		}
	}
	for _, v := range need {
		if v.Content != nil || !v.Redacted.IsZero() {
			continue
		}
		full, err := s.up.Version(ctx, VersionID(v.ID))
		if err != nil {
			return err
		}
		if full.ID != v.ID {
			return unbelievable("asked for version %.80q it gives %.80q", v.ID, full.ID)
		}
		v.take(&full)
		there++
		fetched(there)
	}
	return nil
}

func (s *Store) fetchPages(ctx context.Context, need []*HostedVersion, fetched func(n int)) error {
	byID := make(map[string]*HostedVersion, len(need))
	first, last := need[0].Time, need[0].Time
	for _, v := range need {
		byID[v.ID] = v
		first, last = minTime(first, v.Time), maxTime(last, v.Time)
	}
	q := HostedQuery{Since: first.Truncate(time.Second), Until: last.Truncate(time.Second).Add(time.Second), Full: true, Limit: laterPages}
	left := len(need)
	most := 2*left + 100 // the rest is loaded one by one
	for page, n := "", 0; left > 0; {
		got, err := s.up.Versions(ctx, q, page)
		if err != nil {
			return err
		}
		for i := range got.Versions {
			if v := byID[got.Versions[i].ID]; v != nil && v.Content == nil {
				v.take(&got.Versions[i])
				left--
			}
		}
		fetched(len(need) - left)
		if page, n = got.Next, n+max(len(got.Versions), 1); page == "" || n > most {
			return nil
		}
	}
	return nil
}

// take copies what only a full answer has. A version may have been erased since it was listed.
func (v *HostedVersion) take(full *HostedVersion) {
	if full.Redacted.IsZero() {
		v.Content = nonNil(full.Content)
	} else {
		*v = *full
	}
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func maxTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
