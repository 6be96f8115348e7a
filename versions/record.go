package versions

import (
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
)

// Ids, opaque outside this package. They are made once and never change:
// a memory keeps its id through edits and renames.
type (
	StoreID   = ids.Store
	MemoryID  = ids.Memory
	VersionID = ids.Version
	SessionID = ids.Session
	Hash      = ids.Hash // the SHA-256 of a content
)

// NewSession makes an id for one run of an agent or a person.
func NewSession() SessionID { return ids.NewSession() }

// ParseHash reads a SHA-256 in hexadecimal.
func ParseHash(s string) (Hash, error) { return ids.ParseHash(s) }

// Operation is what one change did to one memory, in the words of the
// memory-stores API; a rename is a modification.
type Operation string

const (
	Created  Operation = "created"
	Modified Operation = "modified"
	Deleted  Operation = "deleted"
)

// ActorKind is the sort of writer.
type ActorKind string

const (
	Person  ActorKind = "person"  // somebody at a keyboard, through memend
	Agent   ActorKind = "agent"   // an agent's session
	APIKey  ActorKind = "api_key" // a client of the memory-stores API
	Outside ActorKind = "outside" // a program that wrote the folder directly

	ServiceAccount ActorKind = "service_account" // a program with an account of its own, at a service

	Damage ActorKind = "damage" // nobody: whoever it was is lost with a part of the trail
)

// ActorKinds are all kinds of actors.
var ActorKinds = []ActorKind{Person, Agent, APIKey, Outside, ServiceAccount, Damage}

// Actor is who made a change.
type Actor struct {
	Kind ActorKind
	Name string // a person's login, an agent's name, a key's id; empty for Outside

	// Title is how an agent's client names itself for people; empty where it is not known.
	// It tells no two actors apart: the trail keeps the last one of each kind and name.
	Title string
}

// By is what a caller says of itself with each mutation.
type By struct {
	Actor   Actor
	Session SessionID
	ToolUse string // tool_use id of the call that did it, when there is one
	Turn    int    // turn of the session, counted from 1; 0 when there are none
}

// Version is the immutable record of one memory after one change.
type Version struct {
	ID         VersionID
	Memory     MemoryID
	Number     int   // 1 for the memory's first version
	Change     int64 // the change it belongs to
	Operation  Operation
	Path       memfs.Path // after the change; the last path when deleted
	From       memfs.Path // the path before, when this version renamed it; else zero
	Actor      Actor
	Session    SessionID
	ToolUse    string
	Turn       int
	Inferred   bool      // actor, session and tool call were concluded, not seen
	Time       time.Time // never earlier than the version before it, whatever the clock did
	Size       int64     // bytes; 0 when deleted
	SHA256     Hash      // zero when deleted
	Added      int       // lines, against the version before
	Removed    int
	Redacted   time.Time // zero unless redacted: then Path, Size and SHA256 are zero
	RedactedBy Actor     // who did that
	Subject    string    // of its change, see there
	Damaged    bool      // its content is damaged and can't be read; SHA256 is zero when that is lost too
}

// Lost reports whether the record of the version is lost to damage. Then it is as if it
// had been redacted, by Damage, when that was found.
func (v Version) Lost() bool { return v.RedactedBy.Kind == Damage }

// Renamed reports whether this version moved the memory.
func (v Version) Renamed() bool { return v.From != (memfs.Path{}) }

// ChangeKind is what the writer asked for.
type ChangeKind string

const (
	KindCreate  ChangeKind = "create"
	KindEdit    ChangeKind = "edit"
	KindRename  ChangeKind = "rename"
	KindDelete  ChangeKind = "delete"
	KindRestore ChangeKind = "restore"
	KindUndo    ChangeKind = "undo"
	KindRedo    ChangeKind = "redo"
	KindAdopt   ChangeKind = "adopt"  // seen in the folder, written by another program
	KindImport  ChangeKind = "import" // of a folder of files
	KindLost    ChangeKind = "lost"   // the record of what it was is lost to damage
)

// Change is one journaled act: one version or more (deleting a folder is one
// change with many versions).
type Change struct {
	Number   int64 // store-wide sequence, from 1, without gaps
	Kind     ChangeKind
	Path     memfs.Path // what it was asked of: a memory or a folder
	To       memfs.Path // where to, for a rename
	Versions int        // how many
	Actor    Actor
	Session  SessionID
	ToolUse  string
	Turn     int
	Inferred bool // actor, session and tool call were concluded from what an agent told of its calls
	Time     time.Time
	Undoes   int64 // the change that this one undid (undo) or brought back (redo)
	UndoneBy int64 // the change that took this one back; 0 while it stands

	// Of a change that was imported from a commit; empty where not known. Store.Message
	// reads the whole message.
	Subject string // first paragraph of the commit's message in one line, at most maxSubject characters
	Email   string // e-mail address of the commit's author
}

// EntryKind says what stands at a path of the folder.
type EntryKind int8

const (
	Memory     EntryKind = iota + 1 // has versions
	LinkEntry                       // symbolic link; Note says where to
	TooBig                          // regular, but over the size that is versioned
	Special                         // FIFO, socket, device
	Unreadable                      // no permission, or a name that no path can hold; Note says which
)

func (k EntryKind) String() string {
	return [...]string{"", "memory", "link", "too big", "special", "unreadable"}[k]
}

// Entry is one row of a store's tree: a memory, or another thing in the folder
// that is shown as what it is and never touched. Folders are not entries; an
// empty one does not show.
//
// There may be 100,000, and to clear room for them takes as long as to read them: it
// is to stay small.
type Entry struct {
	Kind   EntryKind
	Binary bool // not valid UTF-8
	Hidden int  // characters that a terminal would not show: bidi, zero-width, tags
	Path   memfs.Path
	Note   string // of what is no memory, see EntryKind

	Memory  MemoryID  // for memories, as are all below
	Version VersionID // its head
	Change  int64     // the change that wrote the head
	Actor   Actor     // who wrote the head
	Time    time.Time // when
	Size    int64
	SHA256  Hash

	Redacted *time.Time // of a past tree: when the version was redacted, if it was; then Path, Size and SHA256 are zero
}
