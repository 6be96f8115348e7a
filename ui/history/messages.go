package history

import (
	"github.com/memtrail/memtrail/ui/diffview"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/versions"
)

// What commands bring back.
type (
	// versionsMsg brings a page of versions of a memory, to add at the end.
	versionsMsg struct {
		screen.Answered
		id   int
		page []versions.Version
		err  error
	}
	// newVersionsMsg brings the newest versions of a memory after an event.
	newVersionsMsg struct {
		screen.Answered
		id   int
		page []versions.Version
		err  error
	}
	// changesMsg brings a page of changes, to add at the end.
	changesMsg struct {
		screen.Answered
		id   int
		page []versions.Change
		err  error
	}
	// newChangesMsg brings the newest changes, when an event left them out.
	newChangesMsg struct {
		screen.Answered
		id   int
		page []versions.Change
		err  error
	}
	// detailMsg brings the versions of one change.
	detailMsg struct {
		screen.Answered
		id     int // of the list that asked
		change int64
		list   []versions.Version
		err    error
	}
	// comparedMsg brings what differs between two versions.
	comparedMsg struct {
		screen.Answered
		id    int
		path  string
		title string
		doc   *diffview.Document
	}
)

func (versionsMsg) historyMsg()   {}
func (changesMsg) historyMsg()    {}
func (newChangesMsg) historyMsg() {}
func (detailMsg) historyMsg()     {}
func (comparedMsg) historyMsg()   {}
