package memory

import "github.com/memend/memend/ui/screen"

// Traced returns the line at the cursor, to be traced.
func (m *Pane) Traced() (from screen.Trace, why string) {
	if why := m.versionDisabled(); why != "" {
		return from, why
	}
	return screen.Trace{Path: m.text.doc.path, Version: m.head.ID, Line: m.text.cur.line + 1}, ""
}
