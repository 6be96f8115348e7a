package replica

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// news holds what a service lists and the replica lacks.
type news struct {
	fresh  []incoming // oldest first
	erased []versions.HostedVersion
	listed int
	none   bool // the service keeps no versions
}

// incoming is a version that the service listed. Its other fields are set by parse.
type incoming struct {
	versions.HostedVersion
	late      bool // the replica already has a newer version of the memory
	uid, muid []byte
	path      memfs.Path // the root when redacted
	source    int64
	from      int // the number of the version here that it was made from; 0: it is not from here
}

// arrival is one change from the service, or one that the service made for a caller here. Usually
// each version is a change of its own.
type arrival struct {
	by       versions.By
	asked    core.Request
	undone   []int64
	accepts  *core.Acceptance
	versions []incoming
	own      bool // it is everything that the caller requested
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
			d.made[answerKey(&v.HostedVersion)] = &hostedAct{from: v.from}
			l.fresh = append(l.fresh, v)
		}
	}
}

// listNew pages through the versions of the service, newest first, until several in a row are
// already known. This overlap finds versions that become visible late.
func (s *replica) listNew(ctx context.Context, p pulling) (*news, error) {
	l := &news{}
	seen := map[string]bool{}  // versions
	newer := map[string]bool{} // memories with a newer version here
	pages := paging{of: "versions", most: s.Trail.MaxListed}
	q := versions.HostedQuery{Memory: p.memory, Limit: FirstPage}
	for page := ""; ; {
		got, err := s.Service.Versions(ctx, q, page)
		if errors.Is(err, versions.ErrNoHistory) {
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
		for i, v := range got.Versions {
			if err := checkIDs(&v); err != nil {
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
				l.fresh = append(l.fresh, incoming{HostedVersion: v, late: newer[v.Memory]})
			}
		}
		versions.ReportProgress(ctx, versions.Progress{Done: len(l.fresh), Of: versions.VersionsFound})
		if err := pages.turn(got.Next, l.listed); err != nil {
			return nil, err
		}
		if got.Next == "" || !p.Full && known >= Overlap {
			slices.Reverse(l.fresh)
			return l, nil
		}
		page, q.Limit = got.Next, laterPages
	}
}

// paging guards a loop over the pages of a list against a service whose pages do not end.
type paging struct {
	of     string
	most   int // items
	listed int
	idle   int             // pages in a row that listed nothing new
	asked  map[string]bool // pages
}

// turn checks a page, by its successor and the number of items that are listed so far.
func (p *paging) turn(next string, listed int) error {
	if p.idle++; listed > p.listed {
		p.idle, p.listed = 0, listed
	}
	switch {
	case listed > p.most:
		return versions.AsInvalidResponse("it lists more than %d %s", p.most, p.of)
	case next != "" && p.asked[next]:
		return versions.AsInvalidResponse("its pages of %s go round in a circle", p.of)
	case next != "" && p.idle > maxIdlePages:
		return versions.AsInvalidResponse("its pages of %s do not end: %d in a row say nothing new", p.of, p.idle)
	case p.asked == nil:
		p.asked = map[string]bool{}
	}
	p.asked[next] = true
	return nil
}

type presence uint8

const (
	notHere presence = iota
	isHere
	isErased // there, but not here; it may stand here until what comes with it is stored
)

// whichAreHere reports which versions are in the trail.
func (s *replica) whichAreHere(ctx context.Context, vs []versions.HostedVersion) ([]presence, error) {
	out := make([]presence, len(vs))
	err := core.View(ctx, s.Trail, func(q tables.Reader) error {
		for i, v := range vs {
			var erased bool
			err := q.Row(`SELECT redacted IS NOT NULL FROM version WHERE uid=?`, ids.Parse(ids.VersionPrefix, v.ID)).Scan(&erased)
			switch {
			case tables.IgnoreNoRows(err) != nil:
				return err
			case err != nil:
			case !v.Redacted.IsZero() && !erased:
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
// commit.
func (l *news) chunks(d *delivery) iter.Seq[[]arrival] {
	changes := l.changes(d)
	return func(yield func([]arrival) bool) {
		for from := 0; from < len(changes); {
			to, items, size := from, 0, int64(0)
			for to < len(changes) && (to == from || items < ChunkItems && size < chunkSize) {
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

// changes groups the new versions into changes. What the service did for a caller here is one
// change, unless other changes came in between.
func (l *news) changes(d *delivery) (out []arrival) {
	own := l.ownChange(d)
	at := -1
	for i := range l.fresh {
		v := &l.fresh[i]
		act, ours := d.has(&v.HostedVersion)
		if ours {
			if v.source, v.from = act.source, act.from; act.sha == v.SHA256 && act.content != nil {
				v.Content = act.content
			}
		}
		if own[i] && at >= 0 {
			out[at].versions = append(out[at].versions, *v)
			continue
		}
		a := arrival{by: versions.By{Actor: cmp.Or(v.By, someKey), Session: v.Session}, asked: requestOf(v), versions: []incoming{*v}}
		if ours {
			a.by = d.by
		}
		if own[i] {
			at = len(out)
			a.asked, a.undone, a.accepts, a.own = d.asked, d.undone, d.accepts, true
		}
		out = append(out, a)
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
