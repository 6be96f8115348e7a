package versions

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/match"
)

// Activity is one event in a store: a read of a memory, or a change.
type Activity struct {
	Time    time.Time
	Actor   Actor
	Session SessionID
	ToolUse string
	Turn    int

	Read bool       // a read of a memory; otherwise a change
	ID   int64      // of a read; unique among reads
	Path memfs.Path // the path of the memory that was read, or the path that the change was requested for

	// Memory and Version were read, or made by a change of one version. Both are empty for a change
	// of several versions. Version is empty when it is unknown.
	Memory    MemoryID
	Version   VersionID
	Number    int
	Operation Operation // of that version; empty for a read
	Redacted  bool      // its content was erased
	Added     int       // lines that it added and removed
	Removed   int

	// Paths are the paths of the first memories of a change of several versions, except redacted
	// ones.
	Paths []memfs.Path

	Change Change
}

// ActivityFilter selects events. Zero fields select all.
type ActivityFilter struct {
	Session  SessionID
	Actor    ActorKind
	Name     string // of the actor
	NoReads  bool
	NoWrites bool
	In       memfs.Path // a memory, or a folder and everything below it
	Since    time.Time
	Until    time.Time
}

// Blame is the content of a version with the origin of each line.
type Blame struct {
	Version Version
	Content []byte
	Runs    []BlameRun // in order; together they cover all lines
}

// BlameRun is a run of adjacent lines that came from one version, where they were adjacent too.
type BlameRun struct {
	Start int      // number of its first line in the content, from 1
	Lines int      // number of lines
	By    *Version // the version that wrote them, under any path of the memory; its changed lines are not counted
	At    int      // number of its first line in By, from 1
	Store string   // the name of By's store, if By is of another memory: the text was copied or merged

	// Since is the number of the oldest version that may have written the lines instead. It equals
	// By's number, unless the versions right before By were redacted or are damaged.
	Since int
	// Coarse means that By or a version before it wrote the lines: the texts were too large for a
	// comparison line by line.
	Coarse bool
}

// Bulk is what one program did to many memories at once: an agent that consolidates its notes, or a
// script that removes them. It may be several changes, because outside changes are recorded as they
// are detected. These are undone together.
type Bulk struct {
	Changes  []int64 // oldest first
	Actor    Actor
	Session  SessionID
	Versions int
	Effect           // of all of them together
	Loss     bool    // it is a mass deletion: somebody should be notified
	Deleting []int64 // of its changes, those that deleted memories
	Mixed    bool    // one of these did something else too
	OneAct   bool    // all of it was found in the folder, and all of its changes are of one call
	UndoneBy int64   // the change that undid all of it; 0 while it is in effect
	From     time.Time
	Until    time.Time
}

// InPieces reports whether it is several changes only because a watcher recorded it while it went
// on.
func (b Bulk) InPieces() bool { return b.OneAct && len(b.Changes) > 1 }

// BulkVersions is how many memories make a bulk.
const BulkVersions = 10

// Loss says how many memories a bulk deletes to be a mass deletion: so many, or such a part of the store.
type Loss struct {
	Memories int // at least 1
	Percent  int // of the memories of the store; fewer than leastLoss are never a mass deletion by their part
}

// DefaultLoss is the mass deletion if the options name none.
var DefaultLoss = Loss{Memories: 20, Percent: 25}

const leastLoss = 3

// By reports whether so many deletions are a mass deletion in a store that had so many memories.
func (l Loss) By(deleted, had int) bool {
	return deleted >= l.Memories || deleted >= leastLoss && deleted*100 >= had*l.Percent
}

// First returns the number of its oldest change.
func (b Bulk) First() int64 { return b.Changes[0] }

// Last returns the number of its newest change.
func (b Bulk) Last() int64 { return b.Changes[len(b.Changes)-1] }

// Content is a text and all versions of a store that have it.
type Content struct {
	Text []byte
	In   []Holder // newest first; never empty
}

// Holder is a version that has a content.
type Holder struct {
	ID      VersionID
	Number  int
	Path    memfs.Path
	Current bool // it is the memory's current version
}

// Current is the current state of a memory as the memory-stores API describes it. A file that is
// not UTF-8 is not a memory in that API, and has no Current.
type Current struct {
	Memory  MemoryID
	Version VersionID // its head
	Path    memfs.Path
	Size    int64
	SHA256  Hash
	Created time.Time // of the memory's first version
	Updated time.Time // of its head
	Content []byte    // when requested
	Damaged bool      // in a list with contents: the content is damaged in the trail, and Content is nil
}

// MemoryFilter selects memories for a listing.
type MemoryFilter struct {
	In       string // the start of the paths in a folder: "notes/"; "": all
	Children bool   // only the memories directly in it, and its folders in place of what is below them
	Contents int64  // bytes of contents after which a page ends, but at least one memory; 0: no contents
}

// Listed is one row of a listing.
type Listed struct {
	Current
	Folder bool // only Path is set: there are memories below it
}

// Cursor is a position in a list: the next page begins after it. Lists return it with each page, and
// the zero Cursor when nothing follows. The zero Cursor is also before the first row. A Cursor is
// opaque, remains valid while the list grows, and belongs to one list with one filter.
//
// Changes and the versions of one memory are numbered, so their lists begin at a number instead.
type Cursor string

// Numbers reads the numbers that CursorAt was given.
func (c Cursor) Numbers(to ...*int64) error {
	parts := strings.Split(string(c), ".")
	for i := range to {
		var err error
		if len(parts) == len(to) {
			*to[i], err = strconv.ParseInt(parts[i], 10, 64)
		}
		if err != nil || len(parts) != len(to) {
			return fmt.Errorf("%w: %.40q is no cursor of this list", ErrInvalid, string(c))
		}
	}
	return nil
}

// IDKind is the kind of object that an id names.
type IDKind int

const (
	VersionIDs IDKind = iota
	MemoryIDs
	SessionIDs
	CallIDs // tool calls that made changes
)

// Known is an id of this home with the stores that it belongs to.
type Known struct {
	ID     string
	Stores []StoreID
}

// Moment is a point in a store's past: the state right after a change.
type Moment struct {
	Change int64     // 0 is before the first change, when the store was empty
	Time   time.Time // time of the change; zero for 0
}

// BeforeHistoryError means that a moment is before the start of a store's history. An empty trail
// does not show that there were no memories then.
type BeforeHistoryError struct {
	Store  string
	Change int64     // number of the first change with a known state; 0: there is none
	Begins time.Time // time of that change, or when the store was created
}

func (e *BeforeHistoryError) Error() string {
	when := e.Begins.Local().Format("2006-01-02 15:04:05")
	if e.Change > 1 {
		return fmt.Sprintf("the history of store %s is complete only from change %d at %s on; not everything is known from before", e.Store, e.Change, when)
	}
	return fmt.Sprintf("the history of store %s begins at %s; nothing is known from before", e.Store, when)
}

// Read is one record of the ledger.
type Read struct {
	Memory  MemoryID
	Version VersionID // the memory's newest version at that time; empty when unknown
	Number  int       // number of that version
	Actor   Actor
	Session SessionID
	ToolUse string
	Turn    int
	Time    time.Time
}

// ReadStat summarizes the reads of one memory.
type ReadStat struct {
	Last     time.Time
	Reads    int
	Sessions int
}

// What a person has reviewed is not part of the history: it is written without an fsync, is not a
// change, is not exported, and is lost with the trail. It refers to memories by id and to changes
// by number, and a redaction leaves both unchanged. A memory is reviewed only when a person marks
// it. Viewing it is not enough.

// ReviewState is a person's review state of a store.
type ReviewState struct {
	Reviewed int64              // all changes up to this one are reviewed, or were there when the history began
	Of       map[MemoryID]int64 // the change up to which a memory is reviewed besides
	Ledger   time.Time          // time of the oldest read in the ledger of this store; zero: none
}

// UpTo returns the change up to which a memory is reviewed.
func (l *ReviewState) UpTo(m MemoryID) int64 { return max(l.Reviewed, l.Of[m]) }

// IsUnreviewed reports whether a change of a memory was made after its last review.
func (l *ReviewState) IsUnreviewed(m MemoryID, change int64) bool {
	return change > l.UpTo(m)
}

// Query is what Search searches for.
type Query struct {
	// Text is words and "quoted phrases". All of them must occur, in any order, each in the
	// memory's path or its text. Without a capital letter, case is ignored. A word also matches
	// inside of words.
	Text string
	// Regexp means that Text is one regular expression instead (see match.Compile). It is matched
	// line by line, and empty matches don't count.
	Regexp bool
	// AnyCase ignores case, whatever the case of Text.
	AnyCase bool
	In      memfs.Path // only this memory, or the memories below this folder
	Limit   int        // most hits; 0 means all
	Lines   int        // most lines of each hit, those with the most matches; 0 means all
	Width   int        // most bytes of a line that are shown; 0 is match.DefaultWidth
}

// TextPart is the part of the query that texts are searched for.
func (q Query) TextPart() match.Query {
	return match.Query{Text: q.Text, Regexp: q.Regexp, AnyCase: q.AnyCase}
}

// Pattern returns a regular expression (see match.Compile) for the matches in a text.
func (q Query) Pattern() string { return q.TextPart().Pattern() }

// Hit is a memory that matches a query.
type Hit struct {
	Entry              // the memory's current state; the matches are in its version
	Score int          // higher is better; see match.Scorer
	Count int          // number of matches in the text
	Spans []match.Span // matches in the path, in bytes of Path.Rel()
	Lines []match.Line
}

// Found is what a search found besides its hits.
type Found struct {
	Memories int          // number of matching memories, of which at most Limit were returned
	Unread   []UnreadText // what could not be searched
}

// UnreadText is a file that could not be read.
type UnreadText struct {
	Path memfs.Path
	Err  error
}

// HistoryHit is a run of consecutive versions of one memory whose texts all match a query.
type HistoryHit struct {
	First, Last Version      // equal for one version; their changed lines are not counted
	Stands      bool         // Last is the memory's current version
	Count       int          // number of matches in the text of Last
	Lines       []match.Line // matching lines of Last
}

// Session is one run of an agent or a person, with what it did in this home or in one store.
type Session struct {
	ID       SessionID
	Actor    Actor // who started it
	Started  time.Time
	Seen     time.Time // time of its last change or read, in any store
	Changes  int
	Versions int // number of versions that its changes made
	Undone   int // number of its changes that were undone
	Reads    int
	Waiting  int       // number of its changes that wait for a person
	Stores   []StoreID // the stores that it changed or read, or wanted to change
}

// SessionFilter selects sessions. Zero fields select all.
type SessionFilter struct {
	ID    SessionID
	Store StoreID // it changed or read something in this store, or wanted to change it; only what it did there is counted
	Actor ActorKind
	Since time.Time // last seen since
	Until time.Time // started until

	// ByActivity orders the sessions by when they were last seen, otherwise by when they started.
	ByActivity bool
}

// StoreSize is the size of a store's current memories.
type StoreSize struct {
	Memories int
	Bytes    int64
	Changes  int64
	Changed  time.Time // time of its last change; zero when there was none
}

// Stale is a memory that was not read for a long time.
type Stale struct {
	Memory   MemoryID
	Version  VersionID // its newest version
	Path     memfs.Path
	Size     int64
	Written  time.Time // when that version was made, also by a rename
	LastRead time.Time // zero: never, as far as the ledger knows
}

// StalePlan is what Stale found and Expire would delete.
type StalePlan struct {
	Unread   time.Duration
	Memories []Stale
	Recorded time.Time // time of the oldest read in the ledger of this store; zero: none

	LastRead int64 // the ledger's newest row at that time
}

// A trace follows the ledger: a session that read a version may have carried what it says into what it
// wrote later. It shows what could have been passed on, not that it was: nobody knows what a model used.
// Reads that memend doesn't know of are missing; see Reads in the package documentation.

// Trace is a walk through sessions from where it began.
type Trace struct {
	Steps []TraceStep // what was reached, in the order of the walk: nearest first
	Cut   bool        // there is more than the limit
}

// TraceStep is one version that a trace reached.
type TraceStep struct {
	Version Version
	Store   StoreID
	Undone  bool // its change is undone, and not redone
	From    int  // the step that this one was reached from; -1 for a beginning

	// ReadBy read the version of one of the two steps before it wrote that of the other. Going back, it is the
	// session that wrote From's version; going forward, the one that wrote this version. It is empty for a
	// beginning, unless that is what a session read.
	ReadBy SessionID
	Read   time.Time // when it first read it
	Again  bool      // going back: the version is an earlier step already, and its own reads are listed there
}

// TreeKind describes how a memory differs between two trees.
type TreeKind string

const (
	TreeCreated  TreeKind = "created"
	TreeDeleted  TreeKind = "deleted"
	TreeRenamed  TreeKind = "renamed" // modified too when the hashes differ
	TreeModified TreeKind = "modified"
	TreeSame     TreeKind = "same" // at the same path with the same content, by newer versions
)

// TreeDiff is a memory that has different versions in two trees of a store. The entry of a tree
// that does not have the memory is zero.
type TreeDiff struct {
	Kind          TreeKind
	Before, After Entry
}

// Memory returns the id of the memory.
func (d TreeDiff) Memory() MemoryID {
	if d.Kind == TreeCreated {
		return d.After.Memory
	}
	return d.Before.Memory
}

// Usage is the space that one memory takes, deleted or not.
type Usage struct {
	Path     memfs.Path // path of its newest version; the root when that was redacted
	Current  bool       // it is not deleted
	Bytes    int64      // size of its current content
	Versions int
	History  int64 // bytes of its versions in the trail; a text of several memories counts for the oldest
}

// VersionFilter selects versions of a store. Zero fields select all.
type VersionFilter struct {
	Memory    MemoryID // deleted or not
	Operation Operation
	Actor     Actor     // by kind and name
	Session   SessionID // of an agent
	Since     time.Time
	Until     time.Time
	Contents  int64 // bytes of contents after which a page ends, but at least one version; 0: no contents
}

// ListedVersion is a version in a list: its lines are not counted.
type ListedVersion struct {
	Version
	Content []byte // when requested; nil for a deletion, and for a version that is redacted or damaged
}
