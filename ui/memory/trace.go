package memory

import "github.com/memend/memend/ui/request"

// Traced returns the line at the cursor, to be traced.
func (m *Pane) Traced() (from request.Trace, why string) {
	switch {
	case !m.shown():
		return from, "no memory is open"
	case m.head == nil:
		return from, "it has no version yet"
	}
	return request.Trace{Path: m.doc.path, Version: m.head.ID, Line: m.cur.line + 1}, ""
}
