// Package screen is what the panes and screens of the program share: the
// interface that the root knows them by, and what they ask of it.
//
// A pane has a place of its own in the frame; a screen is a pane that takes the
// whole frame until it is left. Neither knows the other's type, nor the root's:
// what one can't do itself it asks for by a message of this package.
package screen

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/keys"
)

// Pane is one part of the screen. All methods are called from one goroutine.
type Pane interface {
	// Update takes the mouse in the pane's own coordinates, pasted text and, while it
	// takes text, keys. What a command of the pane finds comes as a Reply, and never here.
	Update(tea.Msg) tea.Cmd
	// Press obeys a sequence of keys, while the pane takes no text.
	Press(seq []string, n int) (tea.Cmd, keys.Result)
	// Entries are the actions that there are, the most needed first.
	Entries() []keys.Entry
	// TakesText reports whether every key is text, or for the pane itself to obey.
	TakesText() bool

	// View is exactly the rows and columns of SetSize. It changes nothing.
	View() string
	SetSize(w, h int)
	// Title is what the pane shows, and what is worth knowing about it.
	Title() (name, info string)
	// Cursor is where the terminal's cursor belongs, if it shows.
	Cursor() (x, y int, ok bool)
	SetTheme(*theme.Theme)
	SetNow(time.Time) // for ages
}

// Wrapper is a pane that shows texts: whether their long lines are broken into
// rows to begin with.
type Wrapper interface{ SetWrap(bool) }

// Selector is a pane in which a row is selected. Selected is the cell where it begins;
// screen readers are led there by the terminal's cursor.
type Selector interface {
	Selected() (x, y int, ok bool)
}

// Dragger is a pane whose drags scroll it. Beyond reports whether one is held beyond
// its upper or lower edge: as long as it is, the root repeats where the mouse is, and
// with each repetition the pane scrolls on.
type Dragger interface{ Beyond() bool }

// Progresser is a screen that knows how far its work is; total is 0 while there is
// none.
type Progresser interface{ Progress() (done, total int64) }

// Decider is a screen that shows what would be done, for somebody to decide. As long as
// it is there the root changes nothing: what it was made from would change underneath,
// unseen.
type Decider interface {
	// Decides names what is decided about: "plan".
	Decides() string
	// Stays reports whether only its own keys leave it, and no memory that is opened.
	Stays() bool
}

// Starter is a screen that begins by asking for what it shows.
type Starter interface{ Start() tea.Cmd }

// Closer is a screen that holds something: what it has under way ends.
type Closer interface{ Close() }

// What a pane asks of the root. They are imperative because what happened was a
// key, and the pane has already decided what it means.
type (
	// Open shows a memory.
	Open struct {
		Path memfs.Path
		Line int    // to go to, from 1; 0 for where it was left
		Find string // what to look for there from Line on, as the memory's own search takes it
		Stay bool   // the focus stays where it is
		// Again says that nobody asked for it now: it was open before, and counts
		// as not looked at.
		Again bool
	}
	// Show puts a screen over everything; Back takes the one in front away again, or
	// gives the focus back. Drop takes a screen away wherever it is.
	Show struct{ Pane Pane }
	Back struct{}
	Drop struct{ Pane Pane }
	// Terminal hands a command to the one who runs the program: one whose message is
	// not for us, as that of tea.Quit.
	Terminal struct{ Do tea.Cmd }
	// Notice tells the person something.
	Notice struct {
		Text string
		Bad  bool
	}
	// Prompt asks for a line of text; Then gets what was typed. Changed, when there
	// is one, gets it as it is typed, and Left is told that it was left unanswered.
	// Prompts of one topic share what was typed before; an empty topic is the label.
	Prompt struct {
		Label, Value string
		Topic        string
		Example      string // shown while nothing is typed
		Then         func(string) tea.Cmd
		Changed      func(string) tea.Cmd
		Left         func() tea.Cmd
	}
	// Choose asks a question that undo could not answer. Leaving it takes the last
	// option, on which the cursor begins.
	Choose struct {
		Title, Text string
		Options     []Option
		First       bool // the cursor begins on the first option
		Arrows      bool // letters do nothing: a text that is typed ahead can't answer
		Undoes      bool // the text ends with the key that undoes what is asked about
	}
	// Work is something else that may take a while: what Do gives is obeyed when it is
	// over, unless Esc cancelled it. An error says that nothing was done. With the
	// context that Do is given the engine tells how far it is.
	Work struct {
		Doing string // "archive notes"
		Do    func(context.Context) (tea.Msg, error)
		Keeps bool // what was done until Esc stays: what Do gives is obeyed all the same
		// Cancelled is called with what Do gave when Esc cancelled it; it may be nil.
		Cancelled func(tea.Msg) tea.Cmd
	}
	// Copy brings a text to the clipboard.
	Copy struct{ What, Text string }

	// Edit edits a memory here, External in $EDITOR; Line is counted from 1.
	Edit struct {
		Path memfs.Path
		Line int
	}
	External struct {
		Path memfs.Path
		Line int
	}
	// FocusTree gives the keys to the tree, FocusMemory to the memory.
	FocusTree   struct{}
	FocusMemory struct{}
	// Cycle gives the keys to the next pane, or with -1 to the previous one. A pane asks
	// for it where it takes text, and the root's own keys do not work.
	Cycle struct{ By int }

	// Create begins a memory at a path where none is.
	Create struct{ Path memfs.Path }
	// Stores lists the stores of the home, Discover what other tools keep, and Connect
	// what a service keeps.
	Stores   struct{}
	Discover struct{}
	Connect  struct{}
	// NewMemory asks for a path in a folder, and writes there.
	NewMemory struct{ Folder memfs.Path }
	// Rename asks for another path.
	Rename struct{ Path memfs.Path }
	// Delete deletes; it asks first where folders are meant.
	Delete struct{ Paths []memfs.Path }
	// Move asks for the folder to bring them to; Folder is where one begins to type.
	Move struct {
		Paths  []memfs.Path
		Folder memfs.Path
	}
	// FindMemory finds one by letters of its path.
	FindMemory struct{}
	// Search looks for a text in all memories, or below a folder.
	Search struct {
		Text string
		In   memfs.Path
	}
)

// Option is one answer of a question; nil Then changes nothing.
type Option struct {
	Key, Label string
	Then       func() tea.Cmd
}
