package plan

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/planning"
)

// want returns the state that the held change gives to the memory.
func want(it tables.StoredItem) planning.State {
	switch {
	case it.Gone:
		return planning.State{}
	case it.Text == nil:
		return it.Base.At(it.Path)
	}
	return planning.WithText(it.Path, it.Text)
}

// HeldColumns are the columns of a held change; Columns has their destinations.
const HeldColumns = `h.id,t.uid,h.kind,h.path,h.dest,a.kind,a.name,coalesce(a.title,''),coalesce(s.uid,''),coalesce(h.tool_use,''),coalesce(h.turn,0),h.door,coalesce(h.inputs,0),h.rule,h.ts,
	(SELECT count(*) FROM held_item WHERE held=h.id),coalesce((SELECT reason FROM held WHERE id=h.earlier),''),nullif(h.earlier,0),h.state,nullif(h.decided,0),coalesce(d.kind,''),coalesce(d.name,''),coalesce(h.change,0),h.reason
	FROM held h JOIN store t ON t.id=h.store JOIN actor a ON a.id=h.actor LEFT JOIN session s ON s.id=h.session LEFT JOIN actor d ON d.id=h.decider `

// Columns are the destinations of the HeldColumns.
func Columns(h *versions.Held) []any {
	var reason string
	return []any{&h.Number, tables.IDTo(&h.Store), &h.Kind, tables.PathTo(&h.Path), tables.PathTo(&h.To), &h.By.Actor.Kind, &h.By.Actor.Name, &h.By.Actor.Title, &h.By.Session, &h.By.ToolUse, &h.By.Turn, &h.By.Door,
		&h.Inputs, &h.Rule, tables.TimeTo(&h.Time), &h.Items, &reason,
		tables.ParsedTo(&h.Earlier, func(number int64) (*versions.Rejection, error) {
			return &versions.Rejection{Number: number, Reason: reason}, nil
		}),
		&h.State, tables.TimeTo(&h.Decided), &h.DecidedBy.Kind, &h.DecidedBy.Name, &h.Change, &h.Reason}
}

// HeldChange reads the held change with a number.
func HeldChange(q db.Queryer, n int64) (versions.Held, error) {
	var h versions.Held
	err := q.Row(`SELECT `+HeldColumns+`WHERE h.id=?`, n).Scan(Columns(&h)...)
	return h, tables.NotFound(err, versions.ErrNoHeld, fmt.Sprintf("#%d", n))
}

// Accept is the goal of applying a held change, by its number. A memory that changed since it was held is merged
// with the held text, or is a conflict. Only a person may reach it, and a *DecidedError says that somebody decided
// before. The change is recorded as made by whoever wanted it, with its session; if the person gives a text of their
// own, as theirs.
type Accept int64

func (g Accept) String() string { return fmt.Sprintf("accept #%d", int64(g)) }

func (g Accept) collect(p *Planner) error {
	h, err := HeldChange(p.Reader, int64(g))
	if err != nil {
		return err
	}
	p.shown.Held = h.Number
	if h.Store != p.Store.Opened.ID {
		return fmt.Errorf("%w: #%d belongs to another store", versions.ErrNoHeld, h.Number)
	}
	if h.State == versions.HeldErased {
		return &versions.DecidedError{Held: h}
	}
	p.asked = core.Request{Kind: h.Kind, Path: h.Path, To: h.To}
	items, err := tables.HeldItems(p.Reader, h.Number)
	if err != nil {
		return err
	}
	return p.collectItems(items)
}

// collectItems adds the memories of a change that was held. One that it creates where another was created since is that
// one: both texts can be compared then.
func (p *Planner) collectItems(items []tables.StoredItem) error {
	for i, it := range items {
		m := Planned{Memory: planning.Memory{Row: -1 - int64(i), Runs: []planning.Run{{Before: want(it), After: it.Base}}}}
		uid := it.Memory
		err := p.Reader.Row(`SELECT id FROM memory WHERE uid=? AND store=?`, uid, p.Store.Row).Scan(&m.Row)
		if errors.Is(err, sql.ErrNoRows) && !it.Gone && !it.Base.Live() {
			err = p.Reader.Row(`SELECT m.id,m.uid FROM head h JOIN memory m ON m.id=h.memory WHERE h.store=? AND h.path=?`, p.Store.Row, versions.Key(it.Path)).Scan(&m.Row, &uid)
		}
		if err := tables.IgnoreNoRows(err); err != nil {
			return err
		}
		m.ID = versions.MemoryID(ids.Format(ids.MemoryPrefix, uid))
		p.Items = append(p.Items, &m)
	}
	return nil
}

// nameHeld names the only memory of a held change, or of one from elsewhere, by where it is: it may have been renamed since.
func (p *Planner) nameHeld() {
	switch p.Goal.(type) {
	case Accept, Takeover:
		if len(p.Items) == 1 && p.Items[0].Now.Live() {
			p.asked.Path = p.Items[0].Now.Path
		}
	}
}

// accept applies a held change, as the plan showed it if there is one.
func accept(ctx context.Context, s *core.Store, by versions.By, g Accept, agreed *Plan, choices map[versions.MemoryID]planning.Choice) (versions.Change, error) {
	n := int64(g)
	if !by.Person() {
		return versions.Change{}, fmt.Errorf("%s: %w", g, versions.ErrPersonsOnly)
	}
	own := false
	for _, c := range choices {
		own = own || c.Kind == planning.OwnText
	}
	c, err := core.Mutate(ctx, s, by, func(d *core.Mutation) error {
		h, err := Waiting(d.Txn, n)
		if err != nil {
			return err
		}
		if !own {
			d.By = h.By
			d.By.Took = h.Inputs
		}
		d.Accepts = &core.Acceptance{Number: n, By: by}
		err = Fulfil(d, g, agreed, choices)
		switch {
		case errors.Is(err, versions.ErrNothing): // decided below
			return nil
		case err != nil:
			return err
		}
		return d.Txn.Accept(d.Accepts, d.Change.Number)
	})
	if err == nil && c.Number == 0 { // the memories are as it wants them
		err = core.AsPerson(ctx, s, by, g.String(), func(x *core.Txn) error {
			if _, err := Waiting(x, n); err != nil {
				return err
			}
			return x.Accept(&core.Acceptance{Number: n, By: by}, 0)
		})
	}
	return c, err
}

// Waiting returns a held change that waits.
func Waiting(x *core.Txn, n int64) (versions.Held, error) {
	h, err := HeldChange(x, n)
	if err == nil && h.State != versions.HeldWaiting {
		err = &versions.DecidedError{Held: h}
	}
	return h, err
}
