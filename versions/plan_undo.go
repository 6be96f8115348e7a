package versions

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/planning"
)

// UndoChange is the goal of undoing a change: each of its memories returns to its path and content before it.
// Later changes elsewhere stay: undoing a rename keeps a later edit, and edits of other lines are merged. A later
// change of the same lines is a conflict, whose reason is a *LaterChangeError.
type UndoChange int64

// UndoLast is the goal of undoing the newest change by an actor that is in effect.
type UndoLast Actor

// UndoChanges is the goal of undoing several changes together, as one change. If others changed
// a memory between two of them or after them, their changes stay.
type UndoChanges []int64

// UndoSession is the goal of undoing everything that a session did to this store and that is in
// effect. If others changed a memory between two changes of the session or after them,
// their changes stay.
type UndoSession SessionID

// RedoChange is the goal of redoing a change that was undone.
type RedoChange int64

// RedoLast is the goal of redoing an actor's last undo, unless the actor made another change after it.
type RedoLast Actor

func (g UndoChange) String() string  { return fmt.Sprintf("undo change %d", int64(g)) }
func (UndoLast) String() string      { return "undo" }
func (g UndoChanges) String() string { return fmt.Sprintf("undo %d changes", len(g)) }
func (g UndoSession) String() string { return "undo session " + string(g) }
func (g RedoChange) String() string  { return fmt.Sprintf("redo change %d", int64(g)) }
func (RedoLast) String() string      { return "redo" }

func (g UndoLast) collect(p *planner) error {
	n, err := lastOwn(p.q, p.s.id, Actor(g))
	if err != nil {
		return err
	}
	return p.instead(UndoChange(n))
}

func (g RedoChange) collect(p *planner) error {
	undo, err := p.s.undoOf(p.q, int64(g))
	if err != nil {
		return err
	}
	return p.instead(UndoChange(undo))
}

func (g RedoLast) collect(p *planner) error {
	undo, err := lastUndo(p.q, p.s.id, Actor(g))
	if err != nil {
		return err
	}
	return p.instead(UndoChange(undo))
}

// instead replaces the goal by what it means now.
func (p *planner) instead(g Goal) error {
	p.goal = g
	return g.collect(p)
}

// checkUndoable rejects a change that only recorded what was in the folder when the history
// began. What was there before is unknown.
func (s *Store) checkUndoable(q db.Queryer, n int64) error {
	var found bool
	err := q.Row(`SELECT EXISTS(SELECT 1 FROM change c JOIN store s ON s.id=c.store WHERE s.id=? AND c.number=? AND c.number<=s.began AND c.kind='adopt'
		AND (SELECT kind FROM actor WHERE id=`+makerAlone+`)='outside')`, s.id, n).Scan(&found)
	if err != nil || !found {
		return err
	}
	return fmt.Errorf("undo change %d: %w", n, ErrFound)
}

// inEffect is an SQL condition: the change is in effect, because it was not undone or its
// undo was undone in turn. undone_by is the last change that undid it and is never
// cleared, so any undo, of one change or of many, can be undone and redone.
const inEffect = `(WITH RECURSIVE back(by,n) AS (SELECT c.undone_by,0
	UNION ALL SELECT u.undone_by,back.n+1 FROM back JOIN change u ON u.store=c.store AND u.number=back.by) SELECT max(n)%2=0 FROM back)`

func lastOwn(q db.Queryer, store int64, a Actor) (n int64, err error) {
	err = q.Row(`SELECT c.number FROM change c JOIN actor a ON a.id=`+makerAlone+`
		WHERE c.store=? AND a.kind=? AND a.name=? AND c.kind NOT IN ('undo','redo') AND `+inEffect+` ORDER BY c.number DESC LIMIT 1`,
		store, string(a.Kind), a.Name).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("undo: %w: no change by %s is left to undo", ErrNoOwnChange, a)
	}
	return n, err
}

// undoOf returns the change to undo in order to redo n.
func (s *Store) undoOf(q db.Queryer, n int64) (by int64, err error) {
	var effective bool
	err = q.Row(`SELECT coalesce(undone_by,0), `+inEffect+` FROM change c WHERE store=? AND number=?`, s.id, n).Scan(&by, &effective)
	switch {
	case err != nil:
		return 0, notFound(err, ErrNoChange, fmt.Sprint(n))
	case effective:
		return 0, fmt.Errorf("redo change %d: %w", n, ErrNotUndone)
	}
	var together int
	if err := q.Row(`SELECT count(*) FROM change WHERE store=? AND undone_by=? AND number<?`, s.id, by, by).Scan(&together); err != nil {
		return 0, err
	}
	if together > 1 {
		return 0, fmt.Errorf("redo change %d: %w, by change %d", n, ErrUndoneTogether, by)
	}
	return by, nil
}

func lastUndo(q db.Queryer, store int64, a Actor) (n int64, err error) {
	var later int64
	err = q.Row(`SELECT c.number, (SELECT coalesce(max(c.number),0) FROM change c WHERE c.store=st.id AND `+makerAlone+`=a.id AND c.kind NOT IN ('undo','redo'))
		FROM store st JOIN change c ON c.store=st.id JOIN actor a ON a.id=c.actor
		WHERE c.store=? AND a.kind=? AND a.name=? AND c.kind='undo' AND `+inEffect+` ORDER BY c.number DESC LIMIT 1`,
		store, string(a.Kind), a.Name).Scan(&n, &later)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, fmt.Errorf("redo: %w: %s has undone nothing", ErrNothing, a)
	case err != nil:
		return 0, err
	case later > n:
		return 0, fmt.Errorf("redo: %w: change %d came after the last undo; name the change to redo", ErrNothing, later)
	}
	return n, nil
}

// String returns the actor's name for messages.
func (a Actor) String() string {
	if a.Name == "" {
		return string(a.Kind)
	}
	return a.Name
}

func (g UndoChange) collect(p *planner) error {
	n := int64(g)
	if err := p.s.checkUndoable(p.q, n); err != nil {
		return err
	}
	if err := p.checkInEffect(n); err != nil {
		return err
	}
	p.asked = request{kind: KindUndo, undoes: n, about: n}
	var kind ChangeKind
	var undoes int64
	err := p.q.Row(`SELECT kind,path,dest,coalesce(undoes,0) FROM change WHERE store=? AND number=?`, p.s.id, n).Scan(&kind, pathTo(&p.asked.path), pathTo(&p.asked.to), &undoes)
	if err != nil {
		return err
	}
	if kind == KindUndo {
		p.asked.kind, p.asked.about = KindRedo, undoes
	}
	return p.collectSteps(`c.store=? AND c.number=?`, p.s.id, n)
}

// checkInEffect returns an error if the change was already undone.
func (p *planner) checkInEffect(n int64) error {
	var undoneBy int64
	var effective bool
	err := p.q.Row(`SELECT coalesce(undone_by,0),`+inEffect+` FROM change c WHERE store=? AND number=?`, p.s.id, n).Scan(&undoneBy, &effective)
	switch {
	case err != nil:
		return notFound(err, ErrNoChange, fmt.Sprint(n))
	case !effective:
		return fmt.Errorf("undo change %d: %w, by change %d", n, ErrUndone, undoneBy)
	}
	return nil
}

func (g UndoChanges) collect(p *planner) error {
	changes := slices.Compact(slices.Sorted(slices.Values(g)))
	for _, n := range changes {
		if err := p.s.checkUndoable(p.q, n); err != nil {
			return err
		}
	}
	switch len(changes) {
	case 0:
		return fmt.Errorf("undo: %w: no change is named", ErrNothing)
	case 1:
		return p.instead(UndoChange(changes[0]))
	}
	p.goal = UndoChanges(changes)
	for _, n := range changes {
		if err := p.checkInEffect(n); err != nil {
			return err
		}
	}
	p.asked = request{kind: KindUndo}
	if err := p.collectSteps(`c.store=? AND c.number IN (SELECT value FROM json_each(?))`, p.s.id, asJSON(changes)); err != nil {
		return err
	}
	p.asked.path = p.common()
	return nil
}

// collect leaves out the session's own undos and what they undid.
func (g UndoSession) collect(p *planner) error {
	id := SessionID(g)
	if id == "" {
		return fmt.Errorf("undo: %w: no session is named", ErrNothing)
	}
	p.shown.Session = id
	p.asked = request{kind: KindUndo}
	err := p.collectSteps(`c.store=? AND c.id IN `+changesOf(sessionNamed)+` AND `+inEffect+`
		AND NOT (c.kind IN ('undo','redo') AND EXISTS(SELECT 1 FROM change o WHERE o.id IN `+changesOf(`SELECT c.session`)+` AND o.store=c.store AND (o.number=c.undoes OR o.undone_by=c.number)))`,
		p.s.id, string(id))
	if err != nil {
		return err
	}
	if len(p.items) == 0 && len(p.reversed) == 0 {
		var one int
		err := p.q.Row(`SELECT 1 FROM change WHERE store=? AND id IN `+changesOf(sessionNamed)+` LIMIT 1`, p.s.id, string(id)).Scan(&one)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("%s: %w", g, ErrNoSession)
		}
		return err
	}
	p.asked.path = p.common()
	return nil
}

// common returns the deepest folder that holds all memories of the plan.
func (p *planner) common() memfs.Path {
	var paths []memfs.Path
	for _, it := range p.items {
		for _, r := range it.Runs {
			for _, end := range []planning.State{r.Before, r.After} {
				if end.Live() && !end.Redacted {
					paths = append(paths, end.Path)
				}
			}
		}
	}
	return common(paths)
}

// collectSteps adds an item for each memory that the chosen changes touched, with what
// they did to it.
func (p *planner) collectSteps(where string, args ...any) error {
	undone := map[int64]bool{}
	var it *planned
	var next planning.Memory
	var change int64
	var number int
	var op Operation
	var after, before planning.State
	dest := append([]any{&next.Row, idTo(&next.ID), &number, &change, &op}, stateTo(&after)...)
	rows := p.q.Rows(`SELECT v.memory, m.uid, v.number, c.number, v.op, `+stateColumns+`,
			coalesce(p.id,0),p.uid,p.path,coalesce(p.blob,0),pb.sha,coalesce(pb.size,0),p.redacted IS NOT NULL,p.op
		FROM change c JOIN version v ON v.change=c.id JOIN memory m ON m.id=v.memory LEFT JOIN blob b ON b.id=v.blob
		LEFT JOIN version p ON p.memory=v.memory AND p.number=v.number-1 LEFT JOIN blob pb ON pb.id=p.blob
		WHERE `+where+` ORDER BY v.memory, v.number DESC`, args...)
	for range rows.Each(append(dest, stateTo(&before)...)...) {
		if it == nil || it.Row != next.Row {
			it = &planned{Memory: next}
			p.items = append(p.items, it)
		}
		it.changes = append(it.changes, change)
		if !undone[change] {
			undone[change] = true
			p.undone = append(p.undone, change)
		}
		if number == 1 && op == Modified {
			before = planning.Unknown
		}
		it.addStep(number, before, after)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return p.collectOthers(where, args...)
}

// addStep adds the next older version of the item's memory.
func (it *planned) addStep(number int, before, after planning.State) {
	if n := len(it.Runs); n > 0 && it.Runs[n-1].First == number+1 {
		it.Runs[n-1].First, it.Runs[n-1].Before = number, before
		return
	}
	it.Runs = append(it.Runs, planning.Run{Before: before, After: after, First: number})
}
