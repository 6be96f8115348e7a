// Package screen is what the panes and screens of the program share: their interface to the
// root, and their requests to it.
//
// A pane has its own place in the frame; a screen is a pane that takes the whole frame until
// it is left. Neither depends on other panes or on the root: for what it can't do itself, it
// sends a message of this package.
package screen

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/keys"
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
	// Stores lists the stores of the home, Discover the folders of other tools, and Connect
	// the stores of a service.
	Stores   struct{}
	Discover struct{}
	Connect  struct{}
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
	// FindMemory finds a memory by letters of its path.
	FindMemory struct{}
	// Search searches all memories, or those below a folder, for a text.
	Search struct {
		Text string
		In   memfs.Path
	}
)

// Option is one answer of a question; a nil Then changes nothing.
type Option struct {
	Key, Label string
	About      string // explains the option while the cursor is on it; may be empty
	Then       func() tea.Cmd
}
