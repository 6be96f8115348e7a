package versions

import (
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
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

// planned returns the memories whose final state differs from the folder, and the memories that must
// make way for them.
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
	var c *changeRow
	for _, m := range r.order[:len(r.order):len(r.order)] {
		if m.change == nil || !m.now.Live() {
			continue
		}
		others, err := r.inWay(m.now.Path)
		if err != nil {
			return nil, err
		}
		for _, h := range others {
			m, err := r.makeWay(&c, h)
			if err != nil {
				return nil, err
			}
			memories = append(memories, m)
		}
	}
	return memories, nil
}

// inWay returns the memories at a path, above it or below it that no arriving change concerns.
func (r *receiver) inWay(p memfs.Path) (out []head, err error) {
	paths, err := r.x.headsIn(p)
	if err != nil {
		return nil, err
	}
	for _, at := range append(paths, parents(p)...) {
		h, err := r.x.head(at)
		if err != nil {
			return nil, err
		}
		if h.live() && !r.moved(h.memory) {
			out = append(out, h)
		}
	}
	return out, nil
}

// makeWay deletes a memory that only another program made here; its text stays in the history, and is held for review. A
// memory that the service has can't conflict with another one if the service's answers are valid.
func (r *receiver) makeWay(c **changeRow, h head) (*planning.Memory, error) {
	var muid []byte
	if err := r.x.Row(`SELECT uid FROM memory WHERE id=?`, h.memory).Scan(&muid); err != nil {
		return nil, err
	}
	if !ids.Unsent(muid) {
		return nil, fmt.Errorf("%s: %w", h.path, errOnePath)
	}
	m := &received{row: h.memory}
	if err := r.load(m); err != nil {
		return nil, err
	}
	r.order = append(r.order, m)
	if *c == nil {
		var err error
		if *c, err = r.change(outside, request{kind: KindDelete, path: h.path}, r.s.t.now()); err != nil {
			return nil, err
		}
	}
	for !h.path.In((*c).path) {
		(*c).path = (*c).path.Dir()
	}
	if err := r.add(*c, &incoming{HostedVersion: HostedVersion{Operation: Deleted}, uid: ids.NewUnsent(), path: h.path}, m); err != nil {
		return nil, err
	}
	if err := r.holdConflict(m); err != nil {
		return nil, err
	}
	r.got.Overruled = append(r.got.Overruled, h.path)
	return &planning.Memory{Row: m.row, Now: m.start}, nil
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
