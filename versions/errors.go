package versions

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/planning"
)

// The requested object doesn't exist.
var (
	ErrNoStore   = errors.New("no such store")
	ErrNoMemory  = errors.New("no such memory")
	ErrNoVersion = errors.New("no such version")
	ErrNoChange  = errors.New("no such change")
	ErrNoSession = errors.New("no such session")
)

// The current state doesn't allow the operation. Nothing was written.
var (
	ErrRedacted       = errors.New("content was redacted")
	ErrForgotten      = errors.New("what it was before is not known: its service keeps old versions for a while only")
	ErrDeletion       = errors.New("this version is a deletion and holds no content")
	ErrNothing        = errors.New("nothing to do")
	ErrNoOwnChange    = fmt.Errorf("%w", ErrNothing) // an actor has no change left to undo
	ErrUndoneTogether = errors.New("change was undone together with others")
	ErrUndone         = errors.New("change is undone already")
	ErrNotUndone      = errors.New("change is not undone")
	ErrNameTaken      = errors.New("another store has this name")
	ErrNested         = errors.New("folder lies in another store")
	ErrHoldsStore     = errors.New("another store lies in this folder")
	ErrSameFolder     = errors.New("folder has a store already")
	ErrFolderGone     = errors.New("folder is gone")
	ErrHomeGone       = errors.New("the home was taken away or replaced while it was in use")
	ErrNoBulk         = errors.New("it is undone, or no other program made it")
	ErrFound          = errors.New("it recorded what was in the folder when its history began; what was there before is not known")
	ErrInsideHome     = errors.New("a backup inside of the home would be part of the next one, and is lost with the home")
	ErrHomeInside     = errors.New("memend's own data lies in this folder")
	ErrHasHistory     = errors.New("the store has a history already")
	ErrInvalid        = errors.New("not allowed")
	ErrReadOnly       = errors.New("the store is attached read-only")
	ErrReadingOnly    = errors.New("only reading is allowed here")
	ErrNoTrail        = errors.New("there is none yet") // and reading does not make one: it comes with ErrReadingOnly
	ErrUnattached     = errors.New("the store is not attached to this session")
	ErrAttached       = errors.New("other stores are attached to this session")
	ErrAdministers    = errors.New("the session works on attached stores and administers none")
	ErrUnidentified   = errors.New("only a named person or client, or an agent with a session, administers stores")
	ErrUnfinished     = errors.New("the change is recorded and will be finished when the store can be written again: do not repeat it")
	ErrArchived       = errors.New("archived stores can't be written")
	ErrCurrent        = errors.New("a current memory holds it")
	ErrInPath         = fmt.Errorf("%w in its path", ErrCurrent)
)

// Errors of export and import.
var (
	ErrUnsound           = errors.New("not a sound history")         // from an import; nothing was written
	ErrRedactedMeanwhile = errors.New("a redaction came in between") // from an export
)

// LeftOutError lists what is missing from an otherwise complete export. It wraps
// ErrDamaged.
type LeftOutError struct{ What []string }

func (e *LeftOutError) Error() string {
	return fmt.Sprintf("%v, and this is left out:\n  %s", ErrDamaged, strings.Join(e.What, "\n  "))
}
func (e *LeftOutError) Unwrap() error { return ErrDamaged }

// Errors of the trail itself.
var (
	ErrTrailFormat = errors.New("trail is of another format")
	ErrDamaged     = errors.New("trail is damaged") // it is not as it was written
	ErrLost        = errors.New("lost to damage")   // a repair recorded the loss of a content; the error is ErrDamaged, too
	ErrTrailLost   = errors.New("this home had a trail and lost it")
)

// LaterChangeError reports an undo that would also undo a later change, or a restore whose
// path is occupied. Nothing was written.
type LaterChangeError struct {
	Change int64          // the change to undo; 0 for a session or a restore
	Path   memfs.Path     // the memory in the way
	Later  int64          // the later change to that memory; 0 if something else occupies the path
	Kind   ChangeKind     // of the later change; "" if something else occupies the path
	By     ActorKind      // who made it; "" if something else occupies the path
	Clash  planning.Clash // what the later change did
}

func (e *LaterChangeError) Error() string {
	if e.Change > 0 {
		return fmt.Sprintf("undo change %d: %s", e.Change, e.Obstacle(e.Path.Tool()))
	}
	return e.Obstacle(e.Path.Tool())
}

// Obstacle says what prevents the change, with the memory's path written as at.
func (e *LaterChangeError) Obstacle(at string) string {
	if e.Path.IsRoot() { // nothing of it is left that has a path
		at = "a redacted memory"
	}
	what := fmt.Sprintf("%s was %s", at, e.since())
	if e.Clash == planning.ClashTaken || e.Later == 0 {
		what = "something else is at " + at
		if e.Later > 0 {
			what = "another memory is at " + at + " now"
		}
	}
	if e.Later > 0 {
		what += fmt.Sprintf(", by change %d", e.Later)
		if e.By == Outside {
			what += " of another program"
		}
	}
	return what
}

// since describes what the later change did.
func (e *LaterChangeError) since() string {
	switch e.Clash {
	case planning.ClashPath:
		return "moved since"
	case planning.ClashDeleted:
		return "deleted since"
	case planning.ClashRevived:
		if e.Kind == KindRestore || e.Kind == KindUndo || e.Kind == KindRedo || e.Kind == KindUndoHunks {
			return "restored since"
		}
		return "created since"
	}
	return "changed since"
}

// RedactedError reports a request for a version whose content was erased. It wraps
// ErrRedacted.
type RedactedError struct {
	Version VersionID
	By      Actor
	Time    time.Time
}

func (e *RedactedError) Error() string {
	if e.By.Kind == Damage {
		return fmt.Sprintf("version %s: its record is %v, as a repair found on %s", e.Version, ErrLost, e.Time.Local().Format("2006-01-02 15:04"))
	}
	by := ""
	if e.By != (Actor{}) { // otherwise the redacted version was imported, and the actor is unknown
		by = " by " + e.By.String()
	}
	return fmt.Sprintf("version %s: %v%s on %s", e.Version, ErrRedacted, by, e.Time.Local().Format("2006-01-02 15:04"))
}

// Unwrap returns ErrRedacted, and ErrLost too if damage erased the content.
func (e *RedactedError) Unwrap() []error {
	if e.By.Kind == Damage {
		return []error{ErrRedacted, ErrLost}
	}
	return []error{ErrRedacted}
}

// folderGone is the error of a store whose folder is unavailable. It wraps ErrFolderGone:
// the store works again once the folder is back.
type folderGone string

func (e folderGone) Error() string        { return string(e) }
func (e folderGone) Is(target error) bool { return target == ErrFolderGone }

// The folder exists but can't be the store's.
var (
	ErrFolderLink  error = folderGone("leads to another folder through a symbolic link")
	ErrFolderOther error = folderGone("is another folder than before and holds none of the store's memories")
)
