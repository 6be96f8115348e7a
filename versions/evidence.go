package versions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memend/memend/memfs"
)

// EvidenceOp is what a call did to its path.
type EvidenceOp string

const (
	CallWrote   EvidenceOp = "write" // created a file or replaced its text
	CallDeleted EvidenceOp = "delete"
	CallMoved   EvidenceOp = "move" // from From to the path
	CallRead    EvidenceOp = "read"
	// CallRan is a shell command that names the path, which is a memory, a folder or the store's
	// folder itself. The command may have done anything there.
	CallRan EvidenceOp = "run"
	// CallStarted is the start of a session. The agent's program then creates the index of a memory
	// folder, at the path, if it is missing.
	CallStarted EvidenceOp = "start"
)

// Evidence is a call that an agent made outside of memend, as a hook or a transcript reports it. It
// shows who may have written what is found in a folder.
type Evidence struct {
	Op    EvidenceOp
	Path  memfs.Path // a memory; for CallDeleted and CallMoved also a folder
	From  memfs.Path // for CallMoved
	By    By         // an agent and its session
	Began time.Time  // zero when unknown
	Ended time.Time  // the latest time of its result; zero: it has only started
	// SHA256 is the hash of the file after the call. It is zero when unknown: then only the time
	// can match a write to the call.
	SHA256 Hash
	CRLF   Hash // hash of the same text with "\r\n" line endings; zero when there is none
	Failed bool // its result was an error: it is not evidence of anything
}

// Recollection reads what agents' own records show about the folders of stores.
type Recollection interface {
	// Texts returns the texts that memories had since the last scan, in order for each memory.
	// first means that no scan ever ran: Texts may then also return deleted memories that were not
	// requested. Each text must have been in its file: Texts leaves out what the records do not
	// prove.
	Texts(ctx context.Context, s StoreInfo, asked []Unexplained, first bool) ([]Recalled, error)
	// Calls returns the calls that ended since a time, in order.
	Calls(ctx context.Context, s StoreInfo, since time.Time) ([]Evidence, error)
}

// Unexplained is a memory that differs from the trail.
type Unexplained struct {
	Path  memfs.Path
	Since time.Time                          // the trail knows the state before this time
	Held  func() (text []byte, known bool)   // the content according to the trail
	Holds func() (text []byte, at time.Time) // the file's current content and when it was written; nil: no file
}

// Recalled is a text that a memory had from some time on.
type Recalled struct {
	Path    memfs.Path
	Text    []byte
	Deleted bool // no text: the memory was deleted
	By      By   // an agent in its session; zero: unknown
	At      time.Time
}

// Check returns why the report is invalid, or nil.
func (e Evidence) Check() error {
	switch {
	case e.By.Actor.Kind != Agent || e.By.Actor.Name == "" || e.By.Session == "":
		return errors.New("a reported call needs an agent and its session")
	case !Sane(e.By.Actor.Name) || !Sane(string(e.By.Session)) || !Sane(e.By.ToolUse):
		return errors.New("the agent, session or tool call is too long or not UTF-8")
	case e.Op == CallMoved && e.From.IsRoot(), e.Op != CallMoved && !e.From.IsRoot(), e.Op != CallRan && e.Path.IsRoot():
		return fmt.Errorf("a call to %s needs other paths", e.Op)
	}
	switch e.Op {
	case CallWrote, CallDeleted, CallMoved, CallRead, CallRan, CallStarted:
		return nil
	}
	return fmt.Errorf("%.20q is nothing that a call does", e.Op)
}
