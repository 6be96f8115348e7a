package versions

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
)

// Item is one piece of a history that is exported or imported: a content or a change. A content
// comes once, before the first change that needs it.
type Item struct {
	Content []byte  // of a later version, when Record is nil
	Record  *Record // a change
}

// Record is a change with everything that a trail stores about it. It omits version numbers, line
// counts and which change undid it, because these follow from the history.
type Record struct {
	Number   int64 // within its store, from 1; 0: the next one
	Kind     ChangeKind
	Path, To memfs.Path
	By       By
	Time     time.Time
	Wall     time.Time // what the clock showed; zero: the same as Time
	Undoes   int64     // the undone change; for a redo, that is the undo
	Inferred bool      // By was inferred, not observed
	Found    bool      // what it creates was there when the history began; Kind is KindAdopt
	Inputs   Inputs    // what the session had taken in before
	Message  string    // of the commit it came from; "": unknown. Trailing newlines are dropped
	Email    string    // e-mail address of the commit's author; "": unknown
	Versions []RecordVersion

	// Shared are the names of the change on the branch that the store is kept in step with: its id, then its commit.
	Shared []string
}

// Change returns the record as Store.Changes lists it, without what only a trail knows.
func (r *Record) Change() Change {
	c := Change{Number: r.Number, Kind: r.Kind, Path: r.Path, To: r.To, Versions: len(r.Versions), Actor: r.By.Actor, Session: r.By.Session, ToolUse: r.By.ToolUse, Turn: r.By.Turn,
		Door: r.By.Door, Inputs: r.Inputs, Inferred: r.Inferred, Time: r.Time, Undoes: r.Undoes, Email: r.Email}
	for i := range r.Versions {
		v := &r.Versions[i]
		c.Effect = c.Effect.Add(v.effect(r.Found))
	}
	if len(r.Versions) == 1 {
		c.Effect.Path, c.Effect.From = r.Versions[0].Path, r.Versions[0].From
	}
	return c
}

func (v *RecordVersion) effect(found bool) (e Effect) {
	switch {
	case found:
		e.Found = 1
	case v.Operation == Created:
		e.Created = 1
	case v.Operation == Deleted:
		e.Deleted = 1
	case !v.From.IsRoot():
		e.Renamed = 1
	default:
		e.Edited = 1
	}
	if !v.Redacted.IsZero() {
		e.Redacted = 1
	}
	return e
}

// These limit the texts that a Record has from its commit. A longer text is unsound.
const (
	MaxMessageBytes = 64 << 10
	MaxEmailBytes   = MaxWordBytes
)

// RecordVersion is one version of a Record.
type RecordVersion struct {
	ID         VersionID // "": a new one
	Memory     MemoryID  // "": the memory at From, or else at Path; a new one when created
	Operation  Operation
	Path, From memfs.Path
	SHA256     Hash // of an Item's content; zero when deleted
	Size       int64
	Source     VersionID // the version whose content a restore or an undo brought back
	Redacted   time.Time // not zero: Path, From, SHA256 and Size are redacted too
	RedactedBy Actor
	Lost       bool // its content is damaged and has no Item: SHA256 and Size may be zero
}

// Imported counts what an import added.
type Imported struct {
	Changes  int `json:"changes"`
	Versions int `json:"versions"`
	Memories int `json:"memories"` // that exist at the end of the history
}

// NewFile is a text to write at a path.
type NewFile struct {
	Path    memfs.Path
	Content []byte
}

// OccupiedError means that files would replace memories with other contents. Nothing was written.
type OccupiedError struct {
	Paths []memfs.Path // of the memories with other contents
}

func (e *OccupiedError) Error() string {
	more := ""
	if n := len(e.Paths) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Sprintf("%s: already exists and holds something else%s", e.Paths[0].Tool(), more)
}

// MaxWordBytes limits the names and ids of other programs.
const MaxWordBytes = 1024

// Sane reports whether a name or an id that came from outside can be stored: it is UTF-8 and not too long.
func Sane(s string) bool { return len(s) <= MaxWordBytes && utf8.ValidString(s) }
