package ui

import (
	"context"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/agents"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/editing"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/history"
	"github.com/memend/memend/ui/jobs"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/live"
	"github.com/memend/memend/ui/memory"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/versions"
)

// Look is the background that the colours are made for.
type Look int

const (
	Auto Look = iota // ask the terminal; dark until it answers
	Dark
	Light
)

// Config is all that the screens need to know. The zero value of a field beside
// Store and By is a sensible default.
type Config struct {
	Store      Store
	By         versions.By      // who the person at the keyboard is
	Now        func() time.Time // time.Now when nil
	Look       Look
	NoColor    bool
	Mouse      bool
	Stale      time.Duration // unread for so long is stale; tree.StaleAfter when zero
	Still      bool          // nothing lights up that has just changed
	ReadOnly   bool          // nothing can be written
	Banner     string        // a notice that stays in the status line: "demo"
	Banners    <-chan string // others that come to stand in its place; may be nil
	Follow     bool          // what agents are at opens to begin with
	Editor     string        // command of the external editor; VISUAL or EDITOR when empty
	Open       memfs.Path
	OpenAgents bool               // the pane of the agents is there to begin with, and has the keys
	Stores     Stores             // of the home; nil when there is only this one
	Agents     agents.Manager     // runs agents here; nil: they are switched off
	Talks      live.Conversations // what was said with agents; nil: it is not kept
	Drafts     editing.Drafts     // where texts that are not saved are kept; nil for nowhere
	Keys       keys.Bindings      // keys that replace those of actions

	Theme      string // "auto", as when it is empty, or one of Themes
	ThemeDark  string // what "auto" stands for on a dark background; the default one when empty
	ThemeLight string
	Themes     theme.Set
	ASCII      bool // lines are drawn with ASCII characters
	NoWrap     bool // long lines are cut off to begin with
	Progress   bool // the terminal shows how far long work is, in a bar of its own
	Reorders   bool // the terminal puts right-to-left text into its own order
	CursorRow  bool // the terminal's cursor stands on what is selected, for screen readers

	First *live.First // the first reading, when it was begun already

	Input  io.Reader // the terminal when nil
	Output io.Writer
}

// App is the root of the screens. It is made without a terminal, and is not safe
// for concurrent use: one goroutine sends it messages and asks for frames.
type App struct {
	cfg  Config
	ctx  context.Context
	th   *theme.Theme
	keys *keys.Map[*App]
	info versions.StoreInfo
	now  time.Time

	dark      bool // what the terminal is, whatever the theme
	colors    theme.Colors
	graphemes bool // the terminal counts columns by grapheme cluster

	w, h   int
	frame  frame.Frame
	repeat frame.Repeat // of a drag beyond an edge

	tree    *tree.Pane
	memory  *memory.Pane
	history *history.Pane  // nil while it is closed
	agents  *agents.Pane   // nil while it is closed
	screens []screen.Pane  // take the whole frame, the last is in front
	overlay dialog.Overlay // takes all keys while it is there
	prompt  *dialog.Prompt // takes all keys but those of the overlay
	placed  screen.Pane    // in the place of the memory when the frame was divided

	rooms   []room
	editing *editing.Room
	live    *live.Room
	jobs    *jobs.Jobs // what is under way for the person
	notices *jobs.Notices

	out     screen.Out                    // what is asked of the root
	effects []tea.Cmd                     // for the one who runs the program
	unsent  map[versions.SessionID]string // prompts for agents that are written and not sent
	answers dialog.Answers
	next    *Config // another store is to be shown

	pending keys.Pending                         // typed, and not an action yet
	later   func(time.Duration, tea.Msg) tea.Cmd // a message after a time; tests leave it out
}

// room is a part of the root that obeys some of the requests.
type room interface {
	Update(tea.Msg) (cmd tea.Cmd, taken bool)
}

// Effects takes the commands whose messages are not for the App.
func (a *App) Effects() tea.Cmd {
	cmds := a.effects
	a.effects = nil
	return tea.Batch(cmds...)
}
