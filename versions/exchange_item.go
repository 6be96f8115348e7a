package versions

import (
	"time"

	"github.com/memend/memend/memfs"
)

// Item is one piece of a history on its way out of a trail or into one: a
// content, or a change. A content comes before the first change that needs it, and
// once.
type Item struct {
	Content []byte  // of a version to come, when Record is nil
	Record  *Record // a change
}

// Record is a change with all that a trail keeps of it. Numbers of versions, line
// counts and which change undid it follow from the history and are not in it.
type Record struct {
	Number   int64 // within its store, from 1; 0: the next one
	Kind     ChangeKind
	Path, To memfs.Path
	By       By
	Time     time.Time
	Wall     time.Time // what the clock said; zero: the same
	Undoes   int64     // the change undone; of a redo that is the undo
	Inferred bool      // By was concluded, not seen
	Message  string    // of the commit that it was; "": not known. Newlines at its end are dropped
	Email    string    // e-mail address of the commit's author; "": not known
	Versions []RecordVersion
}

// Limits of what a Record says of its commit. A longer text is unsound.
const (
	MaxMessageBytes = 64 << 10
	MaxEmailBytes   = maxWordBytes
)

// RecordVersion is one version of a Record.
type RecordVersion struct {
	ID         VersionID // "": a new one
	Memory     MemoryID  // "": whatever memory stands at From, or else at Path; a new one when created
	Operation  Operation
	Path, From memfs.Path
	SHA256     Hash // of an Item's content; zero when deleted
	Size       int64
	Source     VersionID // whose content a restore or an undo put back
	Redacted   time.Time // not zero: Path, From, SHA256 and Size are
	RedactedBy Actor
	Lost       bool // its content is damaged and no Item: SHA256 and Size may be zero
}
