package tree

import (
	"strconv"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/versions"
)

// From minForKind columns a tree shows which files are not text, from minForHidden how many
// hidden characters there are, and from minForPins pins by a word.
const (
	minForKind   = 20
	minForHidden = 12
	minForPins   = 28
)

// badge is a sign after a name.
type badge struct {
	sign  string
	style theme.Style
}

// badges appends the badges of a row of w columns, the most important first. A folded folder has those
// of its content.
func (d *drawing) badges(dst []badge, n *node, w int) []badge {
	folded := n.folder() && !d.in.isOpen(n)
	hidden := 0 // an unfolded folder has none: they are shown on the memory itself
	switch {
	case w < minForHidden:
	case n.entry != nil:
		hidden = n.entry.Hidden
	case folded:
		hidden = n.hidden
	}
	if hidden > 0 {
		dst = append(dst, badge{"!" + strconv.Itoa(min(hidden, 999)), d.theme.Badge})
	}
	if n.entry != nil && d.known.unsaved.of(n.entry) || folded && d.known.unsaved.below(n.path()) {
		dst = append(dst, badge{"*", d.theme.Warn})
	}
	if held := d.trust.heldAt(n); held > 0 {
		dst = append(dst, badge{"?" + strconv.Itoa(min(held, 999)), d.theme.Warn})
	}
	if pin, ok := d.trust.Pin(n.path()); ok {
		dst = append(dst, d.pin(pin, pin.Path == n.path(), w))
	}
	if n.folder() {
		return dst
	}
	if sign, st := d.state(n, 0); sign != "" && !d.table().Shows("state", w) {
		dst = append(dst, badge{sign, st})
	}
	if n.isNoText() && w >= minForKind && !d.table().Shows("size", w) {
		dst = append(dst, badge{sizeLabel(n), d.theme.Dim})
	}
	return dst
}

// pin returns the mark of a pin: its own, or that of a folder above.
func (d *drawing) pin(pin versions.Pin, own bool, w int) badge {
	sign, style := "pin", d.theme.Marked
	if pin.For == versions.PinAll {
		sign = "pin all"
	}
	if !own || w < minForPins {
		sign = sign[:1]
		if pin.For == versions.PinAll {
			sign = "P"
		}
	}
	if !own {
		style = d.theme.Dim
	}
	return badge{sign, style}
}
