package versions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/memend/memend/memfs"
)

// EvidenceOp is what a call did to the path that it names.
type EvidenceOp string

const (
	CallWrote   EvidenceOp = "write" // a file was made, or given another text
	CallDeleted EvidenceOp = "delete"
	CallMoved   EvidenceOp = "move" // From a path
	CallRead    EvidenceOp = "read"
	// CallRan is a line of shell that names the path, a memory or a folder, also the
	// store's own: it may have done anything there.
	CallRan EvidenceOp = "run"
	// CallStarted is the start of a session: its program makes the index of a folder of
	// memories then, the path, where there is none.
	CallStarted EvidenceOp = "start"
)

// Evidence is a call that an agent made elsewhere, past memend, as somebody told of
// it: a hook, a transcript. It says who may have written what is found in a folder.
type Evidence struct {
	Op    EvidenceOp
	Path  memfs.Path // a memory; of CallDeleted and CallMoved perhaps a folder
	From  memfs.Path // of CallMoved
	By    By         // an agent, and its session
	Began time.Time  // zero where it is not known
	Ended time.Time  // when its result was there, at the latest; zero: it only began
	// SHA256 of the file after the call. Zero where it is not known: then only the
	// time tells whose write it was.
	SHA256 Hash
	CRLF   Hash // of the same text with "\r\n" at the ends of its lines; zero where there is none
	Failed bool // its result was an error: it is evidence of nothing
}

// Report takes in calls that agents made elsewhere and that succeeded. What they left
// in the folder is adopted, as theirs where it fits: the path, the time, and the
// content where that is known. A change that was adopted before becomes theirs when
// it fits in the same way, and when all of its versions are of one session. What fits
// calls of two sessions alike stays with nobody. A read goes to the ledger.
//
// A call without an end only began: what stands at its path was there before it, and
// is adopted. The end of the same call is told later. A call that was told of already,
// or came through memend itself, is passed over.
func (s *Store) Report(ctx context.Context, calls ...Evidence) error {
	for _, e := range calls {
		if err := e.check(); err != nil {
			return err
		}
	}
	if err := s.reportAll(ctx, calls); err != nil {
		return err
	}
	s.t.notify()
	return s.adoptRan(ctx, calls)
}

// reportAll takes calls in as one transaction.
func (s *Store) reportAll(ctx context.Context, calls []Evidence) error {
	unlock, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	ctx = context.WithoutCancel(ctx)
	begin := s.beginNonDurable // what was told need not survive a loss of power,
	if s.mayAdopt(ctx, calls) {
		begin = s.begin // what is adopted must
	}
	x, err := begin(ctx)
	if err != nil {
		return err
	}
	defer x.Rollback()
	x.wall = s.t.now().UnixMicro()
	for _, e := range calls {
		if err := x.report(e); err != nil {
			return err
		}
	}
	if err := x.dropOldEvidence(); err != nil {
		return err
	}
	return x.Commit()
}

// adoptRan adopts what lines of shell left in the folders that they name. It looks at
// the whole folder, without the lock.
func (s *Store) adoptRan(ctx context.Context, calls []Evidence) error {
	named := slices.DeleteFunc(slices.Clone(calls), func(e Evidence) bool { return e.Op != CallRan || e.Ended.IsZero() || e.Failed })
	if len(named) == 0 {
		return nil
	}
	sc, err := s.look(ctx)
	if err != nil {
		return err
	}
	dirty := slices.DeleteFunc(sc.dirty, func(p memfs.Path) bool {
		return !slices.ContainsFunc(named, func(e Evidence) bool { return p.In(e.Path) })
	})
	if len(dirty) == 0 {
		return nil
	}
	_, err = s.adoptPaths(ctx, dirty)
	return err
}

// mayAdopt reports whether there may be something to adopt.
func (s *Store) mayAdopt(ctx context.Context, calls []Evidence) bool {
	for _, e := range calls {
		if e.Op == CallRead || e.Failed {
			continue
		}
		if !e.Ended.IsZero() || e.Op != CallWrote {
			return true
		}
		if same, _, err := s.asKnown(ctx, e.Path); err != nil || !same {
			return true
		}
	}
	return false
}

func (e Evidence) check() error {
	switch {
	case e.By.Actor.Kind != Agent || e.By.Actor.Name == "" || e.By.Session == "":
		return errors.New("a call that was told of needs an agent and its session")
	case !sane(e.By.Actor.Name) || !sane(string(e.By.Session)) || !sane(e.By.ToolUse):
		return errors.New("the agent, session or tool call is too long or not UTF-8")
	case e.Op == CallMoved && e.From.IsRoot(), e.Op != CallMoved && !e.From.IsRoot(), e.Op != CallRan && e.Path.IsRoot():
		return fmt.Errorf("a call to %s needs other paths", e.Op)
	}
	switch e.Op {
	case CallWrote, CallDeleted, CallMoved, CallRead, CallRan, CallStarted:
		return nil
	}
	return fmt.Errorf("%.20q is nothing that a call does", e.Op)
}

// report takes in one call.
func (x *txn) report(e Evidence) error {
	if e.Path.Hidden() || e.From.Hidden() { // no memory, as far as the folder is concerned
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
	if e.Op == CallRead {
		if _, err := x.insertEvidence(e); err != nil {
			return err
		}
		return x.noteReported(e)
	}
	id, err := x.insertEvidence(e)
	if err != nil {
		return err
	}
	x.calls = nil // they are to be read again
	if err := x.adoptPlaces(e); err != nil {
		return err
	}
	return x.attribute(id)
}

// reportBegun notes that a call begins: what stands there now is not its doing.
func (x *txn) reportBegun(e Evidence) error {
	if e.Op == CallRead {
		return nil
	}
	if err := x.adoptPlaces(e); err != nil {
		return err
	}
	if e.By.ToolUse == "" { // its end could not be told to be its
		return nil
	}
	var some bool
	if err := x.Row(`SELECT EXISTS(SELECT 1 FROM evidence WHERE store=? AND ended=0 AND session=? AND tool_use=? AND path=?)`,
		x.s.id, string(e.By.Session), e.By.ToolUse, key(e.Path)).Scan(&some); err != nil || some {
		return err
	}
	_, err := x.insertEvidence(e)
	return err
}

// takeBegun is when a call began, if that was told.
func (x *txn) takeBegun(e Evidence) (time.Time, error) {
	var began int64
	err := x.Row(`DELETE FROM evidence WHERE store=? AND ended=0 AND session=? AND tool_use=? AND path=? RETURNING began`,
		x.s.id, string(e.By.Session), e.By.ToolUse, key(e.Path)).Scan(&began)
	if err := unlessNone(err); err != nil || began == 0 {
		return time.Time{}, err
	}
	return fromMicros(began), nil
}

// known reports whether a call was told of already: by a hook and by a transcript, say.
// One that came through memend itself needs no telling: clients of MCP may say which
// tool call they make, and then somebody may tell of the same.
func (x *txn) known(e Evidence) (known bool, err error) {
	if e.By.ToolUse == "" {
		return false, nil
	}
	at := e.Ended.UnixMicro()
	err = x.Row(`SELECT EXISTS(SELECT 1 FROM evidence WHERE store=?1 AND ended BETWEEN ?2 AND ?3 AND session=?4 AND tool_use=?5 AND op=?6 AND path=?7)
		OR EXISTS(SELECT 1 FROM change WHERE store=?1 AND number>(SELECT max(number) FROM change WHERE store=?1)-?8 AND tool_use=?5 AND kind<>'adopt')
		OR EXISTS(SELECT 1 FROM read WHERE store=?1 AND ts BETWEEN ?2 AND ?3 AND tool_use=?5)`,
		x.s.id, at-evidenceKept.Microseconds(), at+evidenceKept.Microseconds(), string(e.By.Session), e.By.ToolUse, string(e.Op), key(e.Path), ownCalls).Scan(&known)
	return known, err
}

func (x *txn) insertEvidence(e Evidence) (int64, error) {
	micros := func(t time.Time) int64 {
		if t.IsZero() {
			return 0
		}
		return t.UnixMicro()
	}
	var sha any // NULL where no content is known
	switch {
	case e.CRLF != (Hash{}):
		sha = slices.Concat(e.SHA256[:], e.CRLF[:])
	case e.SHA256 != (Hash{}):
		sha = e.SHA256[:]
	}
	began := micros(e.Began)
	if e.Ended.IsZero() && began == 0 {
		began = x.wall
	}
	return x.Insert(`INSERT INTO evidence(store,op,path,origin,agent,session,tool_use,turn,began,ended,sha) VALUES(?,?,?,?,?,?,?,?,?,?,?)`,
		x.s.id, string(e.Op), key(e.Path), key(e.From), e.By.Actor.Name, string(e.By.Session), e.By.ToolUse, e.By.Turn, began, micros(e.Ended), sha)
}

// noteReported writes a read that was told of into the ledger.
func (x *txn) noteReported(e Evidence) error {
	n := noted{s: x.s, path: e.Path, by: e.By, ts: e.Ended.UnixMicro()}
	w := readWriter{x: x, spans: readSpans([]noted{n}), actors: map[Actor]int64{}, sessions: map[SessionID]int64{}, heads: map[storePath]readHead{}}
	return w.write([]noted{n})
}

// adoptPlaces adopts what stands at the places of a call.
func (x *txn) adoptPlaces(e Evidence) error {
	paths := []memfs.Path{e.Path}
	if e.Op == CallRan { // of a folder: see adoptRan
		if !e.Path.IsRoot() {
			_, there, err := x.fileAt(e.Path)
			if err == nil && there {
				return x.adoptEach([]memfs.Path{e.Path})
			}
		}
		return nil
	}
	if e.Op == CallMoved || e.Op == CallDeleted {
		paths = nil
		for _, p := range []memfs.Path{e.Path, e.From} {
			if p.IsRoot() {
				continue
			}
			below, err := x.headsIn(p)
			if err != nil {
				return err
			}
			paths = append(paths, below...)
			if e.Op == CallMoved && p == e.From { // where its memories are now
				for _, was := range below {
					paths = append(paths, was.Move(e.From, e.Path))
				}
			}
		}
	}
	return x.adoptEach(paths)
}

// notNow reports whether an error says that a file can't be adopted now: it is left
// as it was known, and a later look tries again.
func notNow(err error) bool {
	return passedOver(err) || errors.Is(err, memfs.ErrTooBig) || errors.Is(err, memfs.ErrUnstable)
}

// Evidence of what was adopted is of use no more; it is kept a little while, since the
// same call may be told of again, and since another session's may contradict it.
const (
	evidenceKept = 10 * time.Minute
	evidenceLost = 30 * 24 * time.Hour // what no look at the folder met by then
	evidenceMost = 20_000              // calls of a store
	ownCalls     = 1000                // changes of a store, the newest, that may be what a call is told to have made
)

// dropOldEvidence keeps the table small while calls come and nobody looks at the folder:
// only what explains nothing yet waits for that.
func (x *txn) dropOldEvidence() error {
	return x.Exec(`DELETE FROM evidence WHERE store=?1 AND (max(began,ended)<?2 OR ended<?3 AND (op='read' OR change IS NOT NULL)
		OR id<=(SELECT id FROM evidence WHERE store=?1 ORDER BY id DESC LIMIT 1 OFFSET ?4))`,
		x.s.id, x.wall-evidenceLost.Microseconds(), x.wall-evidenceKept.Microseconds(), evidenceMost)
}

// dropMetEvidence drops what a whole look at the folder, begun at a time, has left
// nothing to explain of. What can't be dropped now goes with the next look.
func (s *Store) dropMetEvidence(ctx context.Context, looked time.Time) {
	upTo := looked.Add(-evidenceKept).UnixMicro()
	var some bool
	if s.t.get(ctx, `SELECT EXISTS(SELECT 1 FROM evidence WHERE store=? AND ended<? AND began<?)`, []any{s.id, upTo, upTo}, &some) == nil && some {
		_ = s.t.update(ctx, `DELETE FROM evidence WHERE store=? AND ended<? AND began<?`, s.id, upTo, upTo)
	}
}
