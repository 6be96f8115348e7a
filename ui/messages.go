package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/ui/tree"
	"github.com/memtrail/memtrail/versions"
)

// Requests of the memory to the root, beside those of package screen.
type (
	editMsg     struct{}           // the open memory, here
	externalMsg struct{ line int } // the open memory, in $EDITOR
	focusMsg    struct{ slot slot }
)

// What commands bring back.
type (
	treeLoadedMsg struct {
		id      int
		data    *tree.Data
		changed []versions.Entry // since the reading before
		last    versions.Change  // the newest of the store; zero when there is none
		now     time.Time
		err     error
	}
	// settledMsg says that the first look at the folder is over.
	settledMsg struct{ err error }
	// watchStartedMsg brings the channel of events, or says why there is none.
	watchStartedMsg struct {
		events <-chan versions.Event
		err    error
	}
	// eventMsg is one event of the store; closed ends them.
	eventMsg struct {
		event  versions.Event
		closed bool
	}
	// fileOpenedMsg brings a file and its first screen.
	fileOpenedMsg struct {
		id   int
		path memfs.Path
		doc  *document
		err  error
	}
	// pieceMsg brings the next piece of a file's line index.
	pieceMsg struct {
		id    int
		piece piece
		err   error
	}
	// windowMsg brings lines that were scrolled to.
	windowMsg struct {
		id     int
		window window
		err    error
	}
	// foundMsg brings the hits of one step of a search in the open file.
	foundMsg struct {
		id   int
		hits []hit
		next searchState
		err  error
	}
	// doneMsg is the outcome of an act on the store.
	doneMsg struct {
		did    string // "deleted 3 memories"
		change versions.Change
		open   memfs.Path                           // to show afterwards; zero for none
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
