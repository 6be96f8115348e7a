package versions

import (
	"context"
	"slices"
	"time"

	"github.com/memend/memend/memfs"
)

// Recollection is what the records of agents tell of stores' folders.
type Recollection interface {
	// Texts gives texts that memories held while nobody looked, in their order for each
	// memory. first says that nobody ever looked: then it may give memories that it was not
	// asked for, which are gone. Each text must have been in its file: what the records do not
	// prove is left out.
	Texts(ctx context.Context, s StoreInfo, asked []Unexplained, first bool) ([]Recalled, error)
	// Calls gives the calls that ended since a time, in their order.
	Calls(ctx context.Context, s StoreInfo, since time.Time) ([]Evidence, error)
}

// Unexplained is a memory that is not as the trail knows it.
type Unexplained struct {
	Path  memfs.Path
	Since time.Time                          // the trail knows what was before
	Held  func() (text []byte, known bool)   // what the trail knows that it held
	Holds func() (text []byte, at time.Time) // what the file holds now, and when it was written; nil: nothing
}

// Recalled is a text that a memory held, from a time on.
type Recalled struct {
	Path    memfs.Path
	Text    []byte
	Deleted bool // nothing: the memory was gone
	By      By   // an agent in its session; zero: nobody knows who
	At      time.Time
}

// maxRecalled is how many texts are taken in at once.
const maxRecalled = 20_000

// recall brings the trail up to what memories held while nobody looked, so that what is
// adopted after it is only what nobody tells of. Versions that come of it are recorded
// now and have the time at which they were made, as far as the order of the store's
// changes allows. It adds to the paths that are to be adopted those that are gone, and
// gives the number of the last change that it made; 0 where it made none.
func (s *Store) recall(ctx context.Context, sc *scanned) (last int64, err error) {
	if s.t.recall == nil || s.hosted() {
		return 0, nil
	}
	first, since, err := s.lookedSince(ctx)
	if err != nil || len(sc.dirty) == 0 && !first {
		return 0, err
	}
	heads, err := s.headsAt(ctx, sc.dirty)
	if first {
		heads, err = s.heads(ctx) // records are asked for all that was ever there
	}
	if err != nil {
		return 0, err
	}
	var asked []Unexplained
	known := map[memfs.Path]time.Time{}
	for _, p := range sc.dirty {
		a := s.askAbout(ctx, p, heads[p], since)
		asked, known[p] = append(asked, a), a.Since
	}
	texts, err := s.t.recall.Texts(ctx, s.info, asked, first)
	if err != nil || len(texts) == 0 { // what can't be read is not known
		return 0, nil
	}
	texts = slices.DeleteFunc(texts, func(r Recalled) bool { return !first && !r.At.After(known[r.Path]) })
	slices.SortStableFunc(texts, func(a, b Recalled) int { return a.At.Compare(b.At) })
	made, last, err := s.recordRecalled(ctx, texts[max(0, len(texts)-maxRecalled):], heads)
	if err != nil {
		return 0, err
	}
	for _, p := range made {
		if at, found := slices.BinarySearchFunc(sc.dirty, p, comparePaths); !found {
			sc.dirty, sc.gone = slices.Insert(sc.dirty, at, p), true
		}
	}
	return last, nil
}

// lookedSince says whether the folder was ever looked at as a whole, and since when what
// a memory held that the trail has no version of may be told. What a redaction erased
// must not come back from an agent's records.
func (s *Store) lookedSince(ctx context.Context) (first bool, since int64, err error) {
	err = s.t.get(ctx, `SELECT began IS NULL, max(coalesce((SELECT wall FROM change WHERE store=s.id AND number=s.began),0),
		coalesce((SELECT max(ts) FROM redaction WHERE store=s.id),0)) FROM store s WHERE id=?`, []any{s.id}, &first, &since)
	return first, since, err
}

func (s *Store) askAbout(ctx context.Context, p memfs.Path, h head, since int64) Unexplained {
	a := Unexplained{Path: p, Since: fromMicros(since)}
	if h.live() {
		a.Since = fromMicros(max(since, h.seen/1000))
	}
	a.Held = func() ([]byte, bool) {
		if !h.live() {
			return nil, false
		}
		var b []byte
		err := s.t.view(ctx, func(q reader) error {
			var blob int64
			err := q.Row(`SELECT coalesce(blob,0) FROM version WHERE id=?`, h.version).Scan(&blob)
			if err == nil {
				b, err = blobContent(q, blob)
			}
			return err
		})
		return b, err == nil
	}
	a.Holds = func() ([]byte, time.Time) {
		b, g, err := s.folder().Read(p, s.t.maxBytes)
		if err != nil {
			return nil, time.Time{}
		}
		return nonNil(b), fromNanos(max(g.Mtime, g.Ctime))
	}
	return a
}

// recordRecalled makes versions of texts, as long as the memory still is as it was asked for. It
// gives the memories that it made versions of, and its last change.
func (s *Store) recordRecalled(ctx context.Context, texts []Recalled, heads map[memfs.Path]head) (known []memfs.Path, last int64, err error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer unlock()
	x, err := s.begin(context.WithoutCancel(ctx))
	if err != nil {
		return nil, 0, err
	}
	defer x.Rollback()
	x.ts = 0
	if err := x.Row(`SELECT coalesce(max(ts),0)+1 FROM change WHERE store=?`, s.id).Scan(&x.ts); err != nil {
		return nil, 0, err
	}
	left, begun := map[memfs.Path]bool{}, map[memfs.Path]bool{} // left: others were faster
	for _, r := range texts {
		if left[r.Path] || r.Path.IsRoot() || r.Path.Hidden() || r.Path.Control() || s.t.maxBytes > 0 && int64(len(r.Text)) > s.t.maxBytes {
			continue
		}
		h, err := x.head(r.Path)
		if err != nil {
			return nil, 0, err
		}
		if !begun[r.Path] {
			if h.version != heads[r.Path].version {
				left[r.Path] = true
				continue
			}
			begun[r.Path], known = true, append(known, r.Path)
		}
		number, err := x.recalled(h, r)
		if err != nil {
			return nil, 0, err
		}
		last = max(last, number)
	}
	if err := x.Commit(); err != nil {
		return nil, 0, err
	}
	s.t.notify()
	return known, last, nil
}

// recalled makes a version of a text, as a change of its own, and gives its number; 0
// where the memory held that already.
func (x *txn) recalled(h head, r Recalled) (number int64, err error) {
	sha := sum(r.Text)
	if r.Deleted && !h.live() || !r.Deleted && h.live() && h.sha == sha {
		return 0, nil
	}
	by := outside
	if r.By.Session != "" && r.By.Actor.Kind == Agent && sane(r.By.Actor.Name) && sane(string(r.By.Session)) && sane(r.By.ToolUse) {
		by = r.By
	}
	x.ts = max(x.ts, min(r.At.UnixMicro(), x.wall))
	v := versionRow{memory: h.memory, op: Modified, path: r.Path}
	switch {
	case r.Deleted:
		v.op = Deleted
	case !h.live():
		v.op = Created
		if v.memory, err = x.reappeared(r.Path); err != nil {
			return 0, err
		}
	}
	if !r.Deleted {
		if v.blob, err = x.putBlob(r.Text, sha); err != nil {
			return 0, err
		}
		v.facts = factsOf(r.Text, sha)
	}
	c, err := x.newChange(by, request{kind: KindAdopt, path: r.Path})
	if err != nil {
		return 0, err
	}
	if err := x.addVersion(c, &v); err != nil {
		return 0, err
	}
	if err := x.dropHead(v.memory); err != nil {
		return 0, err
	}
	if !r.Deleted {
		if err := x.insertHead(v, memfs.Sig{}, c); err != nil {
			return 0, err
		}
	}
	return c.number, x.finish(c)
}

// An agent's records are written a little after what it does. Who adopts what it wrote
// meanwhile, the server that the agent itself started, say, finds nothing in them. So they
// are asked again for changes that are nobody's, until they are surely complete.
const (
	recordsComplete = 5 * time.Minute
	askedAgain      = 1000 // changes, the newest
	askedBefore     = time.Minute
)

// askedInVain is in the place of a conclusion's number, of a change that is nobody's: the
// records were asked, and tell nothing.
const askedInVain = -1

// reportLate takes in what agents' records tell of changes that were adopted as nobody's.
func (s *Store) reportLate(ctx context.Context) error {
	if s.t.recall == nil || s.hosted() || s.t.ground.readOnly != nil {
		return nil
	}
	const open = ` FROM change c WHERE store=?1 AND kind='adopt' AND inferred=0 AND number>(SELECT began FROM store WHERE id=?1)
		AND number>(SELECT changes FROM store WHERE id=?1)-?2 AND actor=(SELECT id FROM actor WHERE kind='outside' AND name='')`
	var oldest int64
	if err := s.t.get(ctx, `SELECT coalesce(min(wall),0)`+open, []any{s.id, askedAgain}, &oldest); err != nil || oldest == 0 {
		return err
	}
	asked := s.t.now()
	calls, err := s.t.recall.Calls(ctx, s.info, fromMicros(oldest).Add(-askedBefore))
	if err != nil { // they are asked again
		return nil
	}
	calls = slices.DeleteFunc(calls, func(e Evidence) bool { return e.check() != nil })
	if len(calls) > 0 {
		if err := s.reportAll(ctx, calls); err != nil {
			return err
		}
		s.t.notify()
	}
	return s.t.update(ctx, `UPDATE change SET inferred=?4 WHERE id IN (SELECT id`+open+` AND wall<?3)`,
		s.id, askedAgain, asked.Add(-recordsComplete).UnixMicro(), askedInVain)
}
