package core

import (
	"context"
	"slices"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/internal/tables"
)

// maxRecalled limits the texts that are stored at once.
const maxRecalled = 20_000

// recall adds to the trail the texts that memories had since the last scan, so that only changes
// without records are adopted as outside. The versions have the times at which they were made, as
// far as the order of the store's changes allows. recall adds deleted memories to the paths to
// adopt, and returns the number of the last change that it made, or 0 for none.
func (s *Store) recall(ctx context.Context, sc *scanned) (last int64, err error) {
	if s.Trail.Recall == nil || Hosted(s) {
		return 0, nil
	}
	first, since, err := s.lookedSince(ctx)
	if err != nil || len(sc.dirty) == 0 && !first {
		return 0, err
	}
	heads, err := s.headsAt(ctx, sc.dirty)
	if first {
		heads, err = Heads(ctx, s) // the first scan requests the records of all memories that ever existed
	}
	if err != nil {
		return 0, err
	}
	var asked []versions.Unexplained
	known := map[memfs.Path]time.Time{}
	for _, p := range sc.dirty {
		a := s.askAbout(ctx, p, heads[p], since)
		asked, known[p] = append(asked, a), a.Since
	}
	texts, err := s.Trail.Recall.Texts(ctx, s.Opened, asked, first)
	if err != nil || len(texts) == 0 { // unreadable records are treated as missing
		return 0, nil
	}
	texts = slices.DeleteFunc(texts, func(r versions.Recalled) bool { return !first && !r.At.After(known[r.Path]) })
	slices.SortStableFunc(texts, func(a, b versions.Recalled) int { return a.At.Compare(b.At) })
	made, last, err := s.recordRecalled(ctx, texts[max(0, len(texts)-maxRecalled):], heads)
	if err != nil {
		return 0, err
	}
	for _, p := range made {
		if at, found := slices.BinarySearchFunc(sc.dirty, p, versions.ComparePaths); !found {
			sc.dirty, sc.gone = slices.Insert(sc.dirty, at, p), true
		}
	}
	return last, nil
}

// lookedSince reports whether a full scan of the folder ever ran, and the time since when recalled
// texts may be added. A text that a redaction erased must not come back from an agent's records.
func (s *Store) lookedSince(ctx context.Context) (first bool, since int64, err error) {
	err = s.Trail.DB.Row(ctx, `SELECT began IS NULL, max(coalesce((SELECT wall FROM change WHERE store=s.id AND number=s.began),0),
		coalesce((SELECT max(ts) FROM redaction WHERE store=s.id),0)) FROM store s WHERE id=?`, s.Row).Scan(&first, &since)
	return first, since, err
}

func (s *Store) askAbout(ctx context.Context, p memfs.Path, h tables.Head, since int64) versions.Unexplained {
	a := versions.Unexplained{Path: p, Since: tables.FromMicros(since)}
	if h.Live() {
		a.Since = tables.FromMicros(max(since, h.Seen/1000))
	}
	a.Held = func() ([]byte, bool) {
		if !h.Live() {
			return nil, false
		}
		var b []byte
		err := View(ctx, s.Trail, func(q tables.Reader) error {
			var blob int64
			err := q.Row(`SELECT coalesce(blob,0) FROM version WHERE id=?`, h.Version).Scan(&blob)
			if err == nil {
				b, err = blobs.Get(q, blob)
			}
			return err
		})
		return b, err == nil
	}
	a.Holds = func() ([]byte, time.Time) {
		b, g, err := Folder(s).Read(p, s.Trail.MaxBytes)
		if err != nil {
			return nil, time.Time{}
		}
		return versions.NonNil(b), fromNanos(max(g.Mtime, g.Ctime))
	}
	return a
}

// recordRecalled adds versions for texts while the memory is still in the requested state. It
// returns the memories that got versions and the number of the last change.
func (s *Store) recordRecalled(ctx context.Context, texts []versions.Recalled, heads map[memfs.Path]tables.Head) (known []memfs.Path, last int64, err error) {
	err = Locked(ctx, s, func(x *Txn) error {
		known, last = nil, 0
		if err := x.Row(`SELECT coalesce(max(ts),0)+1 FROM change WHERE store=?`, s.Row).Scan(&x.TS); err != nil {
			return err
		}
		left, begun := map[memfs.Path]bool{}, map[memfs.Path]bool{} // left: somebody else changed the memory first
		for _, r := range texts {
			if left[r.Path] || r.Path.IsRoot() || !s.Dir.Names().Shows(r.Path) || r.Path.RunsWhenOpened() || !Versionable(s, int64(len(r.Text))) {
				continue
			}
			h, err := x.Head(r.Path)
			if err != nil {
				return err
			}
			if !begun[r.Path] {
				if h.Version != heads[r.Path].Version {
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
	Notify(s.Trail)
	return known, last, nil
}

// recalled adds a version with a text as a change of its own and returns its number, or 0 when the
// memory already had that text.
func (x *Txn) recalled(h tables.Head, r versions.Recalled) (number int64, err error) {
	sha := versions.Sum(r.Text)
	if r.Deleted && !h.Live() || !r.Deleted && h.Live() && h.SHA == sha {
		return 0, nil
	}
	by := Outside
	if r.By.Session != "" && r.By.Actor.Kind == versions.Agent && versions.Sane(r.By.Actor.Name) && versions.Sane(string(r.By.Session)) && versions.Sane(r.By.ToolUse) {
		by = r.By
	}
	x.TS = max(x.TS, min(r.At.UnixMicro(), x.Wall))
	v := VersionRow{Memory: h.Memory, Op: versions.Modified, Path: r.Path}
	switch {
	case r.Deleted:
		v.Op = versions.Deleted
	case !h.Live():
		v.Op = versions.Created
		if v.Memory, err = x.reappeared(r.Path); err != nil {
			return 0, err
		}
	}
	if !r.Deleted {
		if v.Blob, err = blobs.Put(x.Tx, r.Text, sha); err != nil {
			return 0, err
		}
		v.Facts = tables.FactsOf(r.Text, sha)
	}
	c, err := x.NewChange(by, Request{Kind: versions.KindAdopt, Path: r.Path})
	if err != nil {
		return 0, err
	}
	if err := x.AddVersion(c, &v); err != nil {
		return 0, err
	}
	x.DropHead(v.Memory)
	if !r.Deleted {
		x.insertHead(v, memfs.Sig{}, c)
	}
	x.Finish(c)
	return c.Number, x.Err()
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
	if s.Trail.Recall == nil || Hosted(s) || s.Trail.DB.ReadOnly() != nil {
		return nil
	}
	const recent = ` FROM change WHERE store=?1 AND number>(SELECT max(began,records_read,changes-?2) FROM store WHERE id=?1)`
	var oldest int64
	if err := s.Trail.DB.Row(ctx, `SELECT coalesce(min(wall),0)`+recent+` AND kind='adopt' AND id NOT IN (SELECT change FROM attribution)`, s.Row, askedAgain).Scan(&oldest); err != nil || oldest == 0 {
		return err
	}
	asked := s.Trail.Now()
	calls, err := s.Trail.Recall.Calls(ctx, s.Opened, tables.FromMicros(oldest).Add(-askedBefore))
	if err != nil { // the records are read again later
		return nil
	}
	calls = slices.DeleteFunc(calls, func(e versions.Evidence) bool { return e.Check() != nil })
	if len(calls) > 0 {
		if err := s.reportAll(ctx, calls); err != nil {
			return err
		}
		Notify(s.Trail)
	}
	return Update(ctx, s.Trail, `UPDATE store SET records_read=n FROM (SELECT coalesce(min(number)-1,(SELECT changes FROM store WHERE id=?1)) AS n`+recent+` AND wall>=?3)
		WHERE id=?1 AND n>records_read`, s.Row, askedAgain, asked.Add(-recordsComplete).UnixMicro())
}
