package review

import (
	"slices"
	"strings"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/guard"
)

// Risk is why a memory is where it is in the queue: the greatest comes first.
type Risk uint8

const (
	Plain       Risk = iota
	Gone             // somebody deleted a memory
	OverPin          // what a person had pinned was changed
	Contradicts      // what was added says otherwise than what a person pinned
	Finding          // the guard finds something in what was added
	FromAway         // the session had taken in something from outside before
)

// Reason is why a memory is where it is in the queue.
type Reason struct {
	Risk   Risk
	Why    string // the risk, in few words
	Pinned string // the pinned line that it contradicts, after its path
}

// added is what the guard found, in two words.
var added = map[guard.Kind]string{
	guard.Secret: "a secret", guard.Hidden: "hidden text", guard.Link: "a link",
	guard.Instruction: "an instruction", guard.Size: "excess text", guard.Damage: "damaged text",
}

// riskOf returns the risk of what is to be decided of a memory, and of the versions that wrote it.
func (pd *Pinned) riskOf(p *Pending, by []versions.Version) Reason {
	if in := (&Written{Made: by}).Inputs(); in != 0 {
		return Reason{Risk: FromAway, Why: "after " + strings.Join(in.Kinds(), ", ")}
	}
	if p.Now.Exists {
		if found := guard.Added(p.Now.Path.String(), p.Was.Text, p.Now.Text); len(found) > 0 {
			return Reason{Risk: Finding, Why: "adds " + added[found[0].Kind]}
		}
	}
	if line := pd.contradicted(p); line != "" {
		return Reason{Risk: Contradicts, Why: "contradicts a pin", Pinned: line}
	}
	for _, pin := range pd.pins {
		if !slices.ContainsFunc(by, func(v versions.Version) bool { return v.Time.After(pin.Time) }) {
			continue
		}
		if p.Now.Exists && p.Now.Path.In(pin.Path) || p.Was.Exists && p.Was.Path.In(pin.Path) {
			return Reason{Risk: OverPin, Why: "is pinned"}
		}
	}
	if p.Was.Exists && !p.Now.Exists {
		return Reason{Risk: Gone, Why: "deletes a memory"}
	}
	return Reason{}
}
