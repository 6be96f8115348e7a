package replica

import (
	"context"
	"slices"
	"time"

	"github.com/memend/memend/versions"
)

// fewFetches is how many contents are loaded one by one. More are loaded in pages by time.
const fewFetches = 3

// fetch loads contents, and reports how many are loaded.
func (s *replica) fetch(ctx context.Context, need []*versions.HostedVersion, fetched func(n int)) error {
	all := len(need)
	if all > fewFetches {
		if err := s.fetchPages(ctx, need, fetched); err != nil {
			return err
		}
	}
	need = slices.DeleteFunc(slices.Clone(need), func(v *versions.HostedVersion) bool { return v.Content != nil || !v.Redacted.IsZero() })
	for i, v := range need {
		full, err := s.Service.Version(ctx, versions.VersionID(v.ID))
		if err != nil {
			return err
		}
		if full.ID != v.ID {
			return versions.AsInvalidResponse("asked for version %.80q it gives %.80q", v.ID, full.ID)
		}
		take(v, &full)
		fetched(all - len(need) + i + 1)
	}
	return nil
}

func (s *replica) fetchPages(ctx context.Context, need []*versions.HostedVersion, fetched func(n int)) error {
	byID := make(map[string]*versions.HostedVersion, len(need))
	for _, v := range need {
		byID[v.ID] = v
	}
	byTime := func(a, b *versions.HostedVersion) int { return a.Time.Compare(b.Time) }
	first, last := slices.MinFunc(need, byTime).Time, slices.MaxFunc(need, byTime).Time
	q := versions.HostedQuery{Since: first.Truncate(time.Second), Until: last.Truncate(time.Second).Add(time.Second), Full: true, Limit: laterPages}
	left := len(need)
	most := 2*left + 100 // the rest is loaded one by one
	for page, n := "", 0; left > 0; {
		got, err := s.Service.Versions(ctx, q, page)
		if err != nil {
			return err
		}
		for i := range got.Versions {
			if v := byID[got.Versions[i].ID]; v != nil && v.Content == nil {
				take(v, &got.Versions[i])
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
func take(v *versions.HostedVersion, full *versions.HostedVersion) {
	if full.Redacted.IsZero() {
		v.Content = versions.NonNil(full.Content)
	} else {
		*v = *full
	}
}
