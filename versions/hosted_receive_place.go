package versions

import (
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/planning"
)

// finish moves the heads and builds the steps for the folder, as one mutation that ends with the
// newest change.
func (r *receiver) finish() (*mutation, error) {
	memories, err := r.planned()
	if err != nil {
		return nil, err
	}
	d := &mutation{x: r.x, c: r.changes[len(r.changes)-1]}
	if _, err := d.moveFiles(r.s.dir, memories); err != nil {
		return nil, err
	}
	if err := r.heads(); err != nil {
		return nil, err
	}
	d.c = r.changes[len(r.changes)-1]
	d.versions = r.versions
	for n, st := range d.steps {
		if err := r.x.intend(d.c.id, n, st); err != nil {
			return nil, err
		}
	}
	d.all = r.changes
	for _, c := range r.changes {
		if err := r.x.finish(c); err != nil {
			return nil, err
		}
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
	paths, err := r.x.headsIn(p)
	if err != nil {
		return p, false, err
	}
	for _, at := range append(paths, parents(p)...) {
		h, err := r.x.head(at)
		if err != nil {
			return p, false, err
		}
		if h.live() && !r.moved(h.memory) {
			return at, true, nil
		}
	}
	return p, false, nil
}

// heads makes the newest versions the heads of their memories.
func (r *receiver) heads() error {
	for _, m := range r.order { // remove all paths before adding any: memories may have swapped paths
		if m.change != nil {
			if err := r.x.dropHead(m.row); err != nil {
				return err
			}
		}
	}
	for _, m := range r.order {
		if m.change == nil || !m.now.Live() {
			continue
		}
		if err := r.x.insertSeen(m.version, memfs.Sig{}, 0, m.change); err != nil {
			return err
		}
	}
	return nil
}
