package core

import (
	"maps"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/tables"
)

// Pin writes a pin, in place of one at the same path.
func (x *Txn) Pin(store int64, by versions.Actor, p memfs.Path, whom versions.PinFor, ts int64) error {
	actor, err := x.Actor(by)
	if err != nil {
		return err
	}
	x.Exec(`INSERT OR REPLACE INTO pin(store,path,whom,actor,ts) VALUES(?,?,?,?,?)`, store, versions.Key(p), string(whom), actor, ts)
	return x.Err()
}

// refusePinned rejects a mutation of a memory that is pinned for its actor. A person who accepts a
// held change decides about a pin for agents too.
func (d *Mutation) refusePinned() error {
	touched := map[memfs.Path]bool{}
	for _, v := range d.Versions {
		touched[v.Path], touched[v.Origin] = true, true
	}
	for _, st := range d.Steps {
		touched[st.Path] = true
		if st.Op == memfs.OpRename {
			touched[st.To] = true
		}
	}
	delete(touched, memfs.Root)
	var pinned memfs.Path
	var whom versions.PinFor
	rows := d.Txn.Rows(`SELECT path,whom FROM pin WHERE store=?`, d.Txn.Store.Row)
	for range rows.Each(tables.PathTo(&pinned), &whom) {
		if whom == versions.PinAgents && (d.By.Person() || d.Accepts != nil) {
			continue
		}
		for _, p := range slices.SortedFunc(maps.Keys(touched), versions.ComparePaths) {
			if p.In(pinned) || pinned.In(p) && d.leaves(p) {
				return versions.PinnedError(p, versions.Pin{Path: pinned, For: whom})
			}
		}
	}
	return rows.Err()
}

// movePins lets pins follow what the mutation moves.
func (d *Mutation) movePins() {
	for _, st := range d.Steps {
		if st.Op != memfs.OpRename {
			continue
		}
		d.Txn.Exec(`UPDATE OR REPLACE pin SET path=?3||substr(path,length(?2)+1) WHERE store=?1 AND (path=?2 OR path>?2||'/' AND path<?2||'0')`,
			d.Txn.Store.Row, versions.Key(st.Path), versions.Key(st.To))
	}
}

// leaves reports whether the mutation removes or moves what is at a path.
func (d *Mutation) leaves(p memfs.Path) bool {
	for _, st := range d.Steps {
		if st.Path == p && st.Op != memfs.OpPut {
			return true
		}
	}
	return false
}
