package tree

import "github.com/memend/memend/ui/screen"

// Traced returns the memory under the cursor, to be traced.
func (t *Pane) Traced() (from screen.Trace, why string) {
	n := t.current()
	switch {
	case n == nil || !n.memory():
		return from, "no memory is selected"
	case n.entry.Memory == "":
		return from, "it has no version yet"
	}
	return screen.Trace{Path: n.path(), Memory: n.entry.Memory}, ""
}
