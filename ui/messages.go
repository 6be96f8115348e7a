package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/versions"
)

// What commands bring back.
type (
	treeLoadedMsg struct {
		id      int
		reading *tree.Reading
		changed []versions.Entry // since the reading before
		last    versions.Change  // the newest of the store; zero when there is none
		now     time.Time
		err     error
	}
	// settledMsg says that the first look at the folder is over, and brings the
	// events of what comes after it or says why there are none.
	settledMsg struct {
		events  <-chan versions.Event
		changed bool // something was taken in
		newest  int64
		err     error
	}
	// eventMsg is one event of the store; closed ends them.
	eventMsg struct {
		event  versions.Event
		closed bool
	}
	// doneMsg is the outcome of an act on the store.
	doneMsg struct {
		did    string // "deleted 3 memories"
		change versions.Change
		open   memfs.Path                           // to show afterwards; zero for none
		moved  map[memfs.Path]memfs.Path            // what went where, of several
		then   func(versions.Change, error) tea.Msg // tells who asked; nil for nobody
		err    error
	}
	tickMsg         struct{ now time.Time } // ages grow
	flashOverMsg    struct{ id int }
	toastOverMsg    struct{ id int }
	seqWaitMsg      struct{ id int } // a sequence of keys was begun and not gone on with
	externalDoneMsg struct {         // $EDITOR has ended
		job *externalJob
		err error
	}
)
