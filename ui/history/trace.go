package history

import "github.com/memend/memend/ui/screen"

// Traced returns the version or the session under the cursor, to be traced.
func (p *Pane) Traced() (from screen.Trace, why string) {
	if v, ok := p.list().version(); ok && v.ID != "" {
		return screen.Trace{Path: v.Path, Version: v.ID}, ""
	}
	if session := p.Session(); session != "" {
		return screen.Trace{Session: session}, ""
	}
	return from, p.versionDisabled()
}
