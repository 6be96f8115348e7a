package tree

import (
	"strconv"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// trust is what waits for a person, and what is pinned.
type trust struct {
	held []memfs.Path // of the changes that wait
	pins []versions.Pin

	// Counts per node. A change to a memory that does not exist is counted at its nearest existing folder.
	at    map[memfs.Path]int
	below map[memfs.Path]int // of folders: at them and everything in them
}

// SetTrust sets the paths of the changes that wait for a person, and the pins.
func (t *Pane) SetTrust(held []memfs.Path, pins []versions.Pin) {
	t.trust.held, t.trust.pins = held, pins
	t.countHeld()
}

// countHeld counts again what waits, by node.
func (t *Pane) countHeld() {
	t.trust.at, t.trust.below = map[memfs.Path]int{}, map[memfs.Path]int{}
	if t.data == nil {
		return
	}
	for _, p := range t.trust.held {
		for !p.IsRoot() && t.data.node(p) == nil {
			p = p.Dir()
		}
		t.trust.at[p]++
		for ; !p.IsRoot(); p = p.Dir() {
			t.trust.below[p]++
		}
	}
}

// heldIn returns how many changes wait of a node; a folded folder counts those in it too.
func (t *Pane) heldIn(n *node) int {
	if n.folder() && !t.isOpen(n) {
		return t.trust.below[n.path()]
	}
	return t.trust.at[n.path()]
}

// Pin returns the pin that makes a path read-only: its own, or that of a folder above it.
func (t *Pane) Pin(p memfs.Path) (pin versions.Pin, ok bool) {
	for _, candidate := range t.trust.pins {
		if p.In(candidate.Path) && (!ok || candidate.For == versions.PinAll && pin.For != versions.PinAll || candidate.Path == p && candidate.For == pin.For) {
			pin, ok = candidate, true
		}
	}
	return pin, ok
}

// trustBadges appends the marks of what waits and of pins.
func (t *Pane) trustBadges(dst []badge, n *node, w int) []badge {
	if held := t.heldIn(n); held > 0 {
		dst = append(dst, badge{"?" + strconv.Itoa(min(held, 999)), t.env.Theme.Warn})
	}
	if len(t.trust.pins) == 0 {
		return dst
	}
	pin, ok := t.Pin(n.path())
	if !ok {
		return dst
	}
	sign, style := "pin", t.env.Theme.Marked
	if pin.For == versions.PinAll {
		sign = "pin all"
	}
	if pin.Path != n.path() || w < narrowForPins {
		sign = sign[:1]
		if pin.For == versions.PinAll {
			sign = "P"
		}
	}
	if pin.Path != n.path() {
		style = t.env.Theme.Dim
	}
	return append(dst, badge{sign, style})
}

// narrowForPins is the width below which a pin is one letter.
const narrowForPins = 28

// ToReview returns which of some memories are to be reviewed, deleted ones too.
func (t *Pane) ToReview(memories map[versions.MemoryID]bool) map[versions.MemoryID]bool {
	out := map[versions.MemoryID]bool{}
	if t.data == nil {
		return out
	}
	for i := range t.data.Entries {
		if e := &t.data.Entries[i]; memories[e.Memory] && t.facts.changed(e) {
			out[e.Memory] = true
		}
	}
	return out
}
