package memory

import "github.com/memend/memend/ui/request"

// Traced returns the line at the cursor, to be traced.
func (m *Pane) Traced() (from request.Trace, why string) {
	if why := m.versionDisabled(); why != "" {
		return from, why
	}
	return request.Trace{Path: m.doc.path, Version: m.head.ID, Line: m.cur.line + 1}, ""
}
