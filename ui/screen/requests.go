package screen

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// Requests from a pane to the root. Their names are imperative because the pane has already
// interpreted the key.
type (
	// Open shows a memory.
	Open struct {
		Path memfs.Path
		Line int    // to move to, from 1; 0 for the last position
		Find string // pattern to search for from Line on, in the syntax of the memory's search
		Stay bool   // don't move the focus
		// Again is set if the user did not request it now: the memory was open before, and
		// does not count as viewed.
		Again bool
	}
	// Show opens a screen over everything; Back closes the screen in front, or returns the
	// focus. Drop closes a screen wherever it is.
	Show struct{ Pane Pane }
	Back struct{}
	Drop struct{ Pane Pane }
	// Late is a request that an answer makes. It is performed if the pane that asked is still in front; else the person went on,
	// and Else says what they miss, if it is not empty.
	Late struct {
		From    Pane
		Request Request
		Else    string
	}
	// Terminal passes a command to the owner of the program, for messages that the root does
	// not handle, such as that of tea.Quit.
	Terminal struct{ Do tea.Cmd }
	// Notice shows a message to the user.
	Notice struct {
		Text   string
		Bad    bool
		Queued bool // it announces what the review queue lists: where that is open it is only logged
	}
	// Prompt asks for a line of text; Then is called with it. Changed, if set, is called on
	// each change of the input, and Left if the prompt is left without an answer. Prompts of
	// one topic share earlier answers; an empty topic means the label.
	Prompt struct {
		Label, Value string
		Topic        string
		Example      string // shown while the input is empty
		Then         func(string) tea.Cmd
		Changed      func(string) tea.Cmd
		Left         func() tea.Cmd
		Wider        func(string) tea.Cmd // Tab closes the prompt and asks what else the answer may be for; it gets the answer so far
	}
	// Choose asks a question about something that undo can't revert. Leaving it selects the
	// last option, which is also the default.
	Choose struct {
		Title, Text string
		Options     []Option
		First       bool // the first option is the default
		Arrows      bool // letters are ignored, so that text typed ahead can't answer
		Fresh       bool // the key pressed last is ignored until another one is pressed: a key that is held down can't answer
		Undoes      bool // the text ends with the key that undoes the action in question
	}
	// Work is other work that may take long. The message that Do returns is handled when it
	// ends, unless Esc cancelled it. An error means that nothing was done. Through Do's context
	// the engine reports its progress.
	Work struct {
		Doing string // "archive notes"
		Do    func(context.Context) (tea.Msg, error)
		Keeps bool // what was done before Esc is kept: the message that Do returns is handled nevertheless
		// Cancelled is called with the result of Do if Esc cancelled it; it may be nil.
		Cancelled func(tea.Msg) tea.Cmd
	}
	// Copy copies a text to the clipboard.
	Copy struct{ What, Text string }

	// Edit edits a memory here, External in $EDITOR; Line is counted from 1, and Column is a
	// byte of the line. Row is where the line is on the screen: the text stays in its place.
	Edit struct {
		Path              memfs.Path
		Line, Column, Row int
	}
	External struct {
		Path memfs.Path
		Line int
	}
	// Pager shows a file that is too large to be a memory in $PAGER.
	Pager struct{ Path memfs.Path }
	// FocusTree moves the focus to the tree, FocusMemory to the memory.
	FocusTree   struct{}
	FocusMemory struct{}
	// Cycle moves the focus to the next pane, or with -1 to the previous one. A pane sends it
	// while it takes text, because the root's own keys don't work then.
	Cycle struct{ By int }

	// Create creates a memory at a path that is free.
	Create struct{ Path memfs.Path }
	// NewMemory asks for a path in a folder and creates a memory there.
	NewMemory struct{ Folder memfs.Path }
	// Rename asks for a new path.
	Rename struct{ Path memfs.Path }
	// Delete deletes paths; it asks for confirmation if there are folders among them.
	Delete struct{ Paths []memfs.Path }
	// Move asks for a destination folder; Folder is the initial input.
	Move struct {
		Paths  []memfs.Path
		Folder memfs.Path
	}
	// Search searches all memories, or those below a folder, for a text.
	Search struct {
		Text string
		In   memfs.Path
	}

	// Did reports that an operation on the store has ended.
	Did struct {
		What   string // "deleted 3 memories"; the operation if it failed
		Change versions.Change
		Err    error
		Open   memfs.Path                           // to open afterwards; zero for none
		Moved  map[memfs.Path]memfs.Path            // old and new paths, if there are several
		Then   func(versions.Change, error) tea.Msg // notifies the requester; may be nil
	}
	// Act changes the store and reports what was done. Done returns a message about the
	// outcome for the requester; it may be nil.
	Act struct {
		Doing string // "restore version 3 of /a.md"; shown while it runs
		Did   string // "restored version 3 of /a.md"; how to undo it is added
		Do    func(context.Context) (versions.Change, error)
		Done  func(versions.Change, error) tea.Msg
	}
	// OpenStore switches to another store of the home, and shows a memory of it; without a path the
	// one that was shown there last.
	OpenStore struct {
		ID   versions.StoreID
		Name string
		At   Open
	}
	Undo        struct{ Change int64 } // 0: what the user did last: a change, or a decision about one
	Redo        struct{ Change int64 }
	UndoSession struct{ Session versions.SessionID }
	// UndoSessionOf undoes the session of an agent that last changed the memory of a version.
	UndoSessionOf struct{ Version versions.VersionID }
	// UndoChanges undoes several changes together.
	UndoChanges struct {
		Changes []int64
		Why     string // what they have in common; may be empty
	}
	Restore struct{ Version versions.Version }
	// AskRestore asks what to restore: a version, or the store at a moment: what was at a path, the
	// folder around it, or everything. The root as path stands for no memory and no folder.
	AskRestore struct {
		At      versions.Moment
		Path    memfs.Path
		Folder  bool             // the path is that of a folder
		Version versions.Version // without an id if there is none to restore
	}
	// RestoreAt restores a folder, a memory or (Root) everything to an earlier state.
	RestoreAt struct {
		At   versions.Moment
		Path memfs.Path
	}
	// RestoreSeveral is RestoreAt for several paths together.
	RestoreSeveral struct {
		At    versions.Moment
		Paths []memfs.Path
	}
	// CopyDiff copies the diff of a version to the clipboard.
	CopyDiff struct{ Version versions.VersionID }
	// Compare shows the diff of two current memories.
	Compare struct{ From, To versions.Entry }
	// Sync syncs a store with its branch, or with one of another repository.
	Sync struct {
		Store   versions.StoreID
		Name    string         // of the store
		URL     string         // of the other repository; empty: the branch that it has
		Branch  string         // there; empty: the default one
		Subdir  string         // that holds the memories there
		Rewrite bool           // the person wants to replace the branch by what is in the store
		Then    func() tea.Cmd // is called at the end; may be nil
	}
	// Transfer asks for another store, and moves or copies memories and folders there.
	Transfer struct{ Paths []memfs.Path }
	// Duplicate asks for another path and writes the text of a version there.
	Duplicate struct {
		Path    memfs.Path
		Version versions.VersionID
	}
	// Redact redacts a version, every version of a memory, or every version that contains a
	// text.
	Redact struct {
		Version versions.VersionID
		Memory  versions.MemoryID
		Path    memfs.Path // of the two above, for display
		Match   string
		Mask    string // with Match: what to put in its place in current memories; "" asks
	}
	// RedactVersions redacts several versions.
	RedactVersions struct{ Versions []versions.VersionID }
	// Merge shows two texts of a memory, to be merged by hand. Done is called with the result, at most once.
	Merge struct {
		Path               memfs.Path
		Base, Mine, Theirs []byte
		MineIs             string // names Mine
		Done               func(text []byte) tea.Cmd
	}
	// MarkReviewed marks memories as reviewed, each up to a change. What says so: "kept /a.md".
	MarkReviewed struct {
		UpTo map[versions.MemoryID]int64
		What string
	}
	// MarkAllReviewed marks everything as reviewed.
	MarkAllReviewed struct{}
	// Moved reports that the memory that was at a path is at another one.
	Moved struct{ From, To memfs.Path }
	// ReviewNext opens the next (By 1) or previous (By -1) memory to review.
	ReviewNext struct{ By int }
	// Reviewed reports that the tree shows other memories as reviewed than before, and ReviewChanged that the store has other
	// reviews.
	Reviewed      struct{}
	ReviewChanged struct{}
	// Queue shows what others want to change and what they have changed: at the held change with a number, at the diff of a
	// memory that is to be reviewed, or else at the first row.
	Queue struct {
		Number int64
		Memory versions.MemoryID
		Line   int // of the memory, from 1
	}
	// Policy asks for another policy of the store or, if there is a session, of that session.
	Policy struct{ Session versions.SessionID }
	// Decided reports that a held change was decided about, or that a policy or a pin changed.
	Decided struct{}
	// Pin makes a memory or a folder read-only, Unpin makes it writable again.
	Pin struct {
		Path memfs.Path
		For  versions.PinFor
	}
	Unpin struct{ Path memfs.Path }
	// Follow turns follow mode on: the memory that others read or write is opened.
	Follow struct{}
	// Refresh loads everything again: redacted content must disappear from all lists.
	Refresh struct{}
	// History shows the versions of a memory, at one of them or at the newest.
	History struct {
		Path    memfs.Path
		Memory  versions.MemoryID
		Version versions.VersionID
	}
	// ShowChange shows a change in the list of all changes, Timeline the store right after it.
	ShowChange struct{ Change int64 }
	Timeline   struct{ Change int64 }
	// Trace shows what a text may come from, or what may come from it: a version or one of its lines,
	// a memory, or what a session read. One of Version, Memory and Session is set.
	Trace struct {
		Path    memfs.Path // of the version or the memory
		Version versions.VersionID
		Line    int // of the version, from 1; 0 for all
		Memory  versions.MemoryID
		Session versions.SessionID
	}
	// Conversation shows what was said in a session, at a call.
	Conversation struct {
		Session versions.SessionID
		Call    string
	}
	// Blame shows a memory, or one of its versions, with the author of each line.
	Blame struct {
		Path    memfs.Path
		Version versions.VersionID // empty for the current one
		Line    int
	}

	// StoreEvent is an event of the store.
	StoreEvent struct{ Event versions.Event }
	// StoreProblem reports that the store can't be watched or read.
	StoreProblem struct{ Err error }
	// Grown reports that there is more of a conversation.
	Grown struct{ Session versions.SessionID }
	// Followed reports that follow mode opened a memory.
	Followed struct{}
	// Now sets the time.
	Now struct{ Time time.Time }
)

// Option is one answer of a question; a nil Then changes nothing.
type Option struct {
	Key, Label string
	About      string // explains the option while the cursor is on it; may be empty
	Then       func() tea.Cmd
}

// Writes reports whether a request changes the store, or begins to. One that is declared elsewhere has a method of that name.
func Writes(r Request) bool {
	switch r.(type) {
	case Act, NewMemory, Create, Edit, External, Rename, Move, Delete, Transfer, Duplicate, Undo, Redo, UndoSession, UndoSessionOf, UndoChanges,
		Restore, AskRestore, RestoreAt, RestoreSeveral, Redact, RedactVersions, Policy, Pin, Unpin:
		return true
	}
	_, writes := r.(interface{ Writes() })
	return writes
}
