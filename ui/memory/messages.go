package memory

import (
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// What commands bring back.
type (
	// fileOpenedMsg brings a file and its first screen, or what is known of one that
	// is there no more.
	fileOpenedMsg struct {
		screen.Answered
		id   int
		path memfs.Path
		doc  *document
		gone *gone
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
	// bytesMsg brings bytes that were scrolled to, where bytes are shown.
	bytesMsg struct {
		screen.Answered
		id    int
		at    int64
		bytes []byte
		err   error
	}
	// byteLineMsg brings the line in which a byte stands that is gone to.
	byteLineMsg struct {
		screen.Answered
		id   int
		line int
		err  error
	}
	// headMsg brings the newest version of the open memory; nil when it has none.
	headMsg struct {
		screen.Answered
		id   int
		head *versions.Version
	}
	// foundMsg brings the hits of one step of a search in the open file.
	foundMsg struct {
		screen.Answered
		id   int
		hits []hit
		next searchState
		err  error
	}
	// blameMsg brings who wrote each line.
	blameMsg struct {
		screen.Answered
		id    int
		blame *blame
		err   error
	}
	// linkMsg brings where a link leads.
	linkMsg struct {
		screen.Answered
		id int
		to destination
	}
)
