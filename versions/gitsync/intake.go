package gitsync

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
)

// TakeIn makes a change that was made elsewhere, on top of other texts than the store's. What changed here since is
// merged with it. It is decided about as any change of its author, and held if it conflicts or is denied: then the error
// is a *HeldError. The zero Change means that the store had all of it.
func TakeIn(ctx context.Context, s *core.Store, in versions.Incoming) (versions.Change, error) {
	c, err := core.Mutate(ctx, s, in.By, func(d *core.Mutation) error { return takeIn(d, &in) })
	if err == nil && c.Number == 0 {
		err = SetShared(ctx, s, in.Commit)
	}
	return c, err
}

// MayTakeIn returns an error if somebody may not take in changes in the names of others.
func MayTakeIn(ctx context.Context, s *core.Store, by versions.By) error {
	return core.MayAdministerStore(ctx, s.Trail, by, s.Opened.ID, "import")
}

// SetShared records that a change that is on the branch changed nothing here.
func SetShared(ctx context.Context, s *core.Store, id string) error {
	return core.Locked(ctx, s, func(x *core.Txn) error {
		x.Share(id, 0, 0)
		return x.Err()
	})
}

func takeIn(d *core.Mutation, in *versions.Incoming) error {
	if err := exchange.CheckWords(&versions.Record{Kind: versions.KindEdit, By: in.By, Message: in.Message, Email: in.Email, Time: in.Time}); err != nil {
		return err
	}
	var items []tables.StoredItem
	for _, f := range in.Files {
		it, err := incoming(d, f)
		if err != nil {
			return err
		}
		items = append(items, it)
	}
	asked := asked(in)
	d.Arrives = &core.HeldBack{By: in.By, Asked: asked, Stored: items, Shared: idsOf(in)}
	d.Asked = asked
	if in.Hold != "" {
		return &core.HeldBack{Rule: in.Hold}
	}
	err := plan.Fulfil(d, plan.Takeover{Asked: asked, Items: items}, nil, nil)
	if errors.Is(err, versions.ErrNothing) {
		return nil
	}
	if err != nil {
		return err
	}
	d.Txn.ShareAll(idsOf(in), d.Change.Number, 0)
	return d.Txn.Err()
}

// idsOf are the names under which the change is known.
func idsOf(in *versions.Incoming) []string { return []string{in.ID, in.Commit} }

// asked returns the request that the change amounts to.
func asked(in *versions.Incoming) core.Request {
	a := core.Request{Kind: versions.KindEdit, Path: in.Path(), Message: in.Message, Email: in.Email, At: in.Time}
	if len(in.Files) == 1 {
		switch f := in.Files[0]; {
		case f.After == nil:
			a.Kind = versions.KindDelete
		case !f.From.IsRoot():
			a.Kind, a.Path, a.To = versions.KindRename, f.From, f.Path
		case f.Before == nil:
			a.Kind = versions.KindCreate
		}
	}
	return a
}

// incoming returns what a change from elsewhere does to a memory of this store.
func incoming(d *core.Mutation, f versions.IncomingFile) (it tables.StoredItem, err error) {
	if f.Path.RunsWhenOpened() {
		return it, fmt.Errorf("%s: %w", f.Path.Tool(), memfs.ErrControlFile)
	}
	it = tables.StoredItem{Path: f.Path, Gone: f.After == nil, Text: f.After}
	before := f.Path
	if !f.From.IsRoot() {
		before = f.From
	}
	if f.Before != nil {
		it.Base = planning.WithText(before, f.Before)
	}
	var row int64
	for _, at := range []memfs.Path{before, f.Path} { // it may have been renamed alike here
		err = d.Txn.Row(`SELECT m.id,m.uid FROM head h JOIN memory m ON m.id=h.memory WHERE h.store=? AND h.path=?`, d.Txn.Store.Row, versions.Key(at)).Scan(&row, &it.Memory)
		if !errors.Is(err, sql.ErrNoRows) {
			break
		}
	}
	if errors.Is(err, sql.ErrNoRows) && f.Before != nil { // renamed or deleted here
		err = d.Txn.Row(`SELECT m.id,m.uid FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=? AND v.path=? AND v.blob=(SELECT id FROM blob WHERE sha=?)
			ORDER BY v.id DESC LIMIT 1`, d.Txn.Store.Row, versions.Key(before), sumOf(f.Before)).Scan(&row, &it.Memory)
	}
	if err := tables.IgnoreNoRows(err); err != nil {
		return it, err
	}
	switch {
	case it.Memory == nil:
		it.Memory = core.FreshUID(d.Txn.Store)
		it.Base = planning.State{} // what it was changed from was never here
	case f.Before != nil:
		var base planning.State
		err := d.Txn.Row(`SELECT `+tables.StateColumns+` FROM version v LEFT JOIN blob b ON b.id=v.blob WHERE v.memory=? AND v.path=? AND b.sha=? ORDER BY v.id DESC LIMIT 1`,
			row, versions.Key(before), sumOf(f.Before)).Scan(tables.StateTo(&base)...)
		if err == nil {
			it.Base = base
		}
		return it, tables.IgnoreNoRows(err)
	default:
		it.Base = planning.WithText(f.Path, []byte{}) // both sides began with nothing
	}
	return it, nil
}

func sumOf(b []byte) []byte {
	h := versions.Sum(b)
	return h[:]
}
