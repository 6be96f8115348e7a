package plan

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/planning"
)

// UndoChange is the goal of undoing a change: each of its memories returns to its path and content before it.
// Later changes elsewhere stay: undoing a rename keeps a later edit, and edits of other lines are merged. A later
// change of the same lines is a conflict, whose reason is a *LaterChangeError.
type UndoChange int64

// UndoLast is the goal of undoing what an actor did last and what is in effect, after a change: a change of their own, one
// that they accepted, an undo of what others did or in part, or a redo. Repeated, it goes further back: what it did itself is redone by a redo only.
type UndoLast struct {
	By    versions.Actor
	After int64 // 0: of all
}

// UndoChanges is the goal of undoing several changes together, as one change. If others changed
// a memory between two of them or after them, their changes stay.
type UndoChanges []int64

// UndoSession is the goal of undoing everything that a session did to this store and that is in
// effect. If others changed a memory between two changes of the session or after them,
// their changes stay.
type UndoSession versions.SessionID

// RedoChange is the goal of redoing a change that was undone.
type RedoChange int64

// RedoLast is the goal of redoing an actor's last undo, of those after a change, unless the actor made or accepted another
// change, or undid what others did, after it. Repeated, it redoes the undo before.
type RedoLast struct {
	By    versions.Actor
	After int64 // 0: of all
}

func (g UndoChange) String() string  { return fmt.Sprintf("undo change %d", int64(g)) }
func (UndoLast) String() string      { return "undo" }
func (g UndoChanges) String() string { return fmt.Sprintf("undo %d changes", len(g)) }
func (g UndoSession) String() string { return "undo session " + string(g) }
func (g RedoChange) String() string  { return fmt.Sprintf("redo change %d", int64(g)) }
func (RedoLast) String() string      { return "redo" }

func (g UndoLast) collect(p *Planner) error {
	n, none := lastOwn(p.Reader, p.Store.Row, g)
	if none != nil && !errors.Is(none, versions.ErrNoOwnChange) {
		return none
	}
	redo, err := lastRedo(p.Reader, p.Store.Row, UndoLast{By: g.By, After: max(g.After, n)})
	switch {
	case err != nil:
		return err
	case redo != 0:
		return p.instead(UndoChange(redo))
	case none != nil:
		return none
	}
	return p.instead(UndoChange(n))
}

func (g RedoChange) collect(p *Planner) error {
	undo, err := undoOf(p.Store, p.Reader, int64(g))
	if err != nil {
		return err
	}
	return p.instead(redoOf(undo))
}

func (g RedoLast) collect(p *Planner) error {
	undo, err := lastUndo(p.Reader, p.Store.Row, g)
	if err != nil {
		return err
	}
	return p.instead(redoOf(undo))
}

// redoOf is the goal of a redo, once the undo that it takes back is known.
type redoOf int64

func (g redoOf) String() string { return UndoChange(g).String() }

func (g redoOf) collect(p *Planner) error {
	if err := UndoChange(g).collect(p); err != nil {
		return err
	}
	p.asked.Kind = versions.KindRedo
	return p.Reader.Row(`SELECT coalesce(undoes,0) FROM change WHERE store=? AND number=?`, p.Store.Row, int64(g)).Scan(&p.asked.About)
}

// undoneChange returns the only change that the goal takes back, if it is one.
func (p *Planner) undoneChange() (UndoChange, bool) {
	if redo, ok := p.Goal.(redoOf); ok {
		return UndoChange(redo), true
	}
	change, ok := p.Goal.(UndoChange)
	return change, ok
}

// instead replaces the goal by what it means now.
func (p *Planner) instead(g Goal) error {
	p.Goal = g
	return g.collect(p)
}

// checkUndoable rejects a change that only recorded what was in the folder when the history
// began. What was there before is unknown.
func checkUndoable(s *core.Store, q db.Queryer, n int64) error {
	var found bool
	err := q.Row(`SELECT EXISTS(SELECT 1 FROM change c JOIN store s ON s.id=c.store WHERE s.id=? AND c.number=? AND c.number<=s.began AND c.kind='adopt'
		AND (SELECT kind FROM actor WHERE id=`+tables.MakerAlone+`)='outside')`, s.Row, n).Scan(&found)
	if err != nil || !found {
		return err
	}
	return fmt.Errorf("undo change %d: %w", n, versions.ErrFound)
}

// acceptedBy selects the changes that an actor accepted. Others are recorded as their makers, but accepting was an act of the actor.
const acceptedBy = `(SELECT h.change FROM held h JOIN actor d ON d.id=h.decider WHERE h.store=?1 AND h.state='accepted' AND h.change>0 AND d.kind=?2 AND d.name=?3)`

// ownAct is the condition that an actor made or accepted a change c, which a made.
const ownAct = `(a.kind=?2 AND a.name=?3 OR c.number IN ` + acceptedBy + `)`

// undosOfOthers selects the undos of what others than an actor did: acts of their own if they made them, while an undo of
// what they did themselves is only a step back.
const undosOfOthers = `(SELECT c.undone_by FROM change c JOIN actor a ON a.id=` + tables.MakerAlone + ` WHERE c.store=?1 AND c.undone_by>0 AND NOT ` + ownAct + `)`

// ownUndo is the condition that an undo c is an act of its own: it undid what others did, or no change as a whole, because it left
// out what conflicts.
const ownUndo = `(c.kind='undo' AND (c.number IN ` + undosOfOthers + ` OR c.undoes IS NULL AND NOT EXISTS(SELECT 1 FROM change o WHERE o.store=c.store AND o.undone_by=c.number)))`

func lastOwn(q db.Queryer, store int64, g UndoLast) (n int64, err error) {
	err = q.Row(`SELECT c.number FROM change c JOIN actor a ON a.id=`+tables.MakerAlone+`
		WHERE c.store=?1 AND `+ownAct+` AND c.number>?4
		AND (c.kind NOT IN ('undo','redo') OR c.number IN `+acceptedBy+` OR `+ownUndo+`)
		AND `+tables.InEffect+` ORDER BY c.number DESC LIMIT 1`,
		store, string(g.By.Kind), g.By.Name, g.After).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("undo: %w: no change by %s is left to undo", versions.ErrNoOwnChange, g.By)
	}
	return n, err
}

// lastRedo returns the change to undo in order to undo the newest redo, of those whose changes were not undone again since: the redo
// itself, or the change that it redid, if that is one and the actor's own; 0 for none.
func lastRedo(q db.Queryer, store int64, g UndoLast) (n int64, err error) {
	err = q.Row(`WITH redo(number,undo) AS (SELECT c.number,c.undoes FROM change c JOIN actor a ON a.id=`+tables.MakerAlone+`
			WHERE c.store=?1 AND a.kind=?2 AND a.name=?3 AND c.number>?4 AND c.kind='redo' AND `+tables.InEffect+`
			AND EXISTS(SELECT 1 FROM change r WHERE r.store=c.store AND r.undone_by=c.undoes) ORDER BY c.number DESC LIMIT 1)
		SELECT CASE WHEN count(*)=1 AND max(`+ownAct+`) THEN max(c.number) ELSE redo.number END
		FROM redo JOIN change c ON c.store=?1 AND c.undone_by=redo.undo AND c.number<c.undone_by JOIN actor a ON a.id=`+tables.MakerAlone+` GROUP BY redo.number`,
		store, string(g.By.Kind), g.By.Name, g.After).Scan(&n)
	return n, tables.IgnoreNoRows(err)
}

// undoOf returns the change to undo in order to redo n.
func undoOf(s *core.Store, q db.Queryer, n int64) (by int64, err error) {
	var effective bool
	err = q.Row(`SELECT coalesce(undone_by,0), `+tables.InEffect+` FROM change c WHERE store=? AND number=?`, s.Row, n).Scan(&by, &effective)
	switch {
	case err != nil:
		return 0, tables.NotFound(err, versions.ErrNoChange, fmt.Sprint(n))
	case effective:
		return 0, fmt.Errorf("redo change %d: %w", n, versions.ErrNotUndone)
	}
	var together int
	if err := q.Row(`SELECT count(*) FROM change WHERE store=? AND undone_by=? AND number<?`, s.Row, by, by).Scan(&together); err != nil {
		return 0, err
	}
	if together > 1 {
		return 0, fmt.Errorf("redo change %d: %w, by change %d", n, versions.ErrUndoneTogether, by)
	}
	return by, nil
}

// lastUndo leaves out undos that were taken back, even if that was undone in turn: they were redone once.
func lastUndo(q db.Queryer, store int64, g RedoLast) (n int64, err error) {
	var later int64
	err = q.Row(`SELECT c.number, (SELECT coalesce(max(c.number),0) FROM change c WHERE c.store=st.id AND (c.number IN `+acceptedBy+` OR `+tables.MakerAlone+`=a.id
			AND (c.kind NOT IN ('undo','redo') OR `+ownUndo+` AND `+tables.InEffect+`)))
		FROM store st JOIN change c ON c.store=st.id JOIN actor a ON a.id=c.actor
		WHERE c.store=?1 AND a.kind=?2 AND a.name=?3 AND c.number>?4 AND c.kind='undo' AND c.undone_by IS NULL ORDER BY c.number DESC LIMIT 1`,
		store, string(g.By.Kind), g.By.Name, g.After).Scan(&n, &later)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, fmt.Errorf("redo: %w: %s has undone nothing", versions.ErrNothing, g.By)
	case err != nil:
		return 0, err
	case later > n:
		return 0, fmt.Errorf("redo: %w: change %d came after the last undo; name the change to redo", versions.ErrNothing, later)
	}
	return n, nil
}

func (g UndoChange) collect(p *Planner) error {
	n := int64(g)
	if err := checkUndoable(p.Store, p.Reader, n); err != nil {
		return err
	}
	if err := p.checkInEffect(n); err != nil {
		return err
	}
	p.asked = core.Request{Kind: versions.KindUndo, Undoes: n, About: n}
	err := p.Reader.Row(`SELECT path,dest FROM change WHERE store=? AND number=?`, p.Store.Row, n).Scan(tables.PathTo(&p.asked.Path), tables.PathTo(&p.asked.To))
	if err != nil {
		return err
	}
	return p.collectSteps(`c.store=? AND c.number=?`, p.Store.Row, n)
}

// checkInEffect returns an error if the change was already undone.
func (p *Planner) checkInEffect(n int64) error {
	var undoneBy int64
	var effective bool
	err := p.Reader.Row(`SELECT coalesce(undone_by,0),`+tables.InEffect+` FROM change c WHERE store=? AND number=?`, p.Store.Row, n).Scan(&undoneBy, &effective)
	switch {
	case err != nil:
		return tables.NotFound(err, versions.ErrNoChange, fmt.Sprint(n))
	case !effective:
		return fmt.Errorf("undo change %d: %w, by change %d", n, versions.ErrUndone, undoneBy)
	}
	return nil
}

func (g UndoChanges) collect(p *Planner) error {
	changes := slices.Compact(slices.Sorted(slices.Values(g)))
	for _, n := range changes {
		if err := checkUndoable(p.Store, p.Reader, n); err != nil {
			return err
		}
	}
	switch len(changes) {
	case 0:
		return fmt.Errorf("undo: %w: no change is named", versions.ErrNothing)
	case 1:
		return p.instead(UndoChange(changes[0]))
	}
	p.Goal = UndoChanges(changes)
	for _, n := range changes {
		if err := p.checkInEffect(n); err != nil {
			return err
		}
	}
	p.asked = core.Request{Kind: versions.KindUndo}
	if err := p.collectSteps(`c.store=? AND c.number IN (SELECT value FROM json_each(?))`, p.Store.Row, tables.AsJSON(changes)); err != nil {
		return err
	}
	p.asked.Path = p.common()
	return nil
}

// collect leaves out the session's own undos and what they undid.
func (g UndoSession) collect(p *Planner) error {
	id := versions.SessionID(g)
	if id == "" {
		return fmt.Errorf("undo: %w: no session is named", versions.ErrNothing)
	}
	p.shown.Session = id
	p.asked = core.Request{Kind: versions.KindUndo}
	err := p.collectSteps(`c.store=? AND c.id IN `+tables.ChangesOf(tables.SessionNamed)+` AND `+tables.InEffect+`
		AND NOT (c.kind IN ('undo','redo') AND EXISTS(SELECT 1 FROM change o WHERE o.id IN `+tables.ChangesOf(`SELECT c.session`)+` AND o.store=c.store AND (o.number=c.undoes OR o.undone_by=c.number)))`,
		p.Store.Row, string(id))
	if err != nil {
		return err
	}
	if len(p.Items) == 0 && len(p.reversed) == 0 {
		var row int64
		err := p.Reader.Row(tables.SessionNamed, string(id)).Scan(&row)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("%s: %w", g, versions.ErrNoSession)
		}
		return err
	}
	p.asked.Path = p.common()
	return nil
}

// common returns the deepest folder that holds all memories of the plan.
func (p *Planner) common() memfs.Path {
	var paths []memfs.Path
	for _, it := range p.Items {
		for _, r := range it.Runs {
			for _, end := range []planning.State{r.Before, r.After} {
				if end.Live() && !end.Redacted {
					paths = append(paths, end.Path)
				}
			}
		}
	}
	return versions.Common(paths)
}

// collectSteps adds an item for each memory that the chosen changes touched, with what
// they did to it.
func (p *Planner) collectSteps(where string, args ...any) error {
	undone := map[int64]bool{}
	var it *Planned
	var next planning.Memory
	var change int64
	var number int
	var op versions.Operation
	var after, before planning.State
	dest := append([]any{&next.Row, tables.IDTo(&next.ID), &number, &change, &op}, tables.StateTo(&after)...)
	rows := p.Reader.Rows(`SELECT v.memory, m.uid, v.number, c.number, v.op, `+tables.StateColumns+`,
			coalesce(p.id,0),p.uid,p.path,coalesce(p.blob,0),pb.sha,coalesce(pb.size,0),p.redacted IS NOT NULL,p.op
		FROM change c JOIN version v ON v.change=c.id JOIN memory m ON m.id=v.memory LEFT JOIN blob b ON b.id=v.blob
		LEFT JOIN version p ON p.memory=v.memory AND p.number=v.number-1 LEFT JOIN blob pb ON pb.id=p.blob
		WHERE `+where+` ORDER BY v.memory, v.number DESC`, args...)
	for range rows.Each(append(dest, tables.StateTo(&before)...)...) {
		if it == nil || it.Row != next.Row {
			it = &Planned{Memory: next}
			p.Items = append(p.Items, it)
		}
		it.changes = append(it.changes, change)
		if !undone[change] {
			undone[change] = true
			p.undone = append(p.undone, change)
		}
		if number == 1 && op == versions.Modified {
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
func (it *Planned) addStep(number int, before, after planning.State) {
	if n := len(it.Runs); n > 0 && it.Runs[n-1].First == number+1 {
		it.Runs[n-1].First, it.Runs[n-1].Before = number, before
		return
	}
	it.Runs = append(it.Runs, planning.Run{Before: before, After: after, First: number})
}
