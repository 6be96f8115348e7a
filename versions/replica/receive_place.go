package replica

import (
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/planning"
)

// finish moves the heads and builds the steps for the folder, as one mutation that ends with the
// newest change.
func (r *receiver) finish() (*core.Mutation, error) {
	memories, err := r.planned()
	if err != nil {
		return nil, err
	}
	d := &core.Mutation{Txn: r.x, Change: r.changes[len(r.changes)-1]}
	if _, err := d.MoveFiles(r.s.Dir, memories); err != nil {
		return nil, err
	}
	r.heads()
	d.Change = r.changes[len(r.changes)-1]
	d.Versions = r.versions
	for n, st := range d.Steps {
		r.x.Intend(d.Change.ID, n, st)
	}
	d.All = r.changes
	for _, c := range r.changes {
		r.x.Finish(c)
	}
	return d, nil
}

// planned returns the memories whose final state differs from the folder. If the service's answers are valid, no
// other memory is in their way.
func (r *receiver) planned() (memories []*planning.Memory, err error) {
	var ends memfs.Occupied[memfs.Path, received]
	for _, m := range r.order {
		if m.change == nil {
			continue
		}
		memories = append(memories, &planning.Memory{Row: m.row, Now: m.start, Want: m.now})
		if m.now.Live() {
			if other, blocked := ends.Blocker(m.now.Path, memfs.Root); blocked {
				return nil, fmt.Errorf("%s, %s: %w", m.now.Path, other, errOnePath)
			}
			ends.Put(m.now.Path, m)
		}
	}
	for _, m := range r.order {
		if m.change == nil || !m.now.Live() {
			continue
		}
		if other, blocked, err := r.inWay(m.now.Path); err != nil || blocked {
			return nil, errors.Join(err, fmt.Errorf("%s, %s: %w", m.now.Path, other, errOnePath))
		}
	}
	return memories, nil
}

// inWay returns a memory at a path, above it or below it that no arriving change concerns, if there is one.
func (r *receiver) inWay(p memfs.Path) (at memfs.Path, is bool, err error) {
	paths, err := r.x.HeadsIn(p)
	if err != nil {
		return p, false, err
	}
	for _, at := range append(paths, core.Parents(p)...) {
		h, err := r.x.Head(at)
		if err != nil {
			return p, false, err
		}
		if h.Live() && !r.moved(h.Memory) {
			return at, true, nil
		}
	}
	return p, false, nil
}

// heads makes the newest versions the heads of their memories.
func (r *receiver) heads() {
	for _, m := range r.order { // remove all paths before adding any: memories may have swapped paths
		if m.change != nil {
			r.x.DropHead(m.row)
		}
	}
	for _, m := range r.order {
		if m.change == nil || !m.now.Live() {
			continue
		}
		r.x.InsertSeen(m.version, memfs.Sig{}, 0, m.change)
	}
}
