package versions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/memtrail/memtrail/memfs"
)

// PullOptions say how thorough a pull is. The zero PullOptions look for what is new.
type PullOptions struct {
	Full     bool                  // every version that the service has, and what stands there
	Compare  bool                  // what stands there only
	Progress func(done, total int) // told of versions; may be nil
}

// Pulled says what a pull brought.
type Pulled struct {
	Versions  int          // that were new here
	Redacted  int          // that the service has erased since, and that were erased here
	Sent      int          // memories that other programs had written here and that the service has now
	Overruled []memfs.Path // what other programs wrote here while somebody else wrote it there: it stays in the history
	Skipped   []Skipped    // that can't be kept here
	Listed    int          // versions that the service told of
}

// Skipped is a memory of the service that no folder here can hold.
type Skipped struct {
	Memory string
	Path   string
	Err    error
}

// Pull brings the replica of a hosted store up to what its service has, and the
// service up to what other programs wrote into the replica's folder. Versions that the
// service has dropped since stay.
func (s *Store) Pull(ctx context.Context, o PullOptions) (Pulled, error) {
	release, err := s.alone(ctx)
	if err != nil {
		return Pulled{}, err
	}
	defer release()
	p := pulling{PullOptions: o}
	got, err := s.pull(ctx, p)
	if err == nil && (o.Full || o.Compare || got.first) {
		if err = s.reconcile(ctx, &got); err == nil {
			err = s.hearAbout(ctx)
		}
		if err == nil {
			s.compared()
		}
	}
	if err == nil {
		err = s.push(ctx, &got)
	}
	return got.Pulled, err
}

// hearAbout asks what the service says of the store itself.
func (s *Store) hearAbout(ctx context.Context) error {
	about, err := s.up.About(ctx)
	if err != nil {
		return err
	}
	return s.t.hear(ctx, s.info.ID, about)
}

// pulling is a pull with what it is for.
type pulling struct {
	PullOptions
	ours   *share   // what the service did for a caller here
	memory MemoryID // only what concerns this one
	filled bool     // the contents are there
}

type pulled struct {
	Pulled
	own   Change
	first bool // nothing was known of the store before
}

const (
	firstPage  = 20 // versions asked for at first: mostly there is nothing new
	overlap    = 10 // so many in a row that are here, and what is older is believed to be
	laterPages = 100
	chunkItems = 1000 // versions taken in in one commit
	chunkSize  = 16 << 20
)

// Bounds of what a service may say; tests lower them.
var (
	maxListed     = 5_000_000
	maxHostedSize = int64(DefaultMaxBytes)
)

// pull asks the service for what is new and takes it in. The caller holds the
// upstream lock.
func (s *Store) pull(ctx context.Context, p pulling) (pulled, error) {
	var got pulled
	last, err := s.LastChange(ctx)
	if err != nil {
		return got, err
	}
	got.first = last == 0
	if err = s.pullInto(ctx, p, &got); errors.Is(err, ErrNoStore) {
		err = fmt.Errorf("store %s: %w: %w", s.info.Name, ErrGoneThere, err)
	}
	if ctx.Err() == nil || err == nil {
		s.asked(err)
	}
	if err == nil {
		s.heardOut()
	}
	return got, err
}

// waitsForOwn are the pauses in which a service may come to list what it has just done.
var waitsForOwn = []time.Duration{50 * time.Millisecond, 200 * time.Millisecond, time.Second}

func (s *Store) pullInto(ctx context.Context, p pulling, got *pulled) error {
	l, err := s.listNew(ctx, p)
	for _, wait := range waitsForOwn {
		if err != nil || p.ours == nil || l.has(p.ours) {
			break
		}
		time.Sleep(wait)
		l, err = s.listNew(ctx, p)
	}
	if err != nil {
		return err
	}
	got.Listed = l.listed
	done, total := 0, len(l.fresh)
	for changes := range l.chunks(p.ours) {
		n := 0
		for _, c := range changes {
			n += len(c.versions)
		}
		if err := s.pullChunk(ctx, p, changes, got); err != nil {
			return err
		}
		if done += n; p.Progress != nil {
			p.Progress(done, total)
		}
	}
	return s.eraseToo(ctx, l.erased, got)
}

// news is what a service lists that is not here.
type news struct {
	fresh  []incoming // oldest first
	erased []HostedVersion
	listed int
}

type incoming struct {
	HostedVersion
	late bool // a newer version of the memory is here already
}

// has reports whether all that the service did for a caller is among it.
func (l *news) has(o *share) bool {
	found := 0
	for _, v := range l.fresh {
		if _, ok := o.has(&v.HostedVersion); ok {
			found++
		}
	}
	return found >= len(o.made)+len(o.deleted)
}

// listNew pages through the versions of the service, newest first, until there are
// several in a row that are not new: what becomes visible late is still found then.
func (s *Store) listNew(ctx context.Context, p pulling) (*news, error) {
	l := &news{}
	seen := map[string]bool{}  // versions
	newer := map[string]bool{} // memories of which a newer version is here
	pages := map[string]bool{"": true}
	q := HostedQuery{Memory: p.memory, Limit: firstPage}
	for page := ""; ; {
		got, err := s.up.Versions(ctx, q, page)
		if err != nil {
			return nil, err
		}
		here, err := s.whichAreHere(ctx, got.Versions)
		if err != nil {
			return nil, err
		}
		known := 0 // how many in a row, at the end of the page
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
		switch {
		case l.listed > maxListed:
			return nil, unbelievable("it lists more than %d versions", maxListed)
		case got.Next == "", !p.Full && known >= overlap:
			slices.Reverse(l.fresh)
			return l, nil
		case pages[got.Next]:
			return nil, unbelievable("its pages of versions go round in a circle")
		}
		page, pages[got.Next] = got.Next, true
		q.Limit = laterPages
	}
}

type presence uint8

const (
	notHere presence = iota
	isHere
	isErased // there, and not here
)

// whichAreHere says of versions whether they are in the trail.
func (s *Store) whichAreHere(ctx context.Context, vs []HostedVersion) ([]presence, error) {
	out := make([]presence, len(vs))
	err := s.t.view(ctx, func(q reader) error {
		for i, v := range vs {
			var erased, stands bool
			err := q.row(`SELECT redacted IS NOT NULL, EXISTS(SELECT 1 FROM head WHERE version=v.id) FROM version v WHERE uid=?`, parseUID(versionPrefix, v.ID)).Scan(&erased, &stands)
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

// chunks gives what is new in changes, and these in portions that are taken in at
// once. Mostly a version is a change of its own; what the service did for a caller
// here is one, unless others came in between.
func (l *news) chunks(o *share) iter.Seq[[]newChange] {
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

// newChange is one change that is to be taken in.
type newChange struct {
	versions []incoming
	whole    bool // it is what the caller asked for
}

func (l *news) changes(o *share) (out []newChange) {
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

// ownChange marks the versions that are one change of the caller: of each memory the
// last one, if nobody else wrote it in between.
func (l *news) ownChange(o *share) map[int]bool {
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
			delete(own, j) // it stays where it is, behind the other
		}
	}
	return own
}

// pullChunk fetches the contents of a portion and takes it in.
func (s *Store) pullChunk(ctx context.Context, p pulling, changes []newChange, got *pulled) error {
	var need []*HostedVersion
	for _, c := range changes {
		for i := range c.versions {
			v := &c.versions[i].HostedVersion
			if a, ok := p.ours.has(v); ok && a != nil && a.sha == v.SHA256 && a.content != nil {
				v.Content = a.content
			} else if v.Operation != Deleted && v.Redacted.IsZero() {
				need = append(need, v)
			}
		}
	}
	if !p.filled {
		if err := s.fetch(ctx, need); err != nil {
			return err
		}
	}
	var arrivals []arrival
	for _, c := range changes {
		a, err := p.arrivalOf(c, got)
		if err != nil {
			return err
		}
		if len(a.versions) > 0 {
			arrivals = append(arrivals, a)
		}
	}
	t, err := s.receive(ctx, arrivals)
	if errors.Is(err, errInWay) {
		err = unbelievable("%w", err)
	}
	got.Versions += t.versions
	got.Overruled = append(got.Overruled, t.overruled...)
	if t.own.Number > 0 {
		got.own = t.own
	}
	return err
}

// fewFetches are fetched one by one; more come by pages of the time that they are of.
const fewFetches = 3

// fetch fills in contents.
func (s *Store) fetch(ctx context.Context, need []*HostedVersion) error {
	if len(need) > fewFetches {
		if err := s.fetchPages(ctx, need); err != nil {
			return err
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
	}
	return nil
}

func (s *Store) fetchPages(ctx context.Context, need []*HostedVersion) error {
	byID := make(map[string]*HostedVersion, len(need))
	first, last := need[0].Time, need[0].Time
	for _, v := range need {
		byID[v.ID] = v
		first, last = minTime(first, v.Time), maxTime(last, v.Time)
	}
	q := HostedQuery{Since: first.Truncate(time.Second), Until: last.Truncate(time.Second).Add(time.Second), Full: true, Limit: laterPages}
	left := len(need)
	most := 2*left + 100 // what is fetched one by one instead
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
		if page, n = got.Next, n+max(len(got.Versions), 1); page == "" || n > most {
			return nil
		}
	}
	return nil
}

// take fills in what only a full answer has. A version may have been erased since it
// was listed.
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

// arrivalOf is a change as it is taken in.
func (p pulling) arrivalOf(c newChange, got *pulled) (a arrival, err error) {
	first := &c.versions[0]
	a = arrival{by: By{Actor: cmp.Or(first.By, someKey), Session: first.Session}, asked: askedOf(first), at: first.Time, own: c.whole}
	for i := range c.versions {
		l := &c.versions[i]
		v, err := l.arriving()
		if skip := (*skipError)(nil); errors.As(err, &skip) {
			got.Skipped = append(got.Skipped, Skipped{l.Memory, l.Path, skip.err})
			continue
		}
		if err != nil {
			return a, err
		}
		if act, ok := p.ours.has(&l.HostedVersion); ok {
			if a.by = p.ours.by; act != nil {
				v.source = act.source
			}
		}
		a.versions = append(a.versions, v)
	}
	if c.whole {
		a.asked, a.undone = p.ours.asked, p.ours.undone
	}
	return a, nil
}

// askedOf says what a change of one version amounts to. Whether it is a rename shows
// only where it is taken in.
func askedOf(v *incoming) asked {
	a := asked{kind: KindEdit}
	a.path, _ = memfs.ParsePath(v.Path) // what is wrong with it is told elsewhere
	switch v.Operation {
	case Created:
		a.kind = KindCreate
	case Deleted:
		a.kind = KindDelete
	}
	return a
}

// skipError is a memory that no folder here can hold.
type skipError struct{ err error }

func (e *skipError) Error() string { return e.err.Error() }

// checkIDs refuses ids that none of ours or of a service's can be.
func (v *HostedVersion) checkIDs() error {
	uid, muid := parseUID(versionPrefix, v.ID), parseUID(memoryPrefix, v.Memory)
	switch {
	case uid == nil || unsentID(uid):
		return unbelievable("%.80q is not the id of a version", v.ID)
	case muid == nil || unsentID(muid):
		return unbelievable("version %s: %.80q is not the id of a memory", v.ID, v.Memory)
	}
	return nil
}

// arriving holds what the service says of a version against what can be.
func (l *incoming) arriving() (v arriving, err error) {
	v = arriving{uid: parseUID(versionPrefix, l.ID), muid: parseUID(memoryPrefix, l.Memory), op: l.Operation,
		redacted: l.Redacted, redactedBy: l.RedactedBy, late: l.late}
	switch {
	case v.op != Created && v.op != Modified && v.op != Deleted:
		return v, unbelievable("version %s: operation %.40q", l.ID, l.Operation)
	case l.Time.Year() < 1970 || l.Time.Year() > 9998:
		return v, unbelievable("version %s: it is of the year %d", l.ID, l.Time.Year())
	case !sane(l.By.Name) || !sane(string(l.Session)) || !sane(l.RedactedBy.Name):
		return v, unbelievable("version %s: the name of who made it is too long or not UTF-8", l.ID)
	}
	if !v.redacted.IsZero() {
		return v, nil
	}
	if v.path, err = memfs.ParsePath(l.Path); err != nil || v.path.IsRoot() {
		if errors.Is(err, memfs.ErrNameTooLong) {
			return v, &skipError{err}
		}
		return v, unbelievable("version %s: path %.80q", l.ID, l.Path)
	}
	if v.path.String() != l.Path {
		return v, unbelievable("version %s: path %.80q", l.ID, l.Path)
	}
	if v.op == Deleted {
		return v, nil
	}
	v.content, v.sha = l.Content, l.SHA256
	switch {
	case int64(len(v.content)) > maxHostedSize:
		return v, unbelievable("version %s: it has %d bytes, over the limit of %d", l.ID, len(v.content), maxHostedSize)
	case sum(v.content) != v.sha:
		return v, unbelievable("version %s: its content has the hash %s, not %s", l.ID, sum(v.content), v.sha)
	}
	return v, nil
}

// eraseToo erases here what the service has erased since it was taken in.
func (s *Store) eraseToo(ctx context.Context, erased []HostedVersion, got *pulled) error {
	byWhom := map[Actor][]VersionID{}
	for _, v := range erased {
		by := cmp.Or(v.RedactedBy, someKey)
		if !sane(by.Name) {
			return unbelievable("version %s: the name of who erased it is too long or not UTF-8", v.ID)
		}
		byWhom[by] = append(byWhom[by], VersionID(v.ID))
	}
	for by, ids := range byWhom {
		plan, err := s.PlanRedact(ctx, RedactTarget{Versions: ids})
		if err != nil {
			return err
		}
		r, err := s.redact(ctx, By{Actor: by}, plan, RedactChoice{}, false)
		if err != nil && r.ID == 0 {
			return fmt.Errorf("erase what the service has erased: %w", err)
		}
		got.Redacted += len(plan.Erase)
	}
	return nil
}
