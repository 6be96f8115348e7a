package versions

import (
	"time"

	"github.com/memend/memend/memfs"
)

// Branch is the git branch that a store is kept in step with, and how far it is. Package gitsync keeps it.
type Branch struct {
	URL    string
	Name   string
	Subdir string // the folder that holds the memories, relative to the repository's root; "": the root itself
	Head   string // id of the last commit here: it has all changes up to Sent, and all that was taken in
	Remote string // id of the last known commit there
	Sent   int64  // number of the last change in Head
	Waits  bool   // the tree of Head has texts of held changes where the store has others
	Erased bool   // a redaction erased something of the store, and removed the repository here; the branch there still has it
}

// BranchState is what is known of a branch without asking its repository.
type BranchState struct {
	Branch
	ToSend  int       // changes of the store that a sync would send, as far as that is known here
	Delayed int       // those that it would send after decisions about what waits
	Waiting int       // changes that came from it and wait for a person
	Comes   int       // commits that it had at Seen, and this home had not
	Seen    time.Time // when it was looked at last; zero: never
}

// Shared is a change that is on the branch.
type Shared struct {
	ID     string // that it has there
	Change int64  // its number here; 0: it is a merge
}

// Erased is a change on the branch of which something was erased here.
type Erased struct {
	Change int64
	Kept   map[memfs.Path]bool // the memories that it wrote and whose text was not erased; of the others no path is known
}

// TakenCommit is what a change keeps of the commit that it was imported from.
type TakenCommit struct {
	ID      string
	Author  string
	Email   string
	Time    time.Time
	Message string
}

// Incoming is a change that was made elsewhere: what a commit does to the memories.
type Incoming struct {
	ID      string // that it has wherever it goes
	Commit  string // that it came with: by it alone the change is known to have been taken in
	By      By     // who made it there; its door is DoorGit
	Time    time.Time
	Message string
	Email   string
	Files   []IncomingFile
	Hold    string // why it waits for a person whatever the policy says; "": it doesn't
}

// IncomingFile is what such a change does to one memory.
type IncomingFile struct {
	Path   memfs.Path // of the memory afterwards; of a deleted one, before
	From   memfs.Path // the path before, if it was renamed
	Before []byte     // the text before; nil: there was none
	After  []byte     // the text afterwards; nil: the memory is deleted
}

// Path is the memory or the folder that the change is about.
func (in *Incoming) Path() memfs.Path {
	var at []memfs.Path
	for _, f := range in.Files {
		at = append(at, f.Path)
	}
	return Common(at)
}
