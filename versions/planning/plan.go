// Package planning computes what an undo or a restore does to memories.
//
// It is given the states of each memory: the current one, those before and after what is undone, or
// the one that is restored. From them it computes the state that each memory gets, merges texts,
// finds conflicts (see [Clash]) and applies what a person decided (see [Choice]). From the states of
// all memories it computes which of them can't move to their path, and the steps for the files.
//
// The package knows no store and no trail, and changes nothing. It reads texts through a [Reader] and
// the folder through a [Folder], and returns their errors unchanged; it has no errors of its own. A
// [Memory] belongs to one goroutine.
package planning

import (
	"crypto/sha256"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/ids"
)

// State is the path and content of a memory at one time. The zero State means that the memory
// doesn't exist.
type State struct {
	Path     memfs.Path
	SHA256   ids.Hash
	Size     int64 // bytes
	Text     []byte
	Version  ids.Version // a version that holds the content; empty for a new text
	Row      int64       // the caller's number of that version
	Blob     int64       // the caller's number of the content, unless Text has it
	Redacted bool        // the memory existed, but its path and content are redacted
}

// Unknown is the state of a memory before its first known version, if that version didn't create it:
// a service keeps old versions for a limited time only.
var Unknown = State{Redacted: true}

// WithText returns the state of a memory with a new text.
func WithText(path memfs.Path, text []byte) State {
	return State{Path: path, Text: text, SHA256: sha256.Sum256(text), Size: int64(len(text))}
}

// Live reports whether the memory exists.
func (s State) Live() bool { return s.Redacted || s.SHA256 != (ids.Hash{}) }

// Is reports whether two states are known to have the same path and content.
func (s State) Is(o State) bool {
	return !s.Redacted && !o.Redacted && s.Path == o.Path && s.SHA256 == o.SHA256
}

// At returns the state with another path.
func (s State) At(path memfs.Path) State {
	s.Path = path
	return s
}

// Reader reads the text of a state.
type Reader func(State) ([]byte, error)

// Run is a contiguous run of a memory's versions that are undone together.
type Run struct {
	Before, After State
	First         int // number of its oldest version
}

// Memory is one memory of a plan.
type Memory struct {
	ID  ids.Memory
	Row int64 // the caller's number of the memory

	Now  State
	Runs []Run // what is undone, newest first; none for a restore
	Then State // what is restored

	KeepFolders bool // a folder that the memory leaves empty stays: the caller knows which of them existed before

	// Results.
	Want    State // the state that the plan gives it, unless Clash or Skipped is set
	Merge   *diff.Merged
	Clash   Clash
	Skipped bool // a person decided to leave it as it is
}

// End returns the state of the memory after the plan.
func (m *Memory) End() State {
	if m.Clash != ClashNone || m.Skipped {
		return m.Now
	}
	return m.Want
}

// Path returns the path under which people know the memory.
func (m *Memory) Path() memfs.Path {
	if m.Now.Live() || !m.Want.Live() {
		return m.Now.Path
	}
	return m.Want.Path
}

// LastPath returns the current path of the memory, else its path after the plan, else its last known
// path, and the root if none is known.
func (m *Memory) LastPath() memfs.Path {
	states := []State{m.Now, m.Want, m.Then}
	for _, r := range m.Runs {
		states = append(states, r.After, r.Before)
	}
	for _, s := range states {
		if s.Live() && !s.Redacted {
			return s.Path
		}
	}
	return memfs.Root
}

// arrives reports whether the plan moves the memory to another path.
func (m *Memory) arrives() bool {
	end := m.End()
	return end.Live() && !(m.Now.Live() && m.Now.Path == end.Path)
}

// leaves reports whether the plan removes the memory from its current path.
func (m *Memory) leaves() bool { return m.Now.Live() && m.Now.Path != m.End().Path }

// Clash is the reason why a plan can't change a memory as requested.
type Clash string

const (
	ClashNone     Clash = ""
	ClashText     Clash = "text"     // the same lines were changed since
	ClashPath     Clash = "path"     // it was moved since
	ClashEdited   Clash = "edited"   // it was created and then changed: an undo would lose the change
	ClashDeleted  Clash = "deleted"  // it was deleted since
	ClashRevived  Clash = "revived"  // it was deleted, and since then recreated with other content
	ClashTaken    Clash = "taken"    // another file or memory occupies its path
	ClashRedacted Clash = "redacted" // the content it needs was redacted
)
