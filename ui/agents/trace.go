package agents

import "github.com/memend/memend/ui/request"

// Traced returns what the session under the cursor read, or the version that it wrote.
func (p *Pane) Traced() (from request.Trace, why string) {
	if a, ok := p.selected(); ok && a.Version != "" && p.part != inTalk {
		return request.Trace{Path: pathOf(a), Version: a.Version}, ""
	}
	if session := p.Session(); session != "" {
		return request.Trace{Session: session}, ""
	}
	return from, "no session of an agent is selected"
}
