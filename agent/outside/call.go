package outside

import (
	"time"

	"github.com/memend/memend/versions"
)

// Call is a tool call that an agent of another program made and that concerns a file.
type Call struct {
	Agent string
	// Subagent is the type of the subagent that made the call, in its program's words; "" for
	// the session's main agent.
	Subagent string
	Session  string // "" if unknown
	ToolUse  string
	Tool     string
	Command  string              // of a tool with several commands
	Op       versions.EvidenceOp // "" if it affects no file of which evidence is needed
	// Takes are the kinds of what its result brings into the session. Looks is the file or folder
	// that it searches, as given.
	Takes versions.Inputs
	Looks string
	// Path is absolute on this machine. With Memory it is a path of the memory tool, and the
	// caller must know whose memories it refers to.
	Path, From string
	Memory     bool
	Began      time.Time // zero if unknown
	Ended      time.Time // zero: it began, and its result is still to come
	Failed     bool      // its result was an error, and its effect is unknown
	Text       string    // of an error

	// Before and After are the contents of the file before and after the call, with "\n" line
	// ends whatever the file has; nil if unknown.
	Before, After *string
	Created       bool // the file did not exist before

	Shell       string // of CallRan: the shell command line
	ShellFailed bool   // its exit code was not 0
	Directory   string // its working directory; "" if unknown

	input *input // of a call that has ended
}

// openCall is a call whose result has not arrived yet.
type openCall struct {
	Call
	input input
}

// Who returns the name of the caller: claude-code, or claude-code/reviewer for a subagent.
func (c Call) Who() string {
	if c.Subagent == "" || c.Agent == "" {
		return c.Agent
	}
	return c.Agent + "/" + c.Subagent
}

// maxOpen is the maximum number of calls that wait for results; beyond it the oldest are dropped.
const maxOpen = 4096

// openCalls holds the calls that wait for results, by the id of the tool use.
type openCalls struct {
	calls map[string]*openCall
	order []string
}

func (o *openCalls) put(b *openCall) {
	if o.calls == nil {
		o.calls = map[string]*openCall{}
	}
	if _, ok := o.calls[b.ToolUse]; ok { // it was streamed in pieces before
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
		left, seen := o.order[:0], map[string]bool{} // an id may be used again
		for _, id := range o.order {
			if o.calls[id] != nil && !seen[id] {
				left = append(left, id)
				seen[id] = true
			}
		}
		o.order = left
	}
}

func (o *openCalls) take(id string) *openCall {
	b := o.calls[id]
	delete(o.calls, id)
	return b
}
