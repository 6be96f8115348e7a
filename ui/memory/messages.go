package memory

import (
	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/ui/screen"
)

// What commands bring back.
type (
	// fileOpenedMsg brings a file and its first screen.
	fileOpenedMsg struct {
		screen.Answered
		id   int
		path memfs.Path
		doc  *document
		err  error
	}
	// pieceMsg brings the next piece of a file's line index.
	pieceMsg struct {
		screen.Answered
		id    int
		piece piece
		err   error
	}
	// windowMsg brings lines that were scrolled to.
	windowMsg struct {
		screen.Answered
		id     int
		window window
		err    error
	}
	// foundMsg brings the hits of one step of a search in the open file.
	foundMsg struct {
		screen.Answered
		id   int
		hits []hit
		next searchState
		err  error
	}
)
