// Package request has the requests from panes to the root about the store and its history.
// Requests that don't depend on the engine are in ui/screen, so that a pane that shows two
// texts does not link a database.
package request

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Watcher is a pane that receives the events of the store.
type Watcher interface {
	Event(versions.Event) tea.Cmd
}

// Looker is a pane that finds out itself what no event of the store reports.
type Looker interface {
	Look() tea.Cmd // is called each minute
}

// Review is what to review of a memory: changes by others after change UpTo.
type Review struct {
	Memory versions.MemoryID
	UpTo   int64
	Change int64          // the newest, as shown
	Me     versions.Actor // their own changes need no review
}

// Their names are imperative, as in ui/screen.
type (
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
		At   screen.Open
	}
	Undo        struct{ Change int64 } // 0: the user's newest change
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
	// MarkReviewed marks memories as reviewed, each up to a change.
	MarkReviewed struct{ UpTo map[versions.MemoryID]int64 }
	// MarkAllReviewed marks everything as reviewed.
	MarkAllReviewed struct{}
	// ReviewNext opens the next (By 1) or previous (By -1) memory to review.
	ReviewNext struct{ By int }
	// RestoreHunk writes the text of a memory in which a hunk was restored, if its content is
	// still Base. What describes the hunk.
	RestoreHunk struct {
		Path    memfs.Path
		Base    versions.Hash
		Content []byte
		What    string
	}
	// Reviewed reports that memories were marked as reviewed. The sender of MarkReviewed does not need
	// it.
	Reviewed struct{}
	// Queue shows what others want to change and what they have changed, at the held change with a
	// number; 0 stands for the first row.
	Queue struct{ Number int64 }
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
	// Blame shows a memory, or one of its versions, with the author of each line.
	Blame struct {
		Path    memfs.Path
		Version versions.VersionID // empty for the current one
		Line    int
	}
)
