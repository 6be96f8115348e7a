package versions

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/policy"
)

// HeldError reports a change that waits until a person accepts it. Nothing was written.
type HeldError struct {
	Number  int64 // of the held change, in the home; 0 after a rehearsal
	Path    memfs.Path
	Rule    string // of the policy; empty if Earlier is set
	Earlier *Rejection

	Conflicts bool // with what stands here: Rule says how, and no policy holds it
}

// Rejection is an earlier decision against the same text.
type Rejection struct {
	Number int64 // of the held change that was rejected
	Reason string
}

func (e *HeldError) Error() string { return e.Path.Tool() + ": " + e.What() }

// What says what became of the change, without its path.
func (e *HeldError) What() string {
	if e.Number == 0 {
		return "it would be held for review, and written when a person accepts it"
	}
	s := fmt.Sprintf("held for review as #%d: nothing is written until a person accepts it", e.Number)
	if e.Earlier != nil {
		s += fmt.Sprintf("; it brings back text that was rejected as #%d", e.Earlier.Number)
		if e.Earlier.Reason != "" {
			s += ": " + e.Earlier.Reason
		}
	}
	return s
}

// DeniedError reports a change that the policy of the store denies, or that a pin prevents. Nothing
// was written.
type DeniedError struct {
	Path memfs.Path
	Why  string
	Pin  Pin // that prevents it; zero if the policy does
}

func (e *DeniedError) Error() string { return fmt.Sprintf("%s: denied: %s", e.Path.Tool(), e.Why) }

// HeldState is what became of a held change.
type HeldState string

const (
	HeldWaiting  HeldState = "waiting"
	HeldAccepted HeldState = "accepted"
	HeldRejected HeldState = "rejected"
	HeldErased   HeldState = "erased" // its text was redacted: it can't be accepted any more
)

// Held is a change that waits for a person, or did.
type Held struct {
	Number  int64 // in the home
	Store   StoreID
	Kind    ChangeKind
	Path    memfs.Path
	To      memfs.Path // for a rename
	By      By         // who wants to change it
	Inputs  Inputs     // what the session had taken in
	Rule    string     // of the policy; empty if Earlier is why it was held
	Time    time.Time
	Earlier *Rejection
	Items   int // the number of memories

	State     HeldState
	Decided   time.Time // zero while it waits, like the fields below
	DecidedBy Actor
	Change    int64 // that applied it; 0 if the memories were as it wanted them already. Of a rejected one: that undid it
	Reason    string
}

// DecidedError reports a decision about a held change that somebody decided before.
type DecidedError struct{ Held }

func (e *DecidedError) Error() string {
	if e.State == HeldErased {
		return fmt.Sprintf("#%d: its text was redacted", e.Number)
	}
	return fmt.Sprintf("#%d: %s has %s it already, on %s", e.Number, e.DecidedBy, e.State, e.Decided.Local().Format("2006-01-02 15:04"))
}

// ErrNoHeld means that no change is held under a number.
var ErrNoHeld = errors.New("nothing is held for review under this number")

// HeldFilter selects held changes. Zero fields select all.
type HeldFilter struct {
	State   HeldState
	Session SessionID
	In      memfs.Path // that name this path, or one below it
}

// Inputs is a set of kinds of what a session took in from outside its memories. Only kinds are
// recorded, never contents. A session that reads a memory takes in second hand what the session that
// wrote it had taken in.
type Inputs uint16

const (
	InputWeb   Inputs = 1 << iota // pages and search results
	InputShell                    // output of commands
	InputMCP                      // results of other MCP servers
	InputFile                     // files outside the project, and files that somebody attached

	SecondHand = 8 // shift of the kinds that came through a memory
)

const directInputs = InputWeb | InputShell | InputMCP | InputFile

const secondHandMark = " (second hand)"

// inputNames are the names of the kinds, in the order of their bits.
var inputNames = policy.Inputs

// parseInput returns the kind with a name; ok is false if there is none.
func parseInput(name string) (in Inputs, ok bool) {
	i := slices.Index(inputNames, name)
	if i < 0 {
		return 0, false
	}
	return 1 << i, true
}

// Direct returns the kinds that the session itself took in.
func (in Inputs) Direct() Inputs { return in & directInputs }

// SecondHand returns the kinds that it took in by reading memories.
func (in Inputs) SecondHand() Inputs { return in >> SecondHand & directInputs }

// Kinds returns the names of all kinds, each once.
func (in Inputs) Kinds() (out []string) {
	all := in.Direct() | in.SecondHand()
	for i, name := range inputNames {
		if all&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}

// String lists the kinds for people: "web, shell (second hand)".
func (in Inputs) String() string {
	var out []string
	for i, name := range inputNames {
		switch bit := Inputs(1 << i); {
		case in.Direct()&bit != 0:
			out = append(out, name)
		case in.SecondHand()&bit != 0:
			out = append(out, name+secondHandMark)
		}
	}
	return strings.Join(out, ", ")
}

// MarshalText encodes the kinds as String does.
func (in Inputs) MarshalText() ([]byte, error) { return []byte(in.String()), nil }

// UnmarshalText decodes what MarshalText encoded. Kinds that a newer memend names are left out.
func (in *Inputs) UnmarshalText(text []byte) error {
	*in = 0
	for kind := range strings.SplitSeq(string(text), ", ") {
		name, second := strings.CutSuffix(kind, secondHandMark)
		bit, _ := parseInput(name)
		if second {
			bit <<= SecondHand
		}
		*in |= bit
	}
	return nil
}

// PinFor says for whom a pinned memory is read-only.
type PinFor string

const (
	PinAgents PinFor = "agents" // everybody but persons at memend's own screens and commands
	PinAll    PinFor = "all"
)

// Pin makes a memory, or a folder with everything in it, read-only.
type Pin struct {
	Path memfs.Path
	For  PinFor
	By   Actor
	Time time.Time
}

// ErrNotPinned means that there is no pin at a path.
var ErrNotPinned = errors.New("not pinned")

// ErrPersonsOnly means that only a person may do it, at memend's own screens or commands.
var ErrPersonsOnly = errors.New("only a person may do that, at memend's own screens or commands")

// PolicySet is a policy of a store, or of one session in it.
type PolicySet struct {
	policy.Policy
	Session SessionID // empty for the policy of the store
	By      Actor
	Time    time.Time // zero if nobody ever set one
}

// PinnedError returns the refusal of a change to path, which a pin prevents.
func PinnedError(path memfs.Path, pin Pin) *DeniedError {
	return &DeniedError{Path: path, Why: pin.Refusal(pin.Path.Tool()), Pin: pin}
}

// Refusal says that a pin prevents a change. It writes the pin's path as at.
func (p Pin) Refusal(at string) string { return fmt.Sprintf("%s is pinned for %s", at, p.For) }

// CheckPin validates whom a pin is for.
func CheckPin(p memfs.Path, whom PinFor) error {
	if whom != PinAgents && whom != PinAll {
		return fmt.Errorf("pin %s: %w: for %q; use agents or all", p.Tool(), ErrInvalid, string(whom))
	}
	return nil
}
