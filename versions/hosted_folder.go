package versions

import (
	"context"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
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
	is, want Hash // of the contents; zero: no file
}

// setAside holds what another program made of the file of h: content, or nil if it removed the file.
// All that one writer did is one held change, which the commit writes.
func (x *txn) setAside(h head, content []byte, g memfs.Sig) error {
	if slices.ContainsFunc(x.foreign, func(f foreign) bool { return f.path == h.path }) {
		return nil
	}
	f := foreign{path: h.path, want: h.sha}
	v := versionRow{memory: h.memory, op: Modified, path: h.path, seen: h.seen}
	it := storedItem{path: h.path, gone: content == nil, text: content}
	kind := KindEdit
	if content != nil {
		f.is = sum(content)
		v.facts = factsOf(content, f.is)
	}
	switch {
	case content == nil:
		v.op, kind = Deleted, KindDelete
	case !h.live():
		v.op, kind, it.memory = Created, KindCreate, ids.New()
	}
	if h.live() {
		base, err := x.baseOf(h)
		if err != nil {
			return err
		}
		it.base = planning.State{Row: base}
		if err := x.Row(`SELECT uid FROM memory WHERE id=?`, h.memory).Scan(&it.memory); err != nil {
			return err
		}
	}
	x.foreign, x.seen = append(x.foreign, f), append(x.seen, h.path)
	var waits bool
	if err := x.Row(`SELECT EXISTS(SELECT 1 FROM held h JOIN held_item i ON i.held=h.id WHERE h.store=?1 AND h.state='waiting' AND h.rule=?2
		AND (i.path=?3 AND i.text=?4 OR ?4 IS NULL AND i.path IS NULL AND i.memory=?5))`,
		x.s.id, folderRule, key(h.path), content, it.memory).Scan(&waits); err != nil || waits {
		return err
	}
	by, _, err := x.writerOf(&v, writtenAt(&v, g, x.wall))
	if err != nil {
		return err
	}
	by.Door = DoorOutside
	for _, held := range x.aside {
		if held.by == by {
			if held.stored = append(held.stored, it); len(held.stored) > 1 {
				held.asked.kind = KindEdit
			}
			for !h.path.In(held.asked.path) {
				held.asked.path = held.asked.path.Dir()
			}
			return nil
		}
	}
	x.aside = append(x.aside, &heldBack{by: by, asked: request{kind: kind, path: h.path}, rule: folderRule, stored: []storedItem{it}})
	return nil
}

// baseOf returns the version that another program had read when it wrote the file of h: the newest, or the
// one of before if a process died before it had brought the file up to date.
func (x *txn) baseOf(h head) (version int64, err error) {
	old, stale := x.stale[h.path]
	if !stale {
		return h.version, nil
	}
	err = x.Row(`SELECT coalesce((SELECT max(v.id) FROM version v JOIN blob b ON b.id=v.blob WHERE v.memory=?1 AND b.sha=?2),?3)`, h.memory, old[:], h.version).Scan(&version)
	return version, err
}

// holdAside writes the held changes of the transaction.
func (x *txn) holdAside() error {
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
	var steps []step
	for _, f := range fs {
		if f.want != (Hash{}) {
			continue
		}
		steps = append(steps, step{op: memfs.OpRemove, path: f.path, old: f.is})
		for p := f.path.Dir(); !p.IsRoot(); p = p.Dir() {
			steps = append(steps, step{op: memfs.OpRemove, path: p, ifEmpty: true})
		}
	}
	for _, f := range fs {
		if f.want != (Hash{}) {
			steps = append(steps, step{op: memfs.OpPut, path: f.path, old: f.is, new: f.want})
		}
	}
	for i := range steps {
		_, _ = s.applyStep(ctx, &steps[i])
	}
}
