package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/planning"
)

// Incoming is a change that was made elsewhere: what a commit does to the memories.
type Incoming struct {
	ID      string // that it has wherever it goes
	Commit  string // that it came with: by it alone the change is known to have been taken in
	By      By     // who made it there; its door is DoorGit
	Time    time.Time
	Message string
	Email   string
	Files   []IncomingFile
	Hold    string // why it waits for a person whatever the policy says; "": it doesn't
}

// IncomingFile is what such a change does to one memory.
type IncomingFile struct {
	Path   memfs.Path // of the memory afterwards; of a deleted one, before
	From   memfs.Path // the path before, if it was renamed
	Before []byte     // the text before; nil: there was none
	After  []byte     // the text afterwards; nil: the memory is deleted
}

// TakeIn makes a change that was made elsewhere, on top of other texts than the store's. What changed here since is
// merged with it. It is decided about as any change of its author, and held if it conflicts or is denied: then the error
// is a *HeldError. The zero Change means that the store had all of it.
func (s *Store) TakeIn(ctx context.Context, in Incoming) (Change, error) {
	c, err := s.mutate(ctx, in.By, func(d *mutation) error { return d.takeIn(&in) })
	if err == nil && c.Number == 0 {
		err = s.SetShared(ctx, in.Commit)
	}
	return c, err
}

// MayTakeIn returns an error if somebody may not take in changes in the names of others.
func (s *Store) MayTakeIn(ctx context.Context, by By) error {
	return s.t.mayAdminister(ctx, by, s.info.ID, "import")
}

// Governed reports whether anything but the open policy may decide about what a session writes to the store.
func (s *Store) Governed(ctx context.Context, session SessionID) (bool, error) {
	return s.t.Governed(ctx, s.info.ID, session)
}

// RehearseTakeIn returns the error that TakeIn would return, and changes nothing.
func (s *Store) RehearseTakeIn(ctx context.Context, in Incoming) error {
	return s.rehearse(ctx, in.By, func(d *mutation) error { return d.takeIn(&in) })
}

// SetShared records that a change that is on the branch changed nothing here.
func (s *Store) SetShared(ctx context.Context, id string) error {
	return s.locked(ctx, func(x *txn) error {
		return x.share(id, 0, 0)
	})
}

func (d *mutation) takeIn(in *Incoming) error {
	if err := checkWords(&Record{Kind: KindEdit, By: in.By, Message: in.Message, Email: in.Email, Time: in.Time}); err != nil {
		return err
	}
	var items []storedItem
	for _, f := range in.Files {
		it, err := d.incoming(f)
		if err != nil {
			return err
		}
		items = append(items, it)
	}
	asked := in.asked()
	d.arrives = &heldBack{by: in.By, asked: asked, stored: items, shared: in.ids()}
	d.asked = asked
	if in.Hold != "" {
		return &heldBack{rule: in.Hold}
	}
	err := d.fulfil(takeover{asked, items}, nil, nil)
	if errors.Is(err, ErrNothing) {
		return nil
	}
	if err != nil {
		return err
	}
	return d.x.shareAll(in.ids(), d.c.number, 0)
}

// ids are the names under which the change is known.
func (in *Incoming) ids() []string { return []string{in.ID, in.Commit} }

// wait turns the reason why a change from elsewhere can't be made now into one to hold it.
func (h *heldBack) wait(why error) error {
	var conflict *ConflictsError
	var denied *DeniedError
	var held *heldBack
	switch {
	case h == nil:
		return why
	case errors.As(why, &conflict):
		h.rule = conflict.Conflicts[0].Reason.Error()
	case errors.As(why, &denied):
		h.rule = denied.Why
	case errors.Is(why, memfs.ErrControlFile):
		h.rule = why.Error()
	case errors.As(why, &held):
		h.rule, h.inputs, h.earlier = held.rule, held.inputs, held.earlier
	default:
		return why
	}
	return h
}

// Path is the memory or the folder that the change is about.
func (in *Incoming) Path() memfs.Path {
	var at []memfs.Path
	for _, f := range in.Files {
		at = append(at, f.Path)
	}
	return common(at)
}

// asked returns the request that the change amounts to.
func (in *Incoming) asked() request {
	a := request{kind: KindEdit, path: in.Path(), message: in.Message, email: in.Email, at: in.Time}
	if len(in.Files) == 1 {
		switch f := in.Files[0]; {
		case f.After == nil:
			a.kind = KindDelete
		case !f.From.IsRoot():
			a.kind, a.path, a.to = KindRename, f.From, f.Path
		case f.Before == nil:
			a.kind = KindCreate
		}
	}
	return a
}

// incoming returns what a change from elsewhere does to a memory of this store.
func (d *mutation) incoming(f IncomingFile) (it storedItem, err error) {
	if f.Path.RunsWhenOpened() {
		return it, fmt.Errorf("%s: %w", f.Path.Tool(), memfs.ErrControlFile)
	}
	it = storedItem{path: f.Path, gone: f.After == nil, text: f.After}
	before := f.Path
	if !f.From.IsRoot() {
		before = f.From
	}
	if f.Before != nil {
		it.base = planning.WithText(before, f.Before)
	}
	var row int64
	for _, at := range []memfs.Path{before, f.Path} { // it may have been renamed alike here
		err = d.x.Row(`SELECT m.id,m.uid FROM head h JOIN memory m ON m.id=h.memory WHERE h.store=? AND h.path=?`, d.x.s.id, key(at)).Scan(&row, &it.memory)
		if !errors.Is(err, sql.ErrNoRows) {
			break
		}
	}
	if errors.Is(err, sql.ErrNoRows) && f.Before != nil { // renamed or deleted here
		err = d.x.Row(`SELECT m.id,m.uid FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=? AND v.path=? AND v.blob=(SELECT id FROM blob WHERE sha=?)
			ORDER BY v.id DESC LIMIT 1`, d.x.s.id, key(before), sumOf(f.Before)).Scan(&row, &it.memory)
	}
	if err := ignoreNoRows(err); err != nil {
		return it, err
	}
	switch {
	case it.memory == nil:
		it.memory = d.x.s.freshUID()
		it.base = planning.State{} // what it was changed from was never here
	case f.Before != nil:
		var base planning.State
		err := d.x.Row(`SELECT `+stateColumns+` FROM version v LEFT JOIN blob b ON b.id=v.blob WHERE v.memory=? AND v.path=? AND b.sha=? ORDER BY v.id DESC LIMIT 1`,
			row, key(before), sumOf(f.Before)).Scan(stateTo(&base)...)
		if err == nil {
			it.base = base
		}
		return it, ignoreNoRows(err)
	default:
		it.base = planning.WithText(f.Path, []byte{}) // both sides began with nothing
	}
	return it, nil
}

func sumOf(b []byte) []byte {
	h := sum(b)
	return h[:]
}
