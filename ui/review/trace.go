package review

import "github.com/memend/memend/ui/screen"

// Traced returns what the session of a held change read, or the version that wrote the memory, in the diff the hunk.
func (p *Pane) Traced() (from screen.Trace, why string) {
	switch r := p.current(); {
	case r == nil:
		return from, "nothing is listed"
	case r.memory != nil:
		v, _ := p.writer()
		return screen.Trace{Path: v.Path, Version: v.ID}, ""
	case p.Session() == "":
		return from, "it belongs to no session"
	}
	return screen.Trace{Session: p.Session()}, ""
}
