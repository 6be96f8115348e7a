package core

import (
	"context"
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/tables"
)

// hold stores the change of a HeldBack and returns a *HeldError. Other errors it returns unchanged.
// The caller holds the lock.
func hold(ctx context.Context, s *Store, planned error) error {
	var h *HeldBack
	if !errors.As(planned, &h) {
		return planned
	}
	x, err := Begin(ctx, s)
	if err != nil {
		return err
	}
	defer x.Rollback()
	n, err := x.holdAgain(h)
	if err == nil && n == 0 {
		n, err = x.addHeld(h)
	}
	if err != nil {
		return err
	}
	x.ShareAll(h.Shared, 0, n)
	out := &versions.HeldError{Number: n, Path: h.Asked.Path, Rule: h.Rule, Conflicts: h.conflicts}
	if out.Earlier, err = tables.Rejection(x, h.earlier); err != nil {
		return err
	}
	if err := x.Commit(); err != nil {
		return err
	}
	Notify(s.Trail)
	return out
}

// holdAgain returns the number of a waiting change by the same session that wants the same, so that
// an agent that repeats a call fills no queue; 0 if there is none.
func (x *Txn) holdAgain(h *HeldBack) (n int64, err error) {
	if h.By.Session == "" {
		return 0, nil
	}
	rows, err := db.Values[int64](x.Rows(`SELECT id FROM held WHERE state='waiting' AND store=? AND session=(`+tables.SessionNamed+`) AND path=? AND dest=? ORDER BY id DESC`,
		x.Store.Row, string(h.By.Session), versions.Key(h.Asked.Path), versions.Key(h.Asked.To)))
	if err != nil {
		return 0, err
	}
	for _, id := range rows {
		items, err := tables.HeldItems(x, id)
		if err != nil {
			return 0, err
		}
		if tables.SameItems(items, h.items) {
			return id, nil
		}
	}
	return 0, nil
}

func (x *Txn) addHeld(h *HeldBack) (n int64, err error) {
	if n, err = x.addHeldRow(h); err != nil {
		return 0, err
	}
	for i, it := range h.Stored {
		x.addHeldItem(n, i, it.Memory, tables.Null(it.Base.Row), it.Path, it.Gone, it.Text)
	}
	for i, it := range h.items {
		var base any
		memory := it.Memory
		if it.There {
			now, err := x.Head(it.From)
			switch {
			case err != nil:
				return 0, err
			case now.SHA != it.Base:
				return 0, ErrForeign
			}
			base = now.Version
			if err := x.Row(`SELECT uid FROM memory WHERE id=?`, now.Memory).Scan(&memory); err != nil {
				return 0, err
			}
		}
		x.addHeldItem(n, i, memory, base, it.Path, it.Gone, it.Text)
	}
	return n, nil
}

// addHeldRow adds a held change without its items.
func (x *Txn) addHeldRow(h *HeldBack) (n int64, err error) {
	actor, session, err := x.Who(h.By)
	if err != nil {
		return 0, err
	}
	n = x.Insert(`INSERT INTO held(store,kind,path,dest,actor,session,tool_use,turn,door,inputs,rule,ts,earlier) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		x.Store.Row, string(h.Asked.Kind), versions.Key(h.Asked.Path), versions.Key(h.Asked.To), actor, session, tables.Null(h.By.ToolUse), tables.Null(h.By.Turn), int64(h.By.Door), tables.Null(h.inputs), h.Rule, x.TS, tables.Null(h.earlier))
	return n, x.Err()
}

// addHeldItem adds item i of a held change. base is the row of the version that it replaces, or nil.
func (x *Txn) addHeldItem(held int64, i int, memory []byte, base any, at memfs.Path, gone bool, content []byte) {
	var path, text any
	if !gone {
		path = versions.Key(at)
		if content != nil {
			text = content
		}
	}
	x.Exec(`INSERT INTO held_item(held,n,memory,base,path,text) VALUES(?,?,?,?,?,?)`, held, i, memory, base, path, text)
}

// Acceptance is a person's decision to apply a held change.
type Acceptance struct {
	Number int64
	By     versions.By
}

// Accept records that a held change was accepted and applied by a change; 0 if nothing had to be
// changed.
func (x *Txn) Accept(a *Acceptance, change int64) error {
	if a == nil {
		return nil
	}
	if err := x.forgetAccepted(a.Number); err != nil {
		return err
	}
	return x.Decided(a.Number, versions.HeldAccepted, a.By, change, "")
}

// forgetAccepted forgets rejected lines that a held change brings back: a person accepts them now.
func (x *Txn) forgetAccepted(held int64) error {
	items, err := tables.HeldItems(x, held)
	if err != nil {
		return err
	}
	for _, it := range items {
		if err := x.ForgetRejectedIn(x.Store.Row, it.Text); err != nil {
			return err
		}
	}
	return nil
}

// Decided records what somebody decided about a held change.
func (x *Txn) Decided(n int64, state versions.HeldState, by versions.By, change int64, reason string) error {
	actor, err := x.Actor(by.Actor)
	if err != nil {
		return err
	}
	x.Exec(`UPDATE held SET state=?,decided=?,decider=?,decider_door=?,change=?,reason=? WHERE id=?`, string(state), x.TS, actor, int64(by.Door), change, reason, n)
	return x.Err()
}

// waitAgain makes the held change wait again whose accepted change could not be applied. The rest of
// the condition follows.
const waitAgain = `UPDATE held SET state='waiting',decided=NULL,decider=NULL,decider_door=NULL,change=NULL WHERE state='accepted' AND store=`
