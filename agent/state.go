package agent

import (
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/versions"
)

// Phase is what a session is doing.
type Phase string

const (
	PhaseIdle        Phase = "idle"        // the person may prompt
	PhaseWaiting     Phase = "waiting"     // a request is sent, nothing has arrived yet
	PhaseThinking    Phase = "thinking"    // the model is thinking
	PhaseWriting     Phase = "writing"     // a text or a call's input is coming
	PhaseCalling     Phase = "calling"     // calls are running
	PhaseRetrying    Phase = "retrying"    // until State.Retry.At
	PhaseCompacting  Phase = "compacting"  // a summary is being made
	PhaseEnded       Phase = "ended"       // the session has ended
	PhaseInterrupted Phase = "interrupted" // its program ended before the session did
)

// State is the state of a session, derived from its events, live or stored. The zero State is
// the one before the first event.
type State struct {
	Session   versions.SessionID
	Actor     versions.Actor
	Title     string // the first line of the first prompt
	Stores    []Attachment
	Simulated bool // the model is a script: the figures about clearing are exact
	Began     time.Time
	Seen      time.Time // the last event

	Phase   Phase
	Turn    int
	Reason  string   // why the last run, or the session, ended
	Failure *Failure // of the last run, until the next

	Explained string // the API's explanation of the last stop reason

	Retry   Retry
	Queue   []string      // prompts that wait
	Pending []PendingCall // in the order of the answer

	Settings Settings
	Model    string // of the last request
	Window   int64  // of the model, in tokens; 0: unknown

	Prompt    int64 // tokens that the model saw last; after a compaction, an estimate of what it will see
	Reply     int64 // tokens of its answer
	Estimated int64 // tokens of the prompt in progress; 0: none
	Total     Usage // of all requests
	Requests  int   // number of completed requests

	Applied         []AppliedEdit // of the last answer: each lists all that is cleared, so they are never summed
	Cleared         []string      // tool_uses whose results the model does not see now; ≈ unless Simulated
	ClearedThinking []int         // turns whose thinking it does not see now; ≈ unless Simulated
	Compacted       *Compacted    // the last or current compaction

	Prompts, Calls, Errors, Changes, Compactions int

	last    int64 // Seq
	running bool  // a run is in progress
	sent    clearable
}

// clearable lists the parts of the history that may be cleared, the oldest first.
type clearable struct {
	results  []answered
	thinking [][]int // turns with thinking, by prompt
}

// Retry is a failed turn that will be retried.
type Retry struct {
	Attempt int
	At      time.Time
	Failure *Failure
}

// PendingCall is a call without a result.
type PendingCall struct {
	ToolUse string
	Tool    string
	Running bool
}

// answered is a result in the history.
type answered struct{ id, tool string }

// Take applies an event. Live events change the phase; everything else comes from stored ones.
// It ignores an event that was already applied, so what was read and what is watched may
// overlap.
func (s *State) Take(e Event) {
	if !e.IsLive() && e.Seq > 0 {
		if e.Seq <= s.last {
			return
		}
		s.last = e.Seq
	}
	if e.Session != "" {
		s.Session, s.Actor = e.Session, e.Actor
	}
	if s.Began.IsZero() {
		s.Began = e.Time
	}
	s.Seen = e.Time
	switch e.Kind {
	case Started, Resumed, Configured:
		s.takeSettings(e)
	case Queued, Prompted, Idle, Ended:
		s.takeRun(e)
	case Sent, BlockBegan, Added, BlockEnded, Replied, Retrying, Broken:
		s.takeTurn(e)
	case Calling, Answered:
		s.takeCall(e)
	case Compacting, CompactedNow:
		s.takeCompaction(e)
	}
}

func (s *State) takeSettings(e Event) {
	if e.Settings != nil {
		s.Settings, s.Model = *e.Settings, e.Settings.Model
	}
	if e.Kind == Configured {
		return
	}
	s.Stores, s.Simulated = e.Stores, e.Simulated
	if !s.running { // else it is interrupted next
		s.Phase = PhaseIdle
	}
}

func (s *State) takeRun(e Event) {
	switch e.Kind {
	case Queued:
		s.Queue = append(s.Queue, e.Text)
	case Prompted:
		if i := slices.Index(s.Queue, e.Text); i >= 0 {
			s.Queue = slices.Delete(slices.Clone(s.Queue), i, i+1)
		}
		if s.Prompts++; s.Prompts == 1 {
			first, _, _ := strings.Cut(strings.TrimSpace(e.Text), "\n")
			s.Title = strings.TrimSpace(first)
		}
		s.Phase, s.running, s.Reason, s.Failure = PhaseWaiting, true, "", nil
		s.sent.thinking = append(slices.Clip(s.sent.thinking), nil)
	case Idle:
		s.Phase, s.running, s.Reason = PhaseIdle, false, e.Reason
	case Ended:
		s.Phase, s.running, s.Reason, s.Queue = PhaseEnded, false, e.Reason, nil
	}
}

func (s *State) takeTurn(e Event) {
	switch e.Kind {
	case Sent:
		s.Turn, s.Model, s.Estimated = e.Turn, e.Model, e.Tokens
		if e.Window > 0 {
			s.Window = e.Window
		}
		s.Phase, s.Pending, s.Retry = PhaseWaiting, nil, Retry{}
	case BlockBegan:
		s.Phase, s.Retry = PhaseWriting, Retry{}
		if e.Type == TypeThinking || e.Type == TypeRedactedThinking {
			s.Phase = PhaseThinking
		}
	case BlockEnded:
		s.takeBlock(e)
	case Replied:
		s.Estimated, s.Retry = 0, Retry{}
		s.spend(e.Usage)
		if e.Usage != nil {
			s.Prompt, s.Reply = e.Usage.Prompt(), e.Usage.Output
		}
		s.Applied, s.Explained = e.Applied, e.Explained
		s.derive()
		s.Phase = PhaseWaiting
		if len(s.Pending) > 0 {
			s.Phase = PhaseCalling
		}
	case Retrying:
		s.Phase, s.Pending = PhaseRetrying, nil
		s.Retry = Retry{e.Attempt, e.Time.Add(time.Duration(e.Wait)), e.Failure}
	case Broken:
		s.Failure, s.Estimated, s.Retry = e.Failure, 0, Retry{}
		s.Phase = PhaseWaiting
	}
}

func (s *State) takeBlock(e Event) {
	switch e.Type {
	case TypeToolUse:
		s.Pending = append(slices.Clip(s.Pending), PendingCall{ToolUse: e.ToolUse, Tool: e.Tool})
	case TypeThinking, TypeRedactedThinking:
		groups := slices.Clone(s.sent.thinking)
		if len(groups) == 0 {
			groups = append(groups, nil)
		}
		if turns := &groups[len(groups)-1]; !slices.Contains(*turns, e.Turn) {
			*turns = append(slices.Clip(*turns), e.Turn)
		}
		s.sent.thinking = groups
	}
}

func (s *State) takeCall(e Event) {
	if e.Kind == Calling {
		s.Phase = PhaseCalling
		s.Pending = slices.Clone(s.Pending)
		for i := range s.Pending {
			s.Pending[i].Running = s.Pending[i].ToolUse == e.ToolUse
		}
		return
	}
	s.Pending = slices.DeleteFunc(slices.Clone(s.Pending), func(c PendingCall) bool { return c.ToolUse == e.ToolUse })
	s.sent.results = append(s.sent.results, answered{e.ToolUse, e.Tool})
	if !e.IsError || e.Text != cancelled { // it was run
		s.Calls++
	}
	if e.IsError {
		s.Errors++
	}
	if e.Change > 0 {
		s.Changes++
	}
	if len(s.Pending) == 0 && s.running {
		s.Phase = PhaseWaiting
	}
}

func (s *State) takeCompaction(e Event) {
	s.Phase = PhaseIdle
	if s.running {
		s.Phase = PhaseWaiting
	}
	switch e.Kind {
	case Compacting:
		s.Phase, s.Compacted = PhaseCompacting, e.Compacted
		if e.Compacted != nil && e.Compacted.Lost {
			s.Pending = nil
		}
	case CompactedNow:
		s.Retry, s.Compacted = Retry{}, e.Compacted
		if e.Compacted == nil || !e.Compacted.InReply {
			s.spend(e.Usage)
		}
		if e.Failure != nil {
			s.Failure = e.Failure
			return
		}
		s.Compactions++
		s.sent = clearable{}
		s.Applied, s.Cleared, s.ClearedThinking = nil, nil, nil
		if e.Compacted != nil && !e.Compacted.InReply {
			s.Prompt, s.Reply = e.Compacted.After, 0
		}
	}
}

func (s *State) spend(u *Usage) {
	if u != nil {
		s.Requests++
		s.Total.Add(*u)
	}
}

// derive computes which results and thinking the last answer's edits hide: the oldest, as many
// as the edits report. Parts that a summary replaced are not among them.
func (s *State) derive() {
	s.Cleared, s.ClearedThinking = nil, nil
	for _, a := range s.Applied {
		switch a.Type {
		case ClearToolUses:
			exclude := s.excluded()
			for _, r := range s.sent.results {
				if len(s.Cleared) < int(a.ToolUses) && !slices.Contains(exclude, r.tool) {
					s.Cleared = append(s.Cleared, r.id)
				}
			}
		case ClearThinking:
			n := 0
			for _, turns := range s.sent.thinking {
				if len(turns) > 0 && n < int(a.ThinkingTurns) {
					s.ClearedThinking = append(s.ClearedThinking, turns...)
					n++
				}
			}
		}
	}
}

func (s *State) excluded() []string {
	for _, e := range s.Settings.Edits {
		if e.Type == ClearToolUses {
			return e.Exclude
		}
	}
	return nil
}

// Trigger returns the prompt size in tokens above which tool results are cleared, or 0 if they
// are not cleared by size.
func (s *State) Trigger() int64 {
	for _, e := range s.Settings.Edits {
		switch {
		case e.Type != ClearToolUses:
		case e.Trigger == (Amount{}):
			return defaultTrigger
		case e.Trigger.Unit == InputTokens:
			return e.Trigger.Value
		}
	}
	return 0
}

// Threshold returns the size in tokens at which the conversation is compacted, or 0 if it is not.
func (s *State) Threshold() int64 {
	if c := s.Settings.Compact; c.Mode == CompactServer || c.Mode == CompactClient {
		return c.at(s.Window)
	}
	for _, e := range s.Settings.Edits {
		switch {
		case e.Type != CompactEdit:
		case e.Trigger == (Amount{}):
			return serverThreshold
		default:
			return e.Trigger.Value
		}
	}
	return 0
}

// Working reports whether a run is in progress.
func (s *State) Working() bool { return s.running }

// Abandon records that no program runs the session any more: unless it ended, it was
// interrupted.
func (s *State) Abandon() {
	if s.Phase != PhaseEnded {
		s.Phase, s.running, s.Queue = PhaseInterrupted, false, nil
	}
}

// clone returns an independent copy.
func (s *State) clone() State {
	c := *s
	c.Queue = slices.Clip(s.Queue)
	c.sent.results = slices.Clip(s.sent.results)
	return c
}
