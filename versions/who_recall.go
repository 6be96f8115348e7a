package versions

import (
	"context"
	"slices"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
)

// Recollection reads what agents' own records show about the folders of stores.
type Recollection interface {
	// Texts returns the texts that memories had since the last scan, in order for each memory.
	// first means that no scan ever ran: Texts may then also return deleted memories that were not
	// requested. Each text must have been in its file: Texts leaves out what the records do not
	// prove.
	Texts(ctx context.Context, s StoreInfo, asked []Unexplained, first bool) ([]Recalled, error)
	// Calls returns the calls that ended since a time, in order.
	Calls(ctx context.Context, s StoreInfo, since time.Time) ([]Evidence, error)
}

// Unexplained is a memory that differs from the trail.
type Unexplained struct {
	Path  memfs.Path
	Since time.Time                          // the trail knows the state before this time
	Held  func() (text []byte, known bool)   // the content according to the trail
	Holds func() (text []byte, at time.Time) // the file's current content and when it was written; nil: no file
}

// Recalled is a text that a memory had from some time on.
type Recalled struct {
	Path    memfs.Path
	Text    []byte
	Deleted bool // no text: the memory was deleted
	By      By   // an agent in its session; zero: unknown
	At      time.Time
}

// maxRecalled limits the texts that are stored at once.
const maxRecalled = 20_000

// recall adds to the trail the texts that memories had since the last scan, so that only changes
// without records are adopted as outside. The versions have the times at which they were made, as
// far as the order of the store's changes allows. recall adds deleted memories to the paths to
// adopt, and returns the number of the last change that it made, or 0 for none.
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
		heads, err = s.heads(ctx) // the first scan requests the records of all memories that ever existed
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
	if err != nil || len(texts) == 0 { // unreadable records are treated as missing
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

// lookedSince reports whether a full scan of the folder ever ran, and the time since when recalled
// texts may be added. A text that a redaction erased must not come back from an agent's records.
func (s *Store) lookedSince(ctx context.Context) (first bool, since int64, err error) {
	err = s.t.db.Row(ctx, `SELECT began IS NULL, max(coalesce((SELECT wall FROM change WHERE store=s.id AND number=s.began),0),
		coalesce((SELECT max(ts) FROM redaction WHERE store=s.id),0)) FROM store s WHERE id=?`, s.id).Scan(&first, &since)
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
				b, err = blobs.Get(q, blob)
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

// recordRecalled adds versions for texts while the memory is still in the requested state. It
// returns the memories that got versions and the number of the last change.
func (s *Store) recordRecalled(ctx context.Context, texts []Recalled, heads map[memfs.Path]head) (known []memfs.Path, last int64, err error) {
	err = s.locked(ctx, func(x *txn) error {
		known, last = nil, 0
		if err := x.Row(`SELECT coalesce(max(ts),0)+1 FROM change WHERE store=?`, s.id).Scan(&x.ts); err != nil {
			return err
		}
		left, begun := map[memfs.Path]bool{}, map[memfs.Path]bool{} // left: somebody else changed the memory first
		for _, r := range texts {
			if left[r.Path] || r.Path.IsRoot() || !s.dir.Names().Shows(r.Path) || r.Path.RunsWhenOpened() || !s.versionable(int64(len(r.Text))) {
				continue
			}
			h, err := x.head(r.Path)
			if err != nil {
				return err
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
				return err
			}
			last = max(last, number)
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	s.t.notify()
	return known, last, nil
}

// recalled adds a version with a text as a change of its own and returns its number, or 0 when the
// memory already had that text.
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
		if v.blob, err = blobs.Put(x.Tx, r.Text, sha); err != nil {
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

// Agents write their records a little after they act. A process that adopts a change before that
// (for example, an MCP server started by the agent) finds no record of it. memend therefore reads
// the records again for changes without an actor until the records must be complete.
const (
	recordsComplete = 5 * time.Minute
	askedAgain      = 1000 // the newest changes
	askedBefore     = time.Minute
)

// reportLate attributes changes that were adopted as outside to the agents whose records explain
// them.
func (s *Store) reportLate(ctx context.Context) error {
	if s.t.recall == nil || s.hosted() || s.t.db.ReadOnly() != nil {
		return nil
	}
	const recent = ` FROM change WHERE store=?1 AND number>(SELECT max(began,records_read,changes-?2) FROM store WHERE id=?1)`
	var oldest int64
	if err := s.t.db.Row(ctx, `SELECT coalesce(min(wall),0)`+recent+` AND kind='adopt' AND id NOT IN (SELECT change FROM attribution)`, s.id, askedAgain).Scan(&oldest); err != nil || oldest == 0 {
		return err
	}
	asked := s.t.now()
	calls, err := s.t.recall.Calls(ctx, s.info, fromMicros(oldest).Add(-askedBefore))
	if err != nil { // the records are read again later
		return nil
	}
	calls = slices.DeleteFunc(calls, func(e Evidence) bool { return e.check() != nil })
	if len(calls) > 0 {
		if err := s.reportAll(ctx, calls); err != nil {
			return err
		}
		s.t.notify()
	}
	return s.t.update(ctx, `UPDATE store SET records_read=n FROM (SELECT coalesce(min(number)-1,(SELECT changes FROM store WHERE id=?1)) AS n`+recent+` AND wall>=?3)
		WHERE id=?1 AND n>records_read`, s.id, askedAgain, asked.Add(-recordsComplete).UnixMicro())
}
