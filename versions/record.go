package versions

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
)

// These ids are opaque outside this package. An id never changes: a memory keeps its id
// through edits and renames.
type (
	StoreID   = ids.Store
	MemoryID  = ids.Memory
	VersionID = ids.Version
	SessionID = ids.Session
	Hash      = ids.Hash // the SHA-256 of a content
)

// NewSession returns a new id for one run of an agent or a person.
func NewSession() SessionID { return ids.NewSession() }

// ParseHash parses a SHA-256 in hexadecimal.
func ParseHash(s string) (Hash, error) { return ids.ParseHash(s) }

// Operation is what one change did to one memory, in the words of the memory-stores API. A
// rename is a modification.
type Operation string

const (
	Created  Operation = "created"
	Modified Operation = "modified"
	Deleted  Operation = "deleted"
)

// ActorKind is the kind of an actor.
type ActorKind string

const (
	Person  ActorKind = "person"  // a person at a keyboard, through memend
	Agent   ActorKind = "agent"   // an agent's session
	APIKey  ActorKind = "api_key" // a client of the memory-stores API
	Outside ActorKind = "outside" // a program that wrote the folder directly

	ServiceAccount ActorKind = "service_account" // a program with its own account at a service

	Damage ActorKind = "damage" // the real actor is unknown because a part of the trail is damaged
)

// ActorKinds lists every kind of actor.
var ActorKinds = []ActorKind{Person, Agent, APIKey, Outside, ServiceAccount, Damage}

// Actor is who made a change.
type Actor struct {
	Kind ActorKind `json:"type"`
	Name string    `json:"name,omitempty"` // a person's login, an agent's name, a key's id; empty for Outside

	// Title is the name an agent's client shows to people; empty if unknown. It doesn't
	// identify the actor: the trail keeps the latest title for each kind and name.
	Title string `json:"title,omitempty"`
}

// Door is the way by which something came to memend. Its numbers are in trails.
type Door uint8

const (
	NoDoor        Door = iota // not stated: what comes so counts as an agent's
	DoorTUI                   // memend's own screens
	DoorCLI                   // a command
	DoorTool                  // the command that runs calls of the memory tool
	DoorAgent                 // the built-in agent
	DoorMCP                   // the MCP server
	DoorStoresAPI             // the server of the memory-stores API
	DoorHook                  // a hook or a transcript of an agent's program
	DoorOutside               // a program that wrote the folder directly
	DoorGit                   // a commit of the branch that the store is kept in step with
)

// DoorNames are the names of doors, in the order of their numbers.
var DoorNames = [...]string{"unknown", "tui", "cli", "tool", "agent", "mcp", "storesapi", "hook", "outside", "git"}

func (d Door) String() string {
	if int(d) < len(DoorNames) {
		return DoorNames[d]
	}
	return DoorNames[NoDoor]
}

// MarshalText encodes the door as String does.
func (d Door) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText decodes a door. One that a newer memend names is not known here.
func (d *Door) UnmarshalText(text []byte) error {
	*d = Door(max(0, slices.Index(DoorNames[:], string(text))))
	return nil
}

// By is what a caller states about itself with each mutation.
type By struct {
	Door    Door
	Actor   Actor
	Session SessionID
	ToolUse string // tool_use id of the call that made the change, if any
	Turn    int    // turn of the session, counted from 1; 0 if unknown

	Took Inputs `json:"-"` // besides what is recorded for the session
}

// Person reports whether a person acts, at memend's own screens or commands, or did so elsewhere. Everybody else,
// and who states no door, is treated as an agent.
func (b By) Person() bool {
	return b.Actor.Kind == Person && (b.Door == DoorTUI || b.Door == DoorCLI || b.Door == DoorGit)
}

// Version is the immutable record of one memory after one change.
type Version struct {
	ID         VersionID
	Memory     MemoryID
	Number     int        // 1 for the memory's first version
	Change     int64      // the change that created this version
	Kind       ChangeKind // of that change
	Operation  Operation
	Found      bool       // it was in the folder when the history began; Operation is Created
	Path       memfs.Path // after the change; the last path if deleted
	From       memfs.Path // the path before, if this version renamed the memory; else zero
	Actor      Actor
	Session    SessionID
	ToolUse    string
	Turn       int
	Door       Door
	Inputs     Inputs
	Inferred   bool      // actor, session and tool call were inferred, not observed
	Time       time.Time // never earlier than the previous version's, even if the clock went back
	Size       int64     // bytes; 0 if deleted
	SHA256     Hash      // zero if deleted
	Added      int       // lines, compared with the previous version
	Removed    int
	Redacted   time.Time // zero unless redacted: then Path, Size and SHA256 are zero
	RedactedBy Actor     // who redacted it
	Subject    string    // Change.Subject of its change
	Across     *Across   // the version in another store that this one was copied from, or that was merged into it; of a deletion, the one that the memory became there
	Damaged    bool      // the content is damaged and can't be read; SHA256 is zero if it is lost too
	UndoneBy   int64     // the change that undid this version's; 0 while it is in effect. Only History sets it
}

// Across is a version of a memory in another store of the home.
type Across struct {
	Store   StoreID
	Name    string // of the store
	Version VersionID
	Number  int
	Path    memfs.Path // zero if it was redacted
}

// Lost reports whether damage destroyed the record of the version. Such a version looks
// redacted by Damage, at the time the damage was found.
func (v Version) Lost() bool { return v.RedactedBy.Kind == Damage }

// Renamed reports whether this version moved the memory.
func (v Version) Renamed() bool { return v.From != (memfs.Path{}) }

// ChangeKind is the operation that the writer requested.
type ChangeKind string

const (
	KindCreate    ChangeKind = "create"
	KindEdit      ChangeKind = "edit"
	KindRename    ChangeKind = "rename"
	KindDelete    ChangeKind = "delete"
	KindRestore   ChangeKind = "restore"
	KindUndo      ChangeKind = "undo"
	KindRedo      ChangeKind = "redo"
	KindUndoHunks ChangeKind = "undo_hunks" // of what others did to a memory; it may be the whole memory
	KindAdopt     ChangeKind = "adopt"      // found in the folder, written by another program
	KindImport    ChangeKind = "import"     // from a folder of files
	KindForget    ChangeKind = "forget"     // of named files that are no longer followed; the files stay as they are
	KindLost      ChangeKind = "lost"       // damage destroyed the record of the operation
)

// Verb returns the verb of what a change of this kind does.
func (k ChangeKind) Verb() string {
	if k == KindUndoHunks {
		return string(KindUndo)
	}
	return string(k)
}

// Change is one journaled act. It has one version or more: deleting a folder is one change
// with many versions.
type Change struct {
	Number   int64 // store-wide sequence, from 1, without gaps
	Kind     ChangeKind
	Path     memfs.Path // the memory or folder that the operation named
	To       memfs.Path // where to, for a rename
	Versions int        // the number of versions
	Effect   Effect
	Actor    Actor
	Session  SessionID
	ToolUse  string
	Turn     int
	Door     Door   // NoDoor if it is not known
	Inputs   Inputs // what the session had taken in before
	Inferred bool   // actor, session and tool call were inferred from an agent's reports of its calls
	Time     time.Time
	Undoes   int64     // the change that this one undid or redid as a whole; 0 if it is not one, or only in part
	Of       SessionID // the session of all changes that this one undid or redid, if Undoes is 0 and they are of one
	UndoneBy int64     // the change that undid this one; 0 while it is in effect

	Links []LinkChange // what another program did to links; such a change has no versions

	// Subject and Email belong to a change that was imported from a commit; they are empty if
	// unknown. Store.Message reads the whole message.
	Subject string // first paragraph of the commit message as one line, at most maxSubject characters
	Email   string // e-mail address of the commit's author
}

// Effect is what a change did to memories. It counts each of them once.
type Effect struct {
	Found    int `json:"found,omitempty"` // in the folder when the history began: memend did not see who created it
	Created  int `json:"created,omitempty"`
	Edited   int `json:"modified,omitempty"`
	Renamed  int `json:"renamed,omitempty"` // edited too, or not
	Deleted  int `json:"deleted,omitempty"`
	Both     int `json:"-"` // of the renamed memories, those that were edited too
	Redacted int `json:"-"` // of all, those whose path and content were redacted since

	Path, From memfs.Path `json:"-"` // of the only memory; zero if there are several, or if it is redacted
}

// Add returns the effect of two changes.
func (e Effect) Add(o Effect) Effect {
	return Effect{Found: e.Found + o.Found, Created: e.Created + o.Created, Edited: e.Edited + o.Edited, Renamed: e.Renamed + o.Renamed,
		Deleted: e.Deleted + o.Deleted, Both: e.Both + o.Both, Redacted: e.Redacted + o.Redacted}
}

// EntryKind is the kind of thing at a path of the folder.
type EntryKind int8

const (
	Memory        EntryKind = iota + 1 // has versions
	LinkEntry                          // symbolic link; Note is its target
	TooBig                             // a regular file larger than the limit for versioned files
	Special                            // FIFO, socket, device; or a file whose name says that it is no memory: Note says why
	Unreadable                         // no permission, or a name that no path can hold; Note says which, see Unnamed
	DeletedMemory                      // is no more, but its deletion is to be reviewed; only UnreviewedDeletions lists it
)

func (k EntryKind) String() string {
	return [...]string{"", "memory", "link", "too big", "special", "unreadable", "deleted"}[k]
}

// Entry is one row of a store's tree: a memory, or another thing in the folder, which
// memend lists but never touches. Folders are not entries, so an empty folder doesn't
// appear.
//
// A tree may have 100,000 entries, and zeroing memory for them takes as long as reading
// them, so Entry must stay small.
type Entry struct {
	Kind   EntryKind
	Binary bool // not valid UTF-8
	Hidden int  // characters that a terminal doesn't show: bidi, zero-width, tags
	Path   memfs.Path
	Note   string // explains an entry that is not a memory, see EntryKind, or why the last version of a memory is not its file

	Memory  MemoryID  // this and the fields below are set for memories only
	Version VersionID // its head
	Change  int64     // the change that wrote the head
	Actor   Actor     // who wrote the head
	Time    time.Time // when the head was written
	Written time.Time // what the file said if another program wrote it before Time; zero otherwise and in the past
	Size    int64
	SHA256  Hash

	Redacted *time.Time // in a past tree, when it was redacted: Path, Size and SHA256 are zero
}

// Unnamed returns the quoted name of an entry whose name no path can hold. The entry's path is
// that of its folder.
func (e *Entry) Unnamed() (name string, ok bool) {
	if e.Kind != Unreadable {
		return "", false
	}
	name, err := strconv.QuotedPrefix(e.Note)
	return name, err == nil
}

// Sum returns the Hash of a content. The zero Hash means that there is no content.
func Sum(b []byte) Hash { return sha256.Sum256(b) }
