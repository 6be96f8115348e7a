package review

import (
	"strings"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/guard"
)

// Risk is why a memory is where it is in the queue: the greatest comes first.
type Risk uint8

const (
	Plain    Risk = iota
	Gone          // somebody deleted a memory
	OverPin       // what a person pinned was changed
	Finding       // the guard finds something in what was added
	FromAway      // the session had taken in something from outside before
)

// RiskOf returns the risk of what is to be decided of a memory, whose newest version by somebody else is last, and why in few
// words.
func RiskOf(p *Pending, last versions.Version, pins []versions.Pin) (Risk, string) {
	if last.Inputs != 0 {
		return FromAway, "after " + strings.Join(last.Inputs.Kinds(), ", ")
	}
	if p.Now.Exists {
		if found := guard.Added(p.Now.Path.String(), p.Was.Text, p.Now.Text); len(found) > 0 {
			return Finding, "adds " + string(found[0].Kind)
		}
	}
	for _, pin := range pins {
		if p.Now.Exists && p.Now.Path.In(pin.Path) || p.Was.Exists && p.Was.Path.In(pin.Path) {
			return OverPin, "is pinned"
		}
	}
	if p.Was.Exists && !p.Now.Exists {
		return Gone, "" // as the memory says itself
	}
	return Plain, ""
}
