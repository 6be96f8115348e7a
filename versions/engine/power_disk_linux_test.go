package engine_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// lazyDisk is a file system that writes nothing before it must: the content of a
// file is durable when the file is synced, a name when its folder is. What a loss
// of power leaves beside that is anybody's guess; state guesses.
//
// It is stricter than the systems in use, which keep names in the order in which
// they were made.
type lazyDisk struct {
	root    *node
	fds     map[int]*node   // nil: a file elsewhere
	at      map[*node]int64 // where the next write through a descriptor goes
	pending []nameOp        // not durable yet, oldest first
	ops     int             // made so far
}

// node is a file or a folder.
type node struct {
	names, kept map[string]*node // of a folder: as programs see it, and as the disk has it
	data, disk  []byte           // of a file, likewise
	writes      []diskWrite      // not durable yet
}

func (n *node) folder() bool { return n.names != nil }

// diskWrite is one write or, with cut, a change of the size to off.
type diskWrite struct {
	off  int64
	data []byte
	cut  bool
}

// nameOp is what one system call does to names: all of it or nothing.
type nameOp struct {
	number int
	edits  []nameEdit
	moved  *node // of a rename
}

type nameEdit struct {
	folder *node
	name   string
	to     *node // nil: the name goes
}

// needs reports whether op makes no sense without the earlier one.
func (op nameOp) needs(earlier nameOp) bool {
	for _, e := range op.edits {
		for _, f := range earlier.edits {
			if e.folder == f.folder && e.name == f.name || op.moved != nil && f.to == op.moved {
				return true
			}
		}
	}
	return false
}

// newLazyDisk takes up a folder as it is, all of it durable.
func newLazyDisk(t *testing.T, dir string) *lazyDisk {
	t.Helper()
	var load func(host string) *node
	load = func(host string) *node {
		entries, err := os.ReadDir(host)
		if err != nil {
			t.Fatal(err)
		}
		n := newFolder()
		for _, e := range entries {
			p := filepath.Join(host, e.Name())
			var child *node
			if e.IsDir() {
				child = load(p)
			} else {
				b, err := os.ReadFile(p)
				if err != nil {
					t.Fatal(err)
				}
				child = &node{data: slices.Clone(b), disk: b}
			}
			n.names[e.Name()], n.kept[e.Name()] = child, child
		}
		return n
	}
	return &lazyDisk{root: load(dir), fds: map[int]*node{}, at: map[*node]int64{}}
}

func newFolder() *node { return &node{names: map[string]*node{}, kept: map[string]*node{}} }

func (d *lazyDisk) do(op nameOp) {
	d.ops++
	op.number = d.ops
	apply(op, func(n *node) map[string]*node { return n.names })
	d.pending = append(d.pending, op)
}

func apply(op nameOp, names func(*node) map[string]*node) {
	for _, e := range op.edits {
		if e.to == nil {
			delete(names(e.folder), e.name)
		} else {
			names(e.folder)[e.name] = e.to
		}
	}
}

func (n *node) write(w diskWrite) {
	n.data = w.on(n.data)
	n.writes = append(n.writes, w)
}

func (w diskWrite) on(b []byte) []byte {
	end := w.off + int64(len(w.data))
	if grow := end - int64(len(b)); grow > 0 {
		b = append(b, make([]byte, grow)...)
	}
	copy(b[w.off:], w.data)
	if w.cut {
		b = b[:end]
	}
	return b
}

// syncPoint is what a sync that begins now will have made durable when it is done.
type syncPoint struct {
	n           *node
	ops, writes int
}

func (d *lazyDisk) beginSync(fd int) syncPoint {
	n := d.fds[fd]
	if n == nil {
		return syncPoint{}
	}
	return syncPoint{n: n, ops: d.ops, writes: len(n.writes)}
}

func (d *lazyDisk) endSync(p syncPoint) {
	if p.n == nil {
		return
	}
	if !p.n.folder() {
		done := min(p.writes, len(p.n.writes)) // another sync may have been quicker
		for _, w := range p.n.writes[:done] {
			p.n.disk = w.on(p.n.disk)
		}
		p.n.writes = slices.Clone(p.n.writes[done:])
		return
	}
	take := make([]bool, len(d.pending))
	for i := len(d.pending) - 1; i >= 0; i-- {
		op := d.pending[i]
		take[i] = take[i] || op.number <= p.ops && slices.ContainsFunc(op.edits, func(e nameEdit) bool { return e.folder == p.n })
		if !take[i] {
			continue
		}
		for j := range i {
			take[j] = take[j] || op.needs(d.pending[j])
		}
	}
	var left []nameOp
	for i, op := range d.pending {
		if take[i] {
			apply(op, func(n *node) map[string]*node { return n.kept })
		} else {
			left = append(left, op)
		}
	}
	d.pending = left
}

// cut is a guess at what a loss of power leaves.
type cut int

const (
	onlySynced    cut = iota
	everything        // as after the death of all processes
	someNames         // the first so many of the names, half of the writes
	emptyFiles        // all names, hardly a write
	anyNames          // any names that make sense together, half of the writes
	numberOfKinds = iota
)

func (c cut) String() string {
	return [...]string{"only what was synced", "everything", "the first names", "names without content", "any names"}[c]
}

// state writes out what a loss of power at this moment may leave.
func (d *lazyDisk) state(dir string, kind cut, r *rand.Rand) error {
	names := map[*node]map[string]*node{}
	of := func(n *node) map[string]*node {
		if names[n] == nil {
			names[n] = maps.Clone(n.kept)
		}
		return names[n]
	}
	for _, op := range d.choose(kind, r) {
		apply(op, of)
	}
	var out func(n *node, host string) error
	out = func(n *node, host string) error {
		if !n.folder() {
			return os.WriteFile(host, n.guess(kind, r), 0o600)
		}
		if err := os.MkdirAll(host, 0o700); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(of(n))) { // in order, so that a seed means one state
			if strings.HasSuffix(name, "-shm") {
				continue // memory of living processes
			}
			if err := out(of(n)[name], filepath.Join(host, name)); err != nil {
				return err
			}
		}
		return nil
	}
	return out(d.root, dir)
}

func (d *lazyDisk) choose(kind cut, r *rand.Rand) []nameOp {
	switch kind {
	case onlySynced:
		return nil
	case someNames:
		return d.pending[:r.IntN(len(d.pending)+1)]
	case anyNames:
		var in, out []nameOp
		for _, op := range d.pending {
			if r.IntN(2) == 0 || slices.ContainsFunc(out, op.needs) {
				out = append(out, op)
			} else {
				in = append(in, op)
			}
		}
		return in
	}
	return d.pending
}

func (n *node) guess(kind cut, r *rand.Rand) []byte {
	chance := 0.5
	switch kind {
	case onlySynced:
		return n.disk
	case everything:
		return n.data
	case emptyFiles:
		chance = 0.1
	}
	b := slices.Clone(n.disk)
	for _, w := range n.writes {
		if r.Float64() >= chance {
			continue
		}
		const sector = 512                          // what a disk writes as one
		if len(w.data) > sector && r.IntN(3) == 0 { // torn
			k := sector * r.IntN(len(w.data)/sector+1)
			if r.IntN(2) == 0 {
				w.data = w.data[:k]
			} else {
				w.off, w.data = w.off+int64(k), w.data[k:]
			}
		}
		b = w.on(b)
	}
	return b
}
