package history

import (
	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/ui/diffview"
	"github.com/memtrail/memtrail/versions"
)

// Requests to the owner.
type (
	// RestoreRequest makes a memory again what it was in Version.
	RestoreRequest struct{ Version versions.Version }
	// UndoRequest takes a change back.
	UndoRequest struct{ Change int64 }
	// RedoRequest brings an undone change back.
	RedoRequest struct{ Change int64 }
	// OpenRequest shows a memory. Other than the rest it changes nothing.
	OpenRequest struct {
		Path   memfs.Path
		Memory versions.MemoryID
	}
	// BackRequest gives the keys back to the pane that had them before.
	BackRequest struct{}
)

// Msg is what the pane's commands bring back: the owner passes it on to Update,
// whoever has the focus.
type Msg interface{ historyMsg() }

type (
	// versionsMsg brings a page of versions of a memory, to add at the end.
	versionsMsg struct {
		id   int
		page []versions.Version
		err  error
	}
	// newVersionsMsg brings the newest versions of a memory after an event.
	newVersionsMsg struct {
		id   int
		page []versions.Version
		err  error
	}
	// changesMsg brings a page of changes, to add at the end.
	changesMsg struct {
		id   int
		page []versions.Change
		err  error
	}
	// newChangesMsg brings the newest changes, when an event left them out.
	newChangesMsg struct {
		id   int
		page []versions.Change
		err  error
	}
	// detailMsg brings the versions of one change.
	detailMsg struct {
		id     int // of the list that asked
		change int64
		list   []versions.Version
		err    error
	}
	// comparedMsg brings what differs between two versions.
	comparedMsg struct {
		id    int
		path  string
		title string
		doc   *diffview.Document
	}
)

func (versionsMsg) historyMsg()    {}
func (newVersionsMsg) historyMsg() {}
func (changesMsg) historyMsg()     {}
func (newChangesMsg) historyMsg()  {}
func (detailMsg) historyMsg()      {}
func (comparedMsg) historyMsg()    {}
