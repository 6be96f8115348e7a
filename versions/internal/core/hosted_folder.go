package core

import (
	"context"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/planning"
)

// A service decides what is in a hosted store. So what other programs change in the folder of its
// replica is not adopted: it is held for review as a change by its author, and the file gets back
// what the service has. A person who accepts the change sends it to the service.
//
// First the change is held durably, then the file is put back. If a process dies in between, the next
// scan finds the file again, and sees that its change waits already.

// folderRule is the rule of held changes that other programs made in the folder of a replica.
const folderRule = "changed in the folder of a hosted store"

// foreign is a file that another program left in another state than the service.
type foreign struct {
	path     memfs.Path
	is, want versions.Hash // of the contents; zero: no file
}

// setAside holds what another program made of the file of h: content, or nil if it removed the file.
// All that one writer did is one held change, which the commit writes.
func (x *Txn) setAside(h tables.Head, content []byte, g memfs.Sig) error {
	if slices.ContainsFunc(x.Foreign, func(f foreign) bool { return f.path == h.Path }) {
		return nil
	}
	f := foreign{path: h.Path, want: h.SHA}
	v := VersionRow{Memory: h.Memory, Op: versions.Modified, Path: h.Path, seen: h.Seen}
	it := tables.StoredItem{Path: h.Path, Gone: content == nil, Text: content}
	kind := versions.KindEdit
	if content != nil {
		f.is = versions.Sum(content)
		v.Facts = tables.FactsOf(content, f.is)
	}
	switch {
	case content == nil:
		v.Op, kind = versions.Deleted, versions.KindDelete
	case !h.Live():
		v.Op, kind, it.Memory = versions.Created, versions.KindCreate, ids.New()
	}
	if h.Live() {
		base, err := x.baseOf(h)
		if err != nil {
			return err
		}
		it.Base = planning.State{Row: base}
		if err := x.Row(`SELECT uid FROM memory WHERE id=?`, h.Memory).Scan(&it.Memory); err != nil {
			return err
		}
	}
	x.Foreign, x.seen = append(x.Foreign, f), append(x.seen, h.Path)
	var waits bool
	if err := x.Row(`SELECT EXISTS(SELECT 1 FROM held h JOIN held_item i ON i.held=h.id WHERE h.store=?1 AND h.state='waiting' AND h.rule=?2
		AND (i.path=?3 AND i.text=?4 OR ?4 IS NULL AND i.path IS NULL AND i.memory=?5))`,
		x.Store.Row, folderRule, versions.Key(h.Path), content, it.Memory).Scan(&waits); err != nil || waits {
		return err
	}
	by, _, err := x.writerOf(v.written(g, x.Wall))
	if err != nil {
		return err
	}
	by.Door = versions.DoorOutside
	for _, held := range x.aside {
		if held.By == by {
			if held.Stored = append(held.Stored, it); len(held.Stored) > 1 {
				held.Asked.Kind = versions.KindEdit
			}
			for !h.Path.In(held.Asked.Path) {
				held.Asked.Path = held.Asked.Path.Dir()
			}
			return nil
		}
	}
	x.aside = append(x.aside, &HeldBack{By: by, Asked: Request{Kind: kind, Path: h.Path}, Rule: folderRule, Stored: []tables.StoredItem{it}})
	return nil
}

// baseOf returns the version that another program had read when it wrote the file of h: the newest, or the
// one of before if a process died before it had brought the file up to date.
func (x *Txn) baseOf(h tables.Head) (version int64, err error) {
	old, stale := x.stale[h.Path]
	if !stale {
		return h.Version, nil
	}
	err = x.Row(`SELECT coalesce((SELECT max(v.id) FROM version v JOIN blob b ON b.id=v.blob WHERE v.memory=?1 AND b.sha=?2),?3)`, h.Memory, old[:], h.Version).Scan(&version)
	return version, err
}

// holdAside writes the held changes of the transaction.
func (x *Txn) holdAside() error {
	for _, h := range x.aside {
		if _, err := x.addHeld(h); err != nil {
			return err
		}
	}
	return nil
}

// putBack gives the files what the service has. A file that changed again or can't be written stays: the
// next scan finds it. The caller holds the lock.
func (s *Store) putBack(fs []foreign) {
	ctx := context.Background()
	var steps []Step
	for _, f := range fs {
		if f.want != (versions.Hash{}) {
			continue
		}
		steps = append(steps, Step{Op: memfs.OpRemove, Path: f.path, Old: f.is})
		for p := f.path.Dir(); !p.IsRoot(); p = p.Dir() {
			steps = append(steps, Step{Op: memfs.OpRemove, Path: p, IfEmpty: true})
		}
	}
	for _, f := range fs {
		if f.want != (versions.Hash{}) {
			steps = append(steps, Step{Op: memfs.OpPut, Path: f.path, Old: f.is, New: f.want})
		}
	}
	for i := range steps {
		_, _ = s.applyStep(ctx, &steps[i])
	}
}
