package tree

import "github.com/memend/memend/ui/request"

// Traced returns the memory under the cursor, to be traced.
func (t *Pane) Traced() (from request.Trace, why string) {
	n := t.current()
	switch {
	case n == nil || !n.memory():
		return from, "no memory is selected"
	case n.entry.Memory == "":
		return from, "it has no version yet"
	}
	return request.Trace{Path: n.path(), Memory: n.entry.Memory}, ""
}
