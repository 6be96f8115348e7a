// Package screen is what the panes and screens of the program share: their interface to the
// root, and their requests to it.
//
// A pane has its own place in the frame; a screen is a pane that takes the whole frame until
// it is left. Neither depends on other panes or on the root: for what it can't do itself, it
// sends a Request, which the Root performs.
package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/versions"
)

// Pane is a part of the screen. All methods are called from one goroutine.
type Pane interface {
	// Update handles mouse events relative to the pane, pasted text and, while the pane takes
	// text, keys. The result of a command of the pane is returned as a Reply, never through
	// Update.
	Update(tea.Msg) tea.Cmd
	// Press handles a sequence of keys while the pane takes no text.
	Press(seq []string, n int) (tea.Cmd, keys.Result)
	// Entries returns the available actions, most important first.
	Entries() []keys.Entry
	// TakesText reports whether keys are text, or handled by the pane itself.
	TakesText() bool

	// View returns exactly the rows and columns of SetSize. It changes nothing.
	View() string
	SetSize(w, h int)
	// Title returns what the pane shows, and details about it.
	Title() (name, info string)
	// Cursor returns the place of the terminal's cursor, if it is visible.
	Cursor() (x, y int, ok bool)
	SetTheme(*theme.Theme)
	SetNow(time.Time) // for ages
}

// Wrapper is a pane that shows texts; SetWrap sets whether long lines are wrapped by default.
type Wrapper interface{ SetWrap(bool) }

// Selector is a pane with a selected row. Selected returns the cell where the row begins; the
// terminal's cursor is placed there for screen readers.
type Selector interface {
	Selected() (x, y int, ok bool)
}

// Dragger is a pane that scrolls when dragged. Beyond reports whether the mouse is held beyond
// the upper or lower edge: while it is, the root repeats the mouse event, and the pane scrolls
// with each repetition.
type Dragger interface{ Beyond() bool }

// Progresser is a screen that reports the progress of its work; total is 0 while there is
// none.
type Progresser interface{ Progress() (done, total int64) }

// Decider is a screen that previews an operation for the user to decide. While it is open the
// root starts no change, because that would change the basis of the preview without notice.
type Decider interface {
	// Decides names what is decided: "plan". It is empty once that is done.
	Decides() string
	// Stays reports whether only its own keys close it, but not opening a memory.
	Stays() bool
}

// Starter is a screen that loads its content when it is opened.
type Starter interface{ Start() tea.Cmd }

// Closer is a screen with resources to release: Close ends what it has running.
type Closer interface{ Close() }

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

	Deleted bool // by the newest change
}
