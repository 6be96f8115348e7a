package agents

import "github.com/memend/memend/ui/screen"

// Traced returns what the session under the cursor read, or the version that it wrote.
func (p *Pane) Traced() (from screen.Trace, why string) {
	if a, ok := p.selected(); ok && a.Version != "" && p.talk() == nil {
		return screen.Trace{Path: pathOf(a), Version: a.Version}, ""
	}
	if session := p.Session(); session != "" {
		return screen.Trace{Session: session}, ""
	}
	return from, "no session of an agent is selected"
}
