package review

import "github.com/memend/memend/ui/request"

// Traced returns what the session of a held change read, or the version that was written.
func (p *Pane) Traced() (from request.Trace, why string) {
	switch r := p.current(); {
	case r == nil:
		return from, "nothing is listed"
	case r.act != nil:
		v := r.act.memories[min(p.memory, len(r.act.memories)-1)].last
		return request.Trace{Path: v.Path, Version: v.ID}, ""
	case p.Session() == "":
		return from, "it belongs to no session"
	}
	return request.Trace{Session: p.Session()}, ""
}
