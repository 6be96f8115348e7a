package agent

import (
	"slices"
	"strings"
	"time"

	"github.com/memtrail/memtrail/versions"
)

// Phase is what a session is doing.
type Phase string

const (
	PhaseIdle        Phase = "idle"        // the person may prompt
	PhaseWaiting     Phase = "waiting"     // a request is sent, nothing came yet
	PhaseThinking    Phase = "thinking"    // the model is
	PhaseWriting     Phase = "writing"     // a text or a call's input is coming
	PhaseCalling     Phase = "calling"     // calls are being carried out
	PhaseRetrying    Phase = "retrying"    // until State.Retry.At
	PhaseCompacting  Phase = "compacting"  // a summary is being made
	PhaseEnded       Phase = "ended"       // the session is over
	PhaseInterrupted Phase = "interrupted" // its program ended before it
)

// State is a session as its events tell it, live or kept. The zero State is before
// the first of them. It is a value: Take changes it, a copy stays as it was.
type State struct {
	Session   versions.SessionID
	Actor     Actor
	Title     string // the first line of the first prompt
	Stores    []Attachment
	Simulated bool // the model is a script: what is said to be cleared is exact
	Began     time.Time
	Seen      time.Time // the last event

	Phase   Phase
	Turn    int
	Reason  string   // why the last run, or the session, ended
	Failure *Failure // of the last run, until the next
	Retry   Retry
	Queue   []string // prompts that wait
	Pending []PendingCall

	Settings Settings
	Model    string // of the last request
	Window   int64  // of the model, in tokens; 0: not known

	Prompt    int64 // tokens that the model saw last
	Reply     int64 // tokens that it answered with
	Estimated int64 // tokens of the prompt that is on its way; 0: none is
	Total     Usage // of all requests
	Requests  int

	Applied   []AppliedEdit // of the last answer: each says all that is cleared, so they are never summed
	Cleared   []string      // tool_uses whose results the model does not see now; ≈ unless Simulated
	Unthought []int         // turns whose thinking it does not see now; ≈ unless Simulated
	Compacted *Compacted    // the last one, or that is being made
	CanUndo   int           // compactions that can be undone, while the session is in memory

	Prompts, Calls, Errors, Changes, Compactions int

	last     int64      // Seq
	results  []answered // in the history that is sent, the oldest first
	thinking [][]int    // turns with thinking, by prompt
}

// Retry is a turn that failed and will be tried again.
type Retry struct {
	Attempt int
	At      time.Time
	Failure *Failure
}

// PendingCall is a call that is not answered yet.
type PendingCall struct {
	ToolUse string
	Tool    string
	Running bool
}

type answered struct{ id, tool string }

// Take adds an event.
func (s *State) Take(e Event) { _ = slices.Clone(s.results); _ = strings.TrimSpace }

// Trigger is the size of a prompt, in tokens, above which tool results are cleared;
// 0: they are not, or not by size.
func (s *State) Trigger() int64 { return 0 }

// Threshold is the size at which the conversation is compacted; 0: it is not.
func (s *State) Threshold() int64 { return 0 }

// Abandon says that no program runs the session any more: one that did not end was
// interrupted.
func (s *State) Abandon() {}
