package versions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/planning"
)

// HeldState is what became of a held change.
type HeldState string

const (
	HeldWaiting  HeldState = "waiting"
	HeldAccepted HeldState = "accepted"
	HeldRejected HeldState = "rejected"
	HeldErased   HeldState = "erased" // its text was redacted: it can't be accepted any more
)

// Held is a change that waits for a person, or did.
type Held struct {
	Number  int64 // in the home
	Store   StoreID
	Kind    ChangeKind
	Path    memfs.Path
	To      memfs.Path // for a rename
	By      By         // who wants to change it
	Inputs  Inputs     // what the session had taken in
	Rule    string     // of the policy; empty if Earlier is why it was held
	Time    time.Time
	Earlier *Rejection
	Items   int // the number of memories

	State     HeldState
	Decided   time.Time // zero while it waits, like the fields below
	DecidedBy Actor
	Change    int64 // that applied it; 0 if the memories were as it wanted them already. Of a rejected one: that undid it
	Reason    string
}

// DecidedError reports a decision about a held change that somebody decided before.
type DecidedError struct{ Held }

func (e *DecidedError) Error() string {
	if e.State == HeldErased {
		return fmt.Sprintf("#%d: its text was redacted", e.Number)
	}
	return fmt.Sprintf("#%d: %s has %s it already, on %s", e.Number, e.DecidedBy, e.State, e.Decided.Local().Format("2006-01-02 15:04"))
}

// ErrNoHeld means that no change is held under a number.
var ErrNoHeld = errors.New("nothing is held for review under this number")

// heldItem is what a held change does to one memory.
type heldItem struct {
	memory []byte     // its id
	row    int64      // in the transaction that planned it
	there  bool       // it exists
	from   memfs.Path // its path, if it exists
	base   Hash       // its content, if it exists
	path   memfs.Path // its path afterwards
	gone   bool       // it is deleted
	text   []byte     // its content afterwards; nil: that of before
}

// hold stores the change of a heldBack and returns a *HeldError. Other errors it returns unchanged.
// The caller holds the lock.
func (s *Store) hold(ctx context.Context, planned error) error {
	var h *heldBack
	if !errors.As(planned, &h) {
		return planned
	}
	x, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer x.Rollback()
	n, err := x.holdAgain(h)
	if err == nil && n == 0 {
		n, err = x.addHeld(h)
	}
	if err == nil {
		err = x.shareAll(h.shared, 0, n)
	}
	if err != nil {
		return err
	}
	out := &HeldError{Number: n, Path: h.asked.path, Rule: h.rule}
	if out.Earlier, err = rejection(x, h.earlier); err != nil {
		return err
	}
	if err := x.Commit(); err != nil {
		return err
	}
	s.t.notify()
	return out
}

// holdAgain returns the number of a waiting change by the same session that wants the same, so that
// an agent that repeats a call fills no queue; 0 if there is none.
func (x *txn) holdAgain(h *heldBack) (n int64, err error) {
	if h.by.Session == "" {
		return 0, nil
	}
	rows, err := db.Values[int64](x.Rows(`SELECT id FROM held WHERE state='waiting' AND store=? AND session=(`+sessionNamed+`) AND path=? AND dest=? ORDER BY id DESC`,
		x.s.id, string(h.by.Session), key(h.asked.path), key(h.asked.to)))
	if err != nil {
		return 0, err
	}
	for _, id := range rows {
		items, err := heldItems(x, id)
		if err != nil {
			return 0, err
		}
		if sameItems(items, h.items) {
			return id, nil
		}
	}
	return 0, nil
}

func sameItems(a []storedItem, b []heldItem) bool {
	if len(a) != len(b) {
		return false
	}
	for i, it := range a {
		if it.gone != b[i].gone || it.path != b[i].path || string(it.text) != string(b[i].text) || (it.text == nil) != (b[i].text == nil) || it.base.SHA256 != b[i].base {
			return false
		}
	}
	return true
}

func (x *txn) addHeld(h *heldBack) (n int64, err error) {
	if n, err = x.addHeldRow(h); err != nil {
		return 0, err
	}
	for i, it := range h.stored {
		if err := x.addHeldItem(n, i, it.memory, null(it.base.Row), it.path, it.gone, it.text); err != nil {
			return 0, err
		}
	}
	for i, it := range h.items {
		var base any
		memory := it.memory
		if it.there {
			now, err := x.head(it.from)
			switch {
			case err != nil:
				return 0, err
			case now.sha != it.base:
				return 0, errForeign
			}
			base = now.version
			if err := x.Row(`SELECT uid FROM memory WHERE id=?`, now.memory).Scan(&memory); err != nil {
				return 0, err
			}
		}
		if err := x.addHeldItem(n, i, memory, base, it.path, it.gone, it.text); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// addHeldRow adds a held change without its items.
func (x *txn) addHeldRow(h *heldBack) (n int64, err error) {
	actor, session, err := x.who(h.by)
	if err != nil {
		return 0, err
	}
	n, err = x.Insert(`INSERT INTO held(store,kind,path,dest,actor,session,tool_use,turn,door,inputs,rule,ts,earlier) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		x.s.id, string(h.asked.kind), key(h.asked.path), key(h.asked.to), actor, session, null(h.by.ToolUse), null(h.by.Turn), int64(h.by.Door), null(h.inputs), h.rule, x.ts, null(h.earlier))
	if err == nil {
	}
	return n, err
}

// addHeldItem adds item i of a held change. base is the row of the version that it replaces, or nil.
func (x *txn) addHeldItem(held int64, i int, memory []byte, base any, at memfs.Path, gone bool, content []byte) error {
	var path, text any
	if !gone {
		path = key(at)
		if content != nil {
			text = content
		}
	}
	return x.Exec(`INSERT INTO held_item(held,n,memory,base,path,text) VALUES(?,?,?,?,?,?)`, held, i, memory, base, path, text)
}

// storedItem is an item of a held change as the trail has it.
type storedItem struct {
	memory []byte
	base   planning.State // that it replaces; zero if there is none
	path   memfs.Path
	gone   bool
	text   []byte
}

// want returns the state that the held change gives to the memory.
func (it storedItem) want() planning.State {
	switch {
	case it.gone:
		return planning.State{}
	case it.text == nil:
		return it.base.At(it.path)
	}
	return planning.WithText(it.path, it.text)
}

func heldItems(q db.Queryer, held int64) ([]storedItem, error) {
	var it storedItem
	return db.All(q.Rows(`SELECT i.memory,i.path,i.path IS NULL,i.text,`+stateColumns+` FROM held_item i LEFT JOIN version v ON v.id=i.base LEFT JOIN blob b ON b.id=v.blob
		WHERE i.held=? ORDER BY i.n`, held), &it,
		append([]any{&it.memory, pathTo(&it.path), &it.gone, parsedTo(&it.text, func(text []byte) ([]byte, error) { return nonNil(text), nil })}, stateTo(&it.base)...)...)
}

const heldColumns = `h.id,t.uid,h.kind,h.path,h.dest,a.kind,a.name,coalesce(a.title,''),coalesce(s.uid,''),coalesce(h.tool_use,''),coalesce(h.turn,0),h.door,coalesce(h.inputs,0),h.rule,h.ts,
	(SELECT count(*) FROM held_item WHERE held=h.id),coalesce((SELECT reason FROM held WHERE id=h.earlier),''),nullif(h.earlier,0),h.state,nullif(h.decided,0),coalesce(d.kind,''),coalesce(d.name,''),coalesce(h.change,0),h.reason
	FROM held h JOIN store t ON t.id=h.store JOIN actor a ON a.id=h.actor LEFT JOIN session s ON s.id=h.session LEFT JOIN actor d ON d.id=h.decider `

// columns are the destinations of the heldColumns.
func (h *Held) columns() []any {
	var reason string
	return []any{&h.Number, idTo(&h.Store), &h.Kind, pathTo(&h.Path), pathTo(&h.To), &h.By.Actor.Kind, &h.By.Actor.Name, &h.By.Actor.Title, &h.By.Session, &h.By.ToolUse, &h.By.Turn, &h.By.Door,
		&h.Inputs, &h.Rule, timeTo(&h.Time), &h.Items, &reason,
		parsedTo(&h.Earlier, func(number int64) (*Rejection, error) { return &Rejection{Number: number, Reason: reason}, nil }),
		&h.State, timeTo(&h.Decided), &h.DecidedBy.Kind, &h.DecidedBy.Name, &h.Change, &h.Reason}
}

// HeldFilter selects held changes. Zero fields select all.
type HeldFilter struct {
	State   HeldState
	Session SessionID
	In      memfs.Path // that name this path, or one below it
}

// Held lists the held changes of the store, oldest first.
func (s *Store) Held(ctx context.Context, f HeldFilter) (out []Held, err error) {
	var h Held
	return db.All(s.t.db.Rows(ctx, `SELECT `+heldColumns+`WHERE h.store=?1 AND (?2='' OR h.state=?2) AND (?3='' OR s.uid=?3)
		AND (?4='' OR h.path=?4 OR h.path>?4||'/' AND h.path<?4||'0') ORDER BY h.id`, s.id, string(f.State), string(f.Session), key(f.In)), &h, h.columns()...)
}

// HeldChange returns one held change, of any store of the home.
func (t *Trail) HeldChange(ctx context.Context, n int64) (h Held, err error) {
	err = t.view(ctx, func(q reader) error {
		h, err = heldChange(q, n)
		return err
	})
	return h, err
}

func heldChange(q db.Queryer, n int64) (Held, error) {
	var h Held
	err := q.Row(`SELECT `+heldColumns+`WHERE h.id=?`, n).Scan(h.columns()...)
	return h, notFound(err, ErrNoHeld, fmt.Sprintf("#%d", n))
}

func rejection(q db.Queryer, n int64) (*Rejection, error) {
	if n == 0 {
		return nil, nil
	}
	r := &Rejection{Number: n}
	return r, ignoreNoRows(q.Row(`SELECT reason FROM held WHERE id=?`, n).Scan(&r.Reason))
}

// Accept is the goal of applying a held change, by its number. A memory that changed since it was held is merged
// with the held text, or is a conflict. Only a person may reach it, and a *DecidedError says that somebody decided
// before. The change is recorded as made by whoever wanted it, with its session; if the person gives a text of their
// own, as theirs.
type Accept int64

func (g Accept) String() string { return fmt.Sprintf("accept #%d", int64(g)) }

func (g Accept) collect(p *planner) error {
	h, err := heldChange(p.q, int64(g))
	if err != nil {
		return err
	}
	p.shown.Held = h.Number
	if h.Store != p.s.info.ID {
		return fmt.Errorf("%w: #%d belongs to another store", ErrNoHeld, h.Number)
	}
	if h.State == HeldErased {
		return &DecidedError{h}
	}
	p.asked = request{kind: h.Kind, path: h.Path, to: h.To}
	items, err := heldItems(p.q, h.Number)
	if err != nil {
		return err
	}
	return p.collectItems(items)
}

// collectItems adds the memories of a change that was held.
func (p *planner) collectItems(items []storedItem) error {
	for i, it := range items {
		m := planned{Memory: planning.Memory{Row: -1 - int64(i), ID: MemoryID(ids.Format(ids.MemoryPrefix, it.memory)), Runs: []planning.Run{{Before: it.want(), After: it.base}}}}
		err := p.q.Row(`SELECT id FROM memory WHERE uid=? AND store=?`, it.memory, p.s.id).Scan(&m.Row)
		if err := ignoreNoRows(err); err != nil {
			return err
		}
		p.items = append(p.items, &m)
	}
	return nil
}

// acceptance is a person's decision to apply a held change.
type acceptance struct {
	number int64
	by     By
}

// accept applies a held change, as the plan showed it if there is one.
func (s *Store) accept(ctx context.Context, by By, g Accept, agreed *Plan, choices map[MemoryID]planning.Choice) (Change, error) {
	n := int64(g)
	if !by.Person() {
		return Change{}, fmt.Errorf("%s: %w", g, ErrPersonsOnly)
	}
	own := false
	for _, c := range choices {
		own = own || c.Kind == planning.OwnText
	}
	c, err := s.mutate(ctx, by, func(d *mutation) error {
		h, err := d.x.waiting(n)
		if err != nil {
			return err
		}
		if !own {
			d.by = h.By
			d.by.took = h.Inputs
		}
		d.accepts = &acceptance{n, by}
		err = d.fulfil(g, agreed, choices)
		switch {
		case errors.Is(err, ErrNothing): // decided below
			return nil
		case err != nil:
			return err
		}
		return d.x.accept(d.accepts, d.c.number)
	})
	if err == nil && c.Number == 0 { // the memories are as it wants them
		err = s.asPerson(ctx, by, g.String(), func(x *txn) error {
			if _, err := x.waiting(n); err != nil {
				return err
			}
			return x.accept(&acceptance{n, by}, 0)
		})
	}
	return c, err
}

// waiting returns a held change that waits.
func (x *txn) waiting(n int64) (Held, error) {
	h, err := heldChange(x, n)
	if err == nil && h.State != HeldWaiting {
		err = &DecidedError{h}
	}
	return h, err
}

// accept records that a held change was accepted and applied by a change; 0 if nothing had to be
// changed.
func (x *txn) accept(a *acceptance, change int64) error {
	if a == nil {
		return nil
	}
	if err := x.forgetAccepted(a.number); err != nil {
		return err
	}
	return x.decided(a.number, HeldAccepted, a.by, change, "")
}

// forgetAccepted forgets rejected lines that a held change brings back: a person accepts them now.
func (x *txn) forgetAccepted(held int64) error {
	items, err := heldItems(x, held)
	if err != nil {
		return err
	}
	for _, it := range items {
		if err := x.forgetRejectedIn(x.s.id, it.text); err != nil {
			return err
		}
	}
	return nil
}

func (x *txn) decided(n int64, state HeldState, by By, change int64, reason string) error {
	actor, err := x.actor(by.Actor)
	if err != nil {
		return err
	}
	return x.Exec(`UPDATE held SET state=?,decided=?,decider=?,decider_door=?,change=?,reason=? WHERE id=?`, string(state), x.ts, actor, int64(by.Door), change, reason, n)
}

// waitAgain makes the held change wait again whose accepted change could not be applied. The rest of
// the condition follows.
const waitAgain = `UPDATE held SET state='waiting',decided=NULL,decider=NULL,decider_door=NULL,change=NULL WHERE state='accepted' AND store=`

// Reject decides against a held change. The reason is shown to whoever wanted it. Lines that it would
// have added are remembered: a change that brings them back is held, whatever the policy says. Only a
// person may reject.
func (s *Store) Reject(ctx context.Context, by By, n int64, reason string) error {
	return s.asPerson(ctx, by, fmt.Sprintf("reject #%d", n), func(x *txn) error {
		h, err := x.waiting(n)
		if err != nil {
			return err
		}
		if h.Store != s.info.ID {
			return fmt.Errorf("%w: #%d belongs to another store", ErrNoHeld, n)
		}
		if err := x.rememberRejected(n); err != nil {
			return err
		}
		return x.decided(n, HeldRejected, by, 0, reason)
	})
}
