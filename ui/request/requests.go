// Package request has what panes ask of the root about the store and its past. What needs
// nothing of the engine is in ui/screen: a pane that shows two texts links no database.
package request

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// Watcher is a pane that wants to know what happens in the store.
type Watcher interface {
	Event(versions.Event) tea.Cmd
}

// Review is what is to be reviewed of a memory: what others did to it after change UpTo.
type Review struct {
	Memory versions.MemoryID
	UpTo   int64
	Change int64          // the newest, as it is shown
	Me     versions.Actor // whose own changes need no review
}

// They are imperative, as those of ui/screen.
type (
	// Did tells of an act on the store that is over.
	Did struct {
		What   string // "deleted 3 memories"; the act itself where it failed
		Change versions.Change
		Err    error
		Open   memfs.Path                           // to show afterwards; zero for none
		Moved  map[memfs.Path]memfs.Path            // what went where, of several
		Then   func(versions.Change, error) tea.Msg // tells who asked; nil for nobody
	}
	// Act changes the store and says what was done. Done makes a message of the outcome
	// for whoever waits for it; nil when nobody does.
	Act struct {
		Doing string // "restore version 3 of /a.md"; while it is done
		Did   string // "restored version 3 of /a.md"; how to take that back is added
		Do    func(context.Context) (versions.Change, error)
		Done  func(versions.Change, error) tea.Msg
	}
	// OpenStore leaves this store for another one of the home.
	OpenStore struct {
		ID   versions.StoreID
		Name string
	}
	Undo        struct{ Change int64 } // 0: the newest of this person's own
	Redo        struct{ Change int64 }
	UndoSession struct{ Session versions.SessionID }
	// UndoChanges takes several back together.
	UndoChanges struct{ Changes []int64 }
	Restore     struct{ Version versions.Version }
	// RestoreAt makes a folder, a memory or (Root) everything what it was.
	RestoreAt struct {
		At   versions.Moment
		Path memfs.Path
	}
	// RestoreSeveral is RestoreAt for several of them together.
	RestoreSeveral struct {
		At    versions.Moment
		Paths []memfs.Path
	}
	// CopyDiff brings to the clipboard what a version changed.
	CopyDiff struct{ Version versions.VersionID }
	// Compare shows what differs between two memories as they stand.
	Compare struct{ From, To versions.Entry }
	// Duplicate asks for another path, and writes there what a version holds.
	Duplicate struct {
		Path    memfs.Path
		Version versions.VersionID
	}
	// Redact erases a version, every version of a memory, or every one that holds a
	// text.
	Redact struct {
		Version versions.VersionID
		Memory  versions.MemoryID
		Path    memfs.Path // of the two above, to be named
		Match   string
	}
	// RedactVersions erases several versions.
	RedactVersions struct{ Versions []versions.VersionID }
	// See marks memories as reviewed, each up to a change.
	See struct{ UpTo map[versions.MemoryID]int64 }
	// Reviewed tells that memories were marked as reviewed. Who asks for See needs no
	// Reviewed.
	Reviewed struct{}
	// Refresh reads everything again: what was erased is in no list any more.
	Refresh struct{}
	// History shows the versions of a memory, at one of them or the newest.
	History struct {
		Path    memfs.Path
		Memory  versions.MemoryID
		Version versions.VersionID
	}
	// ShowChange shows a change in the list of all; Scrub the store as it was then.
	ShowChange struct{ Change int64 }
	Scrub      struct{ Change int64 }
	// Blame shows a memory with who wrote each line, as it is or as a version of it
	// was.
	Blame struct {
		Path    memfs.Path
		Version versions.VersionID // empty for now
		Line    int
	}
)
