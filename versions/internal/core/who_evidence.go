package core

import (
	"context"
	"slices"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/tables"
)

// Report stores calls that agents made outside of memend and that succeeded. It adopts what they
// left in the folder and attributes it to them when the path, the time and, if known, the content
// match. It also attributes an earlier adopted change that matches in the same way, if all of its
// versions belong to one session. A change that matches calls of two sessions equally well is
// attributed to nobody. A read goes to the ledger.
//
// A call without an end has only started: what is at its path was there before, and is adopted. The
// end of the same call is reported later. Report skips a call that was already reported or that
// came through memend itself.
func (s *Store) Report(ctx context.Context, calls ...versions.Evidence) error {
	for _, e := range calls {
		if err := e.Check(); err != nil {
			return err
		}
	}
	if err := s.reportAll(ctx, calls); err != nil {
		return err
	}
	Notify(s.Trail)
	return s.adoptRan(ctx, calls)
}

// reportAll stores calls in one transaction.
func (s *Store) reportAll(ctx context.Context, calls []versions.Evidence) error {
	unlock, err := Enter(ctx, s)
	if err != nil {
		return err
	}
	defer unlock()
	ctx = context.WithoutCancel(ctx)
	x, err := s.beginFor(ctx, s.mayAdopt(ctx, calls)) // reports need not survive a power failure, but adopted versions must
	if err != nil {
		return err
	}
	defer x.Rollback()
	x.Wall = s.Trail.Now().UnixMicro()
	for _, e := range calls {
		if err := x.report(e); err != nil {
			return err
		}
	}
	x.dropOldEvidence()
	return x.Commit()
}

// adoptRan adopts what shell commands left in the folders that they name. It scans the whole folder
// without the lock.
func (s *Store) adoptRan(ctx context.Context, calls []versions.Evidence) error {
	named := slices.DeleteFunc(slices.Clone(calls), func(e versions.Evidence) bool { return e.Op != versions.CallRan || e.Ended.IsZero() || e.Failed })
	if len(named) == 0 {
		return nil
	}
	sc, err := s.scan(ctx)
	if err != nil {
		return err
	}
	dirty := slices.DeleteFunc(sc.dirty, func(p memfs.Path) bool {
		return !slices.ContainsFunc(named, func(e versions.Evidence) bool { return p.In(e.Path) })
	})
	if len(dirty) == 0 {
		return nil
	}
	_, err = AdoptPaths(ctx, s, dirty)
	return err
}

// mayAdopt reports whether there may be something to adopt.
func (s *Store) mayAdopt(ctx context.Context, calls []versions.Evidence) bool {
	for _, e := range calls {
		if e.Op == versions.CallRead || e.Failed {
			continue
		}
		if !e.Ended.IsZero() || e.Op != versions.CallWrote {
			return true
		}
		if same, _, err := AsKnown(ctx, s, e.Path); err != nil || !same {
			return true
		}
	}
	return false
}

// report stores one call.
func (x *Txn) report(e versions.Evidence) error {
	if files := x.Store.Dir.Names(); !files.Reaches(e.Path) || !files.Reaches(e.From) { // the folder does not treat it as a memory
		return nil
	}
	if e.Failed {
		_, err := x.takeBegun(e)
		return err
	}
	if e.Ended.IsZero() {
		return x.reportBegun(e)
	}
	known, err := x.known(e)
	if err != nil || known {
		return err
	}
	began, err := x.takeBegun(e)
	if err != nil {
		return err
	}
	if !began.IsZero() {
		e.Began = began
	}
	if e.Op == versions.CallRead {
		x.InsertEvidence(e)
		return x.noteReported(e)
	}
	id := x.InsertEvidence(e)
	x.calls = nil // read them again
	if err := x.adoptPlaces(e); err != nil {
		return err
	}
	return x.attribute(id)
}

// reportBegun records the start of a call: what is at its path now was not made by it.
func (x *Txn) reportBegun(e versions.Evidence) error {
	if e.Op == versions.CallRead {
		return nil
	}
	if err := x.adoptPlaces(e); err != nil {
		return err
	}
	if e.By.ToolUse == "" { // its end could not be matched with its start
		return nil
	}
	var some bool
	if err := x.Row(`SELECT EXISTS(SELECT 1 FROM evidence WHERE store=? AND ended=0 AND session=? AND tool_use=? AND path=?)`,
		x.Store.Row, string(e.By.Session), e.By.ToolUse, versions.Key(e.Path)).Scan(&some); err != nil || some {
		return err
	}
	x.InsertEvidence(e)
	return x.Err()
}

// takeBegun returns when a call started, if that was reported.
func (x *Txn) takeBegun(e versions.Evidence) (began time.Time, err error) {
	err = x.Row(`DELETE FROM evidence WHERE store=? AND ended=0 AND session=? AND tool_use=? AND path=? RETURNING nullif(began,0)`,
		x.Store.Row, string(e.By.Session), e.By.ToolUse, versions.Key(e.Path)).Scan(tables.TimeTo(&began))
	return began, tables.IgnoreNoRows(err)
}

// known reports whether a call was already reported, for example by both a hook and a transcript. A
// call that came through memend itself is known too: MCP clients may send the id of the tool call,
// and a hook may report the same call.
func (x *Txn) known(e versions.Evidence) (known bool, err error) {
	if e.By.ToolUse == "" {
		return false, nil
	}
	at := e.Ended.UnixMicro()
	err = x.Row(`SELECT EXISTS(SELECT 1 FROM evidence WHERE store=?1 AND ended BETWEEN ?2 AND ?3 AND session=?4 AND tool_use=?5 AND op=?6 AND path=?7)
		OR EXISTS(SELECT 1 FROM change WHERE store=?1 AND number>(SELECT max(number) FROM change WHERE store=?1)-?8 AND tool_use=?5 AND kind<>'adopt')
		OR EXISTS(SELECT 1 FROM read WHERE store=?1 AND ts BETWEEN ?2 AND ?3 AND tool_use=?5)`,
		x.Store.Row, at-evidenceKept.Microseconds(), at+evidenceKept.Microseconds(), string(e.By.Session), e.By.ToolUse, string(e.Op), versions.Key(e.Path), ownCalls).Scan(&known)
	return known, err
}

// InsertEvidence stores a call that explains no change yet.
func (x *Txn) InsertEvidence(e versions.Evidence) int64 {
	micros := func(t time.Time) int64 {
		if t.IsZero() {
			return 0
		}
		return t.UnixMicro()
	}
	var sha any // NULL when no content is known
	switch {
	case e.CRLF != (versions.Hash{}):
		sha = slices.Concat(e.SHA256[:], e.CRLF[:])
	case e.SHA256 != (versions.Hash{}):
		sha = e.SHA256[:]
	}
	began := micros(e.Began)
	if e.Ended.IsZero() && began == 0 {
		began = x.Wall
	}
	return x.Insert(`INSERT INTO evidence(store,op,path,origin,agent,session,tool_use,turn,began,ended,sha) VALUES(?,?,?,?,?,?,?,?,?,?,?)`,
		x.Store.Row, string(e.Op), versions.Key(e.Path), versions.Key(e.From), e.By.Actor.Name, string(e.By.Session), e.By.ToolUse, e.By.Turn, began, micros(e.Ended), sha)
}

// noteReported writes a reported read to the ledger.
func (x *Txn) noteReported(e versions.Evidence) error {
	n := Noted{store: x.Store, path: e.Path, by: e.By, ts: e.Ended.UnixMicro()}
	w := newReadWriter(x, []Noted{n})
	return w.write([]Noted{n})
}

// adoptPlaces adopts what is at the paths of a call.
func (x *Txn) adoptPlaces(e versions.Evidence) error {
	paths := []memfs.Path{e.Path}
	if e.Op == versions.CallRan { // of a folder: see adoptRan
		if !e.Path.IsRoot() {
			_, there, err := x.fileAt(e.Path)
			if err == nil && there {
				return x.adoptEach([]memfs.Path{e.Path})
			}
		}
		return nil
	}
	if e.Op == versions.CallMoved || e.Op == versions.CallDeleted {
		paths = nil
		for _, p := range []memfs.Path{e.Path, e.From} {
			if p.IsRoot() {
				continue
			}
			below, err := x.HeadsIn(p)
			if err != nil {
				return err
			}
			paths = append(paths, below...)
			if e.Op == versions.CallMoved && p == e.From { // the path that its memories have now
				for _, was := range below {
					paths = append(paths, was.Move(e.From, e.Path))
				}
			}
		}
	}
	return x.adoptEach(paths)
}

// Evidence that explains an adopted change is kept a little longer, because the same call may be
// reported again, and because a call of another session may contradict it.
const (
	evidenceKept = 10 * time.Minute
	evidenceLost = 30 * 24 * time.Hour // for evidence that no scan of the folder matched by then
	evidenceMost = 20_000              // calls of a store
	ownCalls     = 1000                // the newest changes of a store that may be the result of a reported call
)

// dropOldEvidence limits the table while calls are reported and nobody scans the folder: only
// evidence that explains nothing yet waits for a scan.
func (x *Txn) dropOldEvidence() {
	x.Exec(`DELETE FROM evidence WHERE store=?1 AND (max(began,ended)<?2 OR ended<?3 AND (op='read' OR change IS NOT NULL)
		OR id<=(SELECT id FROM evidence WHERE store=?1 ORDER BY id DESC LIMIT 1 OFFSET ?4))`,
		x.Store.Row, x.Wall-evidenceLost.Microseconds(), x.Wall-evidenceKept.Microseconds(), evidenceMost)
}

// dropMetEvidence deletes the evidence that has nothing left to explain after a full scan that
// started at looked. What can't be deleted now is deleted after the next scan.
func (s *Store) dropMetEvidence(ctx context.Context, looked time.Time) {
	upTo := looked.Add(-evidenceKept).UnixMicro()
	var some bool
	if s.Trail.DB.Row(ctx, `SELECT EXISTS(SELECT 1 FROM evidence WHERE store=? AND ended<? AND began<?)`, s.Row, upTo, upTo).Scan(&some) == nil && some {
		_ = Update(ctx, s.Trail, `DELETE FROM evidence WHERE store=? AND ended<? AND began<?`, s.Row, upTo, upTo)
	}
}
