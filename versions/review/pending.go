package review

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/planning"
)

// Pending is a memory as a person has reviewed it, and as it is now: what lies between is to be decided, hunk by hunk. A hunk
// that is kept goes into Was (see Keep), as into git's index; one that is undone goes out of Now, by a new version.
// What the person writes is reviewed where it touches no hunk that is still to be decided, or rewrites all that one added.
type Pending struct {
	Memory versions.MemoryID
	Was    Side
	Now    Side

	Since  int            // the number of the version that was reviewed last as a whole; 0: none was
	Number int            // of the version that Now is; after a deletion, of that
	Change int64          // the change that made it
	last   planning.State // the newest one that was no deletion
	back   bool           // others changed it since, and it is what it was
	partly bool           // the person decided about a part of it, or wrote it too
	me     versions.Actor // whom it was read for
}

// Side is a memory at one of two times. A memory that did not exist has no path.
type Side struct {
	Exists   bool
	Path     memfs.Path
	Text     []byte
	Redacted bool // it existed; what it was is not known
}

// Same reports whether two sides are equal, byte for byte.
func (s Side) Same(o Side) bool {
	return s.Exists == o.Exists && s.Redacted == o.Redacted && s.Path == o.Path && bytes.Equal(s.Text, o.Text)
}

// Decided reports whether nothing is left to decide.
func (p *Pending) Decided() bool { return p.Was.Same(p.Now) && !p.back }

// ChangedBack reports whether others changed the memory and it is what was reviewed, or was created and is gone: there is nothing to undo.
func (p *Pending) ChangedBack() bool { return p.back }

// Path returns where the memory is, or was before it was deleted.
func (p *Pending) Path() memfs.Path {
	return cmp.Or(p.Now.Path, p.last.Path, p.Was.Path)
}

// Renamed reports whether a rename is to be decided.
func (p *Pending) Renamed() bool {
	return p.Was.Exists && p.Now.Exists && !p.Was.Redacted && p.Was.Path != p.Now.Path
}

// ErrShownBefore means that a memory or its review changed since it was shown. Nothing was decided. ErrDecidedElsewhere is that, too,
// where only the review changed: somebody kept hunks of it.
var (
	ErrShownBefore            = errors.New("it changed since it was shown")
	ErrDecidedElsewhere error = decidedElsewhere{}
)

type decidedElsewhere struct{}

func (decidedElsewhere) Error() string        { return "hunks of it were decided elsewhere meanwhile" }
func (decidedElsewhere) Is(target error) bool { return target == ErrShownBefore }

// PendingOf returns what is to be decided of a memory.
func PendingOf(ctx context.Context, s *core.Store, m versions.MemoryID, me versions.Actor) (Pending, error) {
	return core.ViewOf(ctx, s.Trail, func(q tables.Reader) (Pending, error) { return pendingIn(s, q, m, 0, me) })
}

// check fails with ErrShownBefore unless p is still what is to be decided.
func (p *Pending) check(s *core.Store, q db.Queryer) error {
	now, err := pendingIn(s, q, p.Memory, 0, p.me)
	switch {
	case err != nil:
		return err
	case now.Number != p.Number || !now.Now.Same(p.Now):
		return fmt.Errorf("%s: %w", p.Path().Tool(), ErrShownBefore)
	case !now.Was.Same(p.Was):
		return fmt.Errorf("%s: %w", p.Path().Tool(), ErrDecidedElsewhere)
	}
	return nil
}

// checkNow is check, before a change of the memory: another decision in between is possible, another change of the text is not.
func (p *Pending) checkNow(ctx context.Context, s *core.Store) error {
	return core.View(ctx, s.Trail, func(q tables.Reader) error { return p.check(s, q) })
}

// mark is what is stored of a review of a memory.
type mark struct {
	memory int64
	upTo   int64 // all changes up to this one are reviewed
	own    int64 // that is stored for the memory itself
	kept   Side  // what is reviewed besides
	at     int   // the number of the version that it was compared with; 0: there is no kept
	since  int64 // the change that made that version
}

func markOf(s *core.Store, q db.Queryer, m versions.MemoryID) (k mark, err error) {
	err = q.Row(`SELECT m.id,max(`+reviewedUpTo+`,coalesce(l.seen,0)),coalesce(l.seen,0),l.kept IS NOT NULL,l.kept,l.kept_path,coalesce(l.kept_at,0),
			coalesce((SELECT c.number FROM version v JOIN change c ON c.id=v.change WHERE v.memory=m.id AND v.number=l.kept_at),0)
		FROM memory m JOIN store st ON st.id=m.store LEFT JOIN look l ON l.memory=m.id WHERE m.uid=? AND m.store=?`, ids.Parse(ids.MemoryPrefix, string(m)), s.Row).
		Scan(&k.memory, &k.upTo, &k.own, &k.kept.Exists, &k.kept.Text, tables.PathTo(&k.kept.Path), &k.at, &k.since)
	return k, tables.NotFound(err, versions.ErrNoMemory, string(m))
}

// step is a version of a memory, as a review looks at it.
type step struct {
	planning.State
	number int
	change int64
	kind   versions.ChangeKind
	undoes int64 // of the store's changes
	mine   bool
}

func stepsOf(q db.Queryer, memory int64, from int, me versions.Actor) ([]step, error) {
	var st step
	return db.All(q.Rows(stepsFrom, string(me.Kind), me.Name, memory, from), &st, append([]any{&st.number, &st.change, &st.kind, &st.undoes, &st.mine}, tables.StateTo(&st.State)...)...)
}

const stepsFrom = `SELECT v.number,c.number,c.kind,coalesce(c.undoes,0),a.kind=? AND a.name=?,` + tables.StateColumns + ` FROM version v
	JOIN change c ON c.id=v.change JOIN actor a ON a.id=c.actor LEFT JOIN blob b ON b.id=v.blob WHERE v.memory=? AND v.number>=? ORDER BY v.number`

// pendingIn is PendingOf for a person who has reviewed the changes up to upTo, whether that is stored yet or not.
func pendingIn(s *core.Store, q db.Queryer, m versions.MemoryID, upTo int64, me versions.Actor) (p Pending, err error) {
	p.Memory, p.me = m, me
	k, err := markOf(s, q, m)
	if err != nil {
		return p, err
	}
	var base int
	if err := q.Row(reviewedNumber, k.memory, max(k.upTo, upTo), string(me.Kind), me.Name).Scan(&base); err != nil {
		return p, err
	}
	steps, err := stepsOf(q, k.memory, base, me)
	if err != nil || len(steps) == 0 {
		return p, err
	}
	w, from := follower{q: q, before: map[int64]moment{}}, base
	for _, st := range steps {
		switch {
		case st.number == base:
			w.side = w.read(st.State)
			w.base = moment{side: w.side, state: st.State}
		case st.mine:
			w.follow(st)
			p.partly = true
		}
		if st.number == k.at { // a repair may have lost that version: all is to be decided again
			w.side, w.marked, from, p.partly = k.kept, true, k.at, true
		}
		if w.state = st.State; st.Live() {
			w.existing = st.State
		}
	}
	last := steps[len(steps)-1]
	p.Was, p.Now, p.Since, p.Number, p.Change, p.last = w.side, w.read(last.State), base, last.number, last.change, w.existing
	p.back = !last.mine && last.number > from && p.Was.Same(p.Now)
	return p, w.err
}

// reviewedNumber selects the number of the newest version before the first one that somebody other than the person made after
// a change; 0 if there is none.
const reviewedNumber = `SELECT coalesce(max(v.number),0) FROM version v WHERE v.memory=?1 AND v.number<coalesce((
	SELECT min(v.number) FROM version v JOIN change c ON c.id=v.change JOIN actor a ON a.id=c.actor
	WHERE v.memory=?1 AND c.number>?2 AND NOT (a.kind=?3 AND a.name=?4)),1<<62)`

// follower takes what a person writes into what they have reviewed.
type follower struct {
	q        db.Queryer
	side     Side
	state    planning.State   // of the memory
	existing planning.State   // the newest one that was no deletion
	base     moment           // all of it is reviewed
	before   map[int64]moment // each change of the person since
	marked   bool             // what was stored of the review is in the side
	err      error
}

// moment is a memory and what was reviewed of it.
type moment struct {
	side   Side
	state  planning.State
	marked bool
}

// read returns a version as a side.
func (w *follower) read(s planning.State) Side {
	switch {
	case !s.Live() || w.err != nil:
		return Side{}
	case s.Redacted:
		return Side{Exists: true, Redacted: true}
	}
	text, err := tables.TextOf(w.q, s)
	w.err = err
	return Side{Exists: true, Path: s.Path, Text: text}
}

// follow changes the side as the person's version changed the memory. Where it touches what is to be decided, that stays so.
// An undo brings back what was to be decided, too: one of what others did, no more than was reviewed before they did.
func (w *follower) follow(now step) {
	then, own := w.before[now.undoes]
	if !own {
		then = w.base
	}
	w.before[now.change] = moment{w.side, w.state, w.marked}
	undo := now.kind == versions.KindUndo || now.kind == versions.KindRedo
	same := then.state.Path == now.Path && then.state.SHA256 == now.SHA256 && then.marked == w.marked
	switch {
	case undo && same:
		w.side = then.side
	case undo: // others changed it since, or the person kept hunks
		if reviewed := w.side.Text; then.side.Exists && w.edit(now) {
			w.side.Text = asBefore(then.side.Text, reviewed, w.side.Text)
		}
	case !now.Live():
		w.side = Side{}
	case !w.side.Exists && w.state.Live(): // they changed a memory that is new to them
	case !w.side.Exists:
		w.side = w.read(now.State)
	default:
		w.edit(now)
	}
}

// edit changes the side as a version changed the memory that exists. It returns whether it changed the text.
func (w *follower) edit(now step) bool {
	if !now.Live() || !w.side.Exists || w.side.Redacted {
		return false
	}
	if now.Path != w.existing.Path {
		w.side.Path = now.Path
	}
	was := w.read(w.existing)
	if !was.Exists || was.Redacted || now.Redacted || now.SHA256 == w.existing.SHA256 {
		return false
	}
	is := w.read(now.State).Text
	w.side.Text = diff.Merge(was.Text, withRewritten(w.side.Text, was.Text, is), is).Favor(diff.MergeOurs)
	return true
}

// asBefore returns what is reviewed after an undo, which made it of what was reviewed: of the hunks that the undo touches, no more than
// was reviewed before the change that it undid. It touches a hunk beside it if both remove a line, or add it.
func asBefore(before, reviewed, undone []byte) []byte {
	d, by := diff.Lines(before, undone), diff.Lines(reviewed, undone)
	var parts []diff.Part
	for _, h := range d.Edits() {
		touches := func(e diff.Edit) bool {
			beside := e.New <= h.NewEnd() && h.New <= e.NewEnd()
			return e.New < h.NewEnd() && h.New < e.NewEnd() || beside && share(by, e, d, h)
		}
		if !slices.ContainsFunc(by.Edits(), touches) {
			parts = append(parts, h.Whole())
		}
	}
	return d.With(parts...)
}

// withRewritten returns what is reviewed of a text with the hunks of which the person rewrote every new line: what is left of these is the
// person's own. An undo of a hunk, or of some of its lines, writes nothing of the person's own.
func withRewritten(reviewed, before, now []byte) []byte {
	own, d := diff.Lines(before, now), diff.Lines(reviewed, before)
	var parts []diff.Part
	for _, h := range d.Edits() {
		covers := func(e diff.Edit) bool { return e.Old <= h.New && h.NewEnd() <= e.OldEnd() && writes(own, e, d, h) }
		if h.NewLines > 0 && slices.ContainsFunc(own.Edits(), covers) {
			parts = append(parts, h.Whole())
		}
	}
	return d.With(parts...)
}

// writes reports whether an edit of own adds a line that a hunk of d has on neither side.
func writes(own *diff.Diff, e diff.Edit, d *diff.Diff, h diff.Edit) bool {
	removed, added := linesOf(d, h)
	_, written := linesOf(own, e)
	for line := range written {
		if !removed[line] && !added[line] {
			return true
		}
	}
	return false
}

// share reports whether an edit of each diff removes the same line, or adds it.
func share(a *diff.Diff, e diff.Edit, b *diff.Diff, h diff.Edit) bool {
	removed, added := linesOf(a, e)
	alsoRemoved, alsoAdded := linesOf(b, h)
	maps.DeleteFunc(removed, func(line string, _ bool) bool { return !alsoRemoved[line] })
	maps.DeleteFunc(added, func(line string, _ bool) bool { return !alsoAdded[line] })
	return len(removed)+len(added) > 0
}

// linesOf returns which lines an edit removes and adds.
func linesOf(d *diff.Diff, e diff.Edit) (removed, added map[string]bool) {
	removed, added = map[string]bool{}, map[string]bool{}
	for i := range e.OldLines {
		removed[string(d.OldLine(e.Old+i))] = true
	}
	for i := range e.NewLines {
		added[string(d.NewLine(e.New+i))] = true
	}
	return removed, added
}

// Marks are reviews as they were before, for Unmark.
type Marks struct {
	of     []mark
	all    bool            // the review of the store is part of it
	looked sql.Null[int64] // the change up to which everything was reviewed
}

// Keep makes was the reviewed state of a memory: with the hunks that are kept, Was of what is shown. If nothing is left to
// decide, the memory is reviewed. Where what was reviewed before is redacted, only all of the memory can be kept. It fails with
// ErrShownBefore unless p is still what is to be decided. Only a person may keep a hunk. A loss of power may take it back.
func Keep(ctx context.Context, s *core.Store, me versions.Actor, p Pending, was Side) (before Marks, err error) {
	if me.Kind != versions.Person {
		return before, fmt.Errorf("keep a hunk of %s: %w", p.Path().Tool(), versions.ErrPersonsOnly)
	}
	if p.Was.Redacted && !was.Same(p.Now) {
		return before, fmt.Errorf("keep a part of %s: what was reviewed before: %w", p.Path().Tool(), versions.ErrRedacted)
	}
	err = changeReview(ctx, s, func(x *core.Txn) error {
		if err := p.check(s, x); err != nil {
			return err
		}
		k, err := markOf(s, x, p.Memory)
		if err != nil {
			return err
		}
		before.of = []mark{k}
		if was.Same(p.Now) {
			k.own, k.kept, k.at = p.Change, Side{}, 0
		} else {
			k.kept, k.at = was, p.Number
		}
		return putMark(s, x, k)
	})
	return before, err
}

// Unmark puts reviews back as they were before.
func Unmark(ctx context.Context, s *core.Store, before Marks) error {
	return changeReview(ctx, s, func(x *core.Txn) error {
		if before.all {
			x.Exec(`UPDATE store SET looked=? WHERE id=?`, before.looked, s.Row)
		}
		for _, k := range before.of {
			if err := putMark(s, x, k); err != nil {
				return err
			}
		}
		return nil
	})
}

func putMark(s *core.Store, x *core.Txn, k mark) error {
	var text, path any
	if k.at > 0 && k.kept.Exists {
		text, path = append([]byte{}, k.kept.Text...), versions.Key(k.kept.Path)
	}
	x.Exec(`INSERT INTO look(memory,store,seen,kept,kept_path,kept_at) VALUES(?,?,?,?,?,?)
		ON CONFLICT(memory) DO UPDATE SET seen=excluded.seen, kept=excluded.kept, kept_path=excluded.kept_path, kept_at=excluded.kept_at`, k.memory, s.Row, k.own, text, path, tables.Null(k.at))
	return x.Err()
}
