package versions

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/memend/memend/versions/ids"
)

// news holds what a service lists and the replica lacks.
type news struct {
	fresh  []incoming // oldest first
	erased []HostedVersion
	listed int
	none   bool // the service keeps no versions
}

type incoming struct {
	HostedVersion
	late bool // the replica already has a newer version of the memory
}

// has reports whether news contains everything that the service did for a caller.
func (l *news) has(o *delivery) bool {
	found := 0
	for _, v := range l.fresh {
		if _, ok := o.has(&v.HostedVersion); ok {
			found++
		}
	}
	return found >= len(o.made)
}

// addLocal adds the versions of a delivery that the service did not need to make, unless it has
// newer versions of the same memory.
func (l *news) addLocal(d *delivery) {
	if d == nil {
		return
	}
	newer := map[string]bool{}
	for _, v := range l.fresh {
		newer[v.Memory] = true
	}
	for _, v := range d.local {
		if !newer[v.Memory] {
			d.made[answerKey(&v.HostedVersion)] = &hostedAct{}
			l.fresh = append(l.fresh, v)
		}
	}
}

// listNew pages through the versions of the service, newest first, until several in a row are
// already known. This overlap finds versions that become visible late.
func (s *Store) listNew(ctx context.Context, p pulling) (*news, error) {
	l := &news{}
	seen := map[string]bool{}  // versions
	newer := map[string]bool{} // memories with a newer version here
	pages := map[string]bool{"": true}
	q := HostedQuery{Memory: p.memory, Limit: firstPage}
	idle := 0 // pages in a row
	for page := ""; ; {
		got, err := s.up.Versions(ctx, q, page)
		if errors.Is(err, ErrNoHistory) {
			return s.newsOfDelivery(ctx, p.ours)
		}
		if err != nil {
			return nil, err
		}
		here, err := s.whichAreHere(ctx, got.Versions)
		if err != nil {
			return nil, err
		}
		known := 0 // how many known versions in a row at the end of the page
		before := l.listed
		for i, v := range got.Versions {
			if err := v.checkIDs(); err != nil {
				return nil, err
			}
			if seen[v.ID] {
				continue
			}
			seen[v.ID] = true
			l.listed++
			known++
			switch {
			case here[i] == isHere:
				newer[v.Memory] = true
			case here[i] == isErased:
				newer[v.Memory] = true
				l.erased = append(l.erased, v)
			default:
				known = 0
				l.fresh = append(l.fresh, incoming{v, newer[v.Memory]})
			}
		}
		ReportProgress(ctx, Progress{Done: len(l.fresh), Of: VersionsFound})
		switch {
		case l.listed > s.t.maxListed:
			return nil, unbelievable("it lists more than %d versions", s.t.maxListed)
		case got.Next == "", !p.Full && known >= overlap:
			slices.Reverse(l.fresh)
			return l, nil
		case pages[got.Next]:
			return nil, unbelievable("its pages of versions go round in a circle")
		}
		if idle++; l.listed > before {
			idle = 0
		}
		if idle > maxIdlePages {
			return nil, unbelievable("its pages of versions do not end: %d in a row say nothing new", idle)
		}
		page, pages[got.Next] = got.Next, true
		q.Limit = laterPages
	}
}

type presence uint8

const (
	notHere presence = iota
	isHere
	isErased // there, but not here
)

// whichAreHere reports which versions are in the trail.
func (s *Store) whichAreHere(ctx context.Context, vs []HostedVersion) ([]presence, error) {
	out := make([]presence, len(vs))
	err := s.t.view(ctx, func(q reader) error {
		for i, v := range vs {
			var erased, stands bool
			err := q.Row(`SELECT redacted IS NOT NULL, EXISTS(SELECT 1 FROM head WHERE version=v.id) FROM version v WHERE uid=?`, ids.Parse(ids.VersionPrefix, v.ID)).Scan(&erased, &stands)
			switch {
			case unlessNone(err) != nil:
				return err
			case err != nil:
			case !v.Redacted.IsZero() && !erased && !stands:
				out[i] = isErased
			default:
				out[i] = isHere
			}
		}
		return nil
	})
	return out, err
}

// chunks groups the new versions into changes, and the changes into groups that are stored in one
// commit. Usually each version is a change of its own. What the service did for a caller here is
// one change, unless other changes came in between.
func (l *news) chunks(o *delivery) iter.Seq[[]newChange] {
	changes := l.changes(o)
	return func(yield func([]newChange) bool) {
		for from := 0; from < len(changes); {
			to, items, size := from, 0, int64(0)
			for to < len(changes) && (to == from || items < chunkItems && size < chunkSize) {
				for _, v := range changes[to].versions {
					items++
					size += v.Size
				}
				to++
			}
			if !yield(changes[from:to]) {
				return
			}
			from = to
		}
	}
}

// newChange is one change to store.
type newChange struct {
	versions []incoming
	whole    bool // it is everything that the caller requested
}

func (l *news) changes(o *delivery) (out []newChange) {
	own := l.ownChange(o)
	at := -1
	for i := range l.fresh {
		if !own[i] {
			out = append(out, newChange{versions: l.fresh[i : i+1]})
			continue
		}
		if at < 0 {
			at = len(out)
			out = append(out, newChange{whole: true})
		}
		out[at].versions = append(out[at].versions, l.fresh[i])
	}
	return out
}

// ownChange marks the versions that form one change of the caller: the last one of each memory, if
// nobody else wrote the memory in between.
func (l *news) ownChange(o *delivery) map[int]bool {
	own, last := map[int]bool{}, map[string]int{}
	first := len(l.fresh)
	for i := range l.fresh {
		if _, ok := o.has(&l.fresh[i].HostedVersion); ok {
			first = min(first, i)
			last[l.fresh[i].Memory] = i
		}
	}
	for _, i := range last {
		own[i] = true
	}
	for i := first; i < len(l.fresh); i++ {
		v := &l.fresh[i]
		if _, ok := o.has(&v.HostedVersion); ok {
			continue
		}
		if j, ok := last[v.Memory]; ok && i < j {
			delete(own, j) // it stays in place, after the other
		}
	}
	return own
}
