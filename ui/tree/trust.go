package tree

import (
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// Trust is what waits for a person, and what is pinned.
type Trust struct {
	in   *outline
	held []memfs.Path // of the changes that wait
	pins []versions.Pin

	// Counts per node. A change to a memory that does not exist is counted at its nearest existing folder.
	at    map[memfs.Path]int
	below map[memfs.Path]int // of folders: at them and everything in them
}

// Set sets the paths of the changes that wait for a person, and the pins.
func (t *Trust) Set(held []memfs.Path, pins []versions.Pin) {
	t.held, t.pins = held, pins
	t.count()
}

// count counts what waits by node, once for each reading.
func (t *Trust) count() {
	t.at, t.below = map[memfs.Path]int{}, map[memfs.Path]int{}
	if t.in.data == nil {
		return
	}
	for _, p := range t.held {
		for !p.IsRoot() && t.in.data.node(p) == nil {
			p = p.Dir()
		}
		t.at[p]++
		for ; !p.IsRoot(); p = p.Dir() {
			t.below[p]++
		}
	}
}

// heldAt returns how many changes wait of a node; a folded folder counts those in it too.
func (t *Trust) heldAt(n *node) int {
	if n.folder() && !t.in.isOpen(n) {
		return t.below[n.path()]
	}
	return t.at[n.path()]
}

// Pin returns the pin that makes a path read-only: its own, or that of a folder above it.
func (t *Trust) Pin(p memfs.Path) (pin versions.Pin, ok bool) {
	for _, candidate := range t.pins {
		if p.In(candidate.Path) && (!ok || candidate.For == versions.PinAll && pin.For != versions.PinAll || candidate.Path == p && candidate.For == pin.For) {
			pin, ok = candidate, true
		}
	}
	return pin, ok
}
