package versions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
)

// PinFor says for whom a pinned memory is read-only.
type PinFor string

const (
	PinAgents PinFor = "agents" // everybody but persons at memend's own screens and commands
	PinAll    PinFor = "all"
)

// Pin makes a memory, or a folder with everything in it, read-only.
type Pin struct {
	Path memfs.Path
	For  PinFor
	By   Actor
	Time time.Time
}

func (p Pin) why() string { return fmt.Sprintf("%s is pinned for %s", p.Path.Tool(), p.For) }

// ErrNotPinned means that there is no pin at a path.
var ErrNotPinned = errors.New("not pinned")

// Pins lists the pins of the store by path.
func (s *Store) Pins(ctx context.Context) (out []Pin, err error) {
	var p Pin
	return db.All(s.t.db.Rows(ctx, `SELECT p.path,p.whom,a.kind,a.name,p.ts FROM pin p JOIN actor a ON a.id=p.actor WHERE p.store=? ORDER BY p.path`, s.id),
		&p, pathTo(&p.Path), &p.For, &p.By.Kind, &p.By.Name, timeTo(&p.Time))
}

// Pin makes a memory or folder read-only, whether something is at the path or not. A second pin at
// the same path replaces the first. Only a person may pin.
func (s *Store) Pin(ctx context.Context, by By, p memfs.Path, whom PinFor) error {
	if err := checkPin(p, whom); err != nil {
		return err
	}
	return s.asPerson(ctx, by, "pin "+p.Tool(), func(x *txn) error { return x.pin(s.id, by.Actor, p, whom, x.ts) })
}

func checkPin(p memfs.Path, whom PinFor) error {
	if whom != PinAgents && whom != PinAll {
		return fmt.Errorf("pin %s: %w: for %q; use agents or all", p.Tool(), ErrInvalid, string(whom))
	}
	return nil
}

func (x *txn) pin(store int64, by Actor, p memfs.Path, whom PinFor, ts int64) error {
	actor, err := x.actor(by)
	if err != nil {
		return err
	}
	return x.Exec(`INSERT OR REPLACE INTO pin(store,path,whom,actor,ts) VALUES(?,?,?,?,?)`, store, key(p), string(whom), actor, ts)
}

// Unpin removes the pin at a path.
func (s *Store) Unpin(ctx context.Context, by By, p memfs.Path) error {
	return s.asPerson(ctx, by, "unpin "+p.Tool(), func(x *txn) error {
		var path string
		if err := x.Row(`DELETE FROM pin WHERE store=? AND path=? RETURNING path`, s.id, key(p)).Scan(&path); err != nil {
			return notFound(err, ErrNotPinned, p.Tool())
		}
		return nil
	})
}

// refusePinned rejects a mutation of a memory that is pinned for its actor. A person who accepts a
// held change decides about a pin for agents too.
func (d *mutation) refusePinned() error {
	touched := map[memfs.Path]bool{}
	for _, v := range d.versions {
		touched[v.path], touched[v.origin] = true, true
	}
	for _, st := range d.steps {
		touched[st.path] = true
		if st.op == memfs.OpRename {
			touched[st.to] = true
		}
	}
	delete(touched, memfs.Root)
	var pinned memfs.Path
	var whom PinFor
	rows := d.x.Rows(`SELECT path,whom FROM pin WHERE store=?`, d.x.s.id)
	for range rows.Each(pathTo(&pinned), &whom) {
		if whom == PinAgents && (d.by.Person() || d.accepts != nil) {
			continue
		}
		for _, p := range slices.SortedFunc(maps.Keys(touched), comparePaths) {
			if p.In(pinned) || pinned.In(p) && d.leaves(p) {
				return &DeniedError{Path: p, Why: Pin{Path: pinned, For: whom}.why()}
			}
		}
	}
	return rows.Err()
}

// movePins lets pins follow what the mutation moves.
func (d *mutation) movePins() error {
	for _, st := range d.steps {
		if st.op != memfs.OpRename {
			continue
		}
		if err := d.x.Exec(`UPDATE OR REPLACE pin SET path=?3||substr(path,length(?2)+1) WHERE store=?1 AND (path=?2 OR path>?2||'/' AND path<?2||'0')`,
			d.x.s.id, key(st.path), key(st.to)); err != nil {
			return err
		}
	}
	return nil
}

// leaves reports whether the mutation removes or moves what is at a path.
func (d *mutation) leaves(p memfs.Path) bool {
	for _, st := range d.steps {
		if st.path == p && st.op != memfs.OpPut {
			return true
		}
	}
	return false
}
