package history

import "github.com/memend/memend/ui/request"

// Traced returns the version or the session under the cursor, to be traced.
func (p *Pane) Traced() (from request.Trace, why string) {
	if v, ok := p.selected(); ok && v.ID != "" {
		return request.Trace{Path: v.Path, Version: v.ID}, ""
	}
	if session := p.Session(); session != "" {
		return request.Trace{Session: session}, ""
	}
	return from, p.versionDisabled()
}
