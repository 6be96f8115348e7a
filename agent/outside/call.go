package outside

import (
	"time"

	"github.com/memend/memend/versions"
)

// Call is a call of a tool that an agent made elsewhere and that concerns a file.
type Call struct {
	Agent string
	// Subagent is the kind of agent that the session's own agent had make the call, as
	// its program calls it; "" for the session's own.
	Subagent string
	Session  string // "" where nothing tells it
	ToolUse  string
	Tool     string
	Command  string // of a tool that has several
	Op       versions.EvidenceOp
	// Path is where on this machine, absolute; where Memory says so it is a path as the
	// memory tool has it, and whose memories they are somebody else must know.
	Path, From string
	Memory     bool
	Began      time.Time // zero where it is not known
	Ended      time.Time // zero: it began, and its result is to come
	Failed     bool      // its result was an error, and nothing is known of what it did
	Text       string    // of an error

	// Before and After are the texts that the file held before the call and after it, with
	// "\n" at the ends of lines whatever the file has; nil where they are not known.
	Before, After *string
	Created       bool // there was no file before

	Shell     string // of CallRan: the line of shell that was run
	Directory string // in which; "" where it is not known

	input *input // of a call that has ended
}

// began is a call of which the result is not known yet.
type began struct {
	Call
	input input
}

// Who is the name of who made the call: claude-code, or claude-code/reviewer.
func (c Call) Who() string {
	if c.Subagent == "" || c.Agent == "" {
		return c.Agent
	}
	return c.Agent + "/" + c.Subagent
}

// maxOpen is how many calls may wait for their results; of more the oldest are given up.
const maxOpen = 4096

// opened are the calls that wait for their results, by the id of the tool use.
type opened struct {
	calls map[string]*began
	order []string
}

func (o *opened) put(b *began) {
	if o.calls == nil {
		o.calls = map[string]*began{}
	}
	if _, ok := o.calls[b.ToolUse]; ok { // pieces of it came before the whole
		b.Began = o.calls[b.ToolUse].Began
	} else {
		o.order = append(o.order, b.ToolUse)
	}
	o.calls[b.ToolUse] = b
	for len(o.calls) > maxOpen {
		delete(o.calls, o.order[0])
		o.order = o.order[1:]
	}
	if len(o.order) > 2*maxOpen { // most of them have ended
		left := o.order[:0]
		for _, id := range o.order {
			if o.calls[id] != nil {
				left = append(left, id)
			}
		}
		o.order = left
	}
}

func (o *opened) take(id string) *began {
	b := o.calls[id]
	delete(o.calls, id)
	return b
}
