package ui

import (
	"context"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	events "github.com/memend/memend/agent"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/agents"
	"github.com/memend/memend/ui/branches"
	"github.com/memend/memend/ui/conversation"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/editing"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/history"
	"github.com/memend/memend/ui/jobs"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/live"
	"github.com/memend/memend/ui/memory"
	"github.com/memend/memend/ui/preview"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/ui/trace"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/versions"
)

// Background is the background that the colours are made for.
type Background int

const (
	Auto Background = iota // ask the terminal; dark until it answers
	Dark
	Light
)

// Config is the configuration of the screens. Except for Store and By, the zero value of each
// field is a sensible default.
type Config struct {
	Store       Store
	By          versions.By      // the person at the keyboard
	Now         func() time.Time // defaults to time.Now
	Background  Background
	NoColor     bool
	Mouse       bool
	SyncEvery   time.Duration // the pace of syncs in the background; 0: there are none
	Stale       time.Duration // how long a stale memory is unread; defaults to tree.StaleAfter
	NoAnimation bool          // don't highlight recent changes
	ReadOnly    bool          // nothing can be written
	Banner      string        // a permanent notice in the status line: "demo"
	Banners     <-chan Banner // later values of Banner; may be nil
	Follow      bool          // start with following the agents
	Editor      string        // command of the external editor; defaults to VISUAL or EDITOR
	Settings    string        // the settings file; empty if this system has no folder for it
	// ReadSettings reads the settings again, and returns what is wrong with them.
	ReadSettings func() error
	Open         screen.Open        // what to show first; without a path what was shown last
	OpenAgents   bool               // start with the agents pane open and focused
	Stores       Stores             // of the home; nil if there is only this one
	Agents       agents.Manager     // runs agents here; nil if they are disabled
	Trail        trace.Trail        // follows reads and writes through all stores; nil if there is none
	Talks        live.Conversations // recorded conversations with agents; nil if they are not recorded
	// Prompt returns the first prompt of a session of an agent that runs elsewhere, or "" if it
	// is unknown; it may block. It may be nil.
	Prompt func(versions.SessionID) string
	// Transcript returns the events of a session of an agent that runs elsewhere, none if it is unknown; it may
	// block. It may be nil.
	Transcript func(context.Context, versions.SessionID) ([]events.Event, error)
	Drafts     editing.Drafts // storage for unsaved texts; nil for none
	Keys       keys.Bindings  // key bindings that replace the defaults

	Theme      string // "auto", which is the default, or one of Themes
	ThemeDark  string // the theme for "auto" on a dark background; empty for the default one
	ThemeLight string
	Themes     theme.Set
	ASCII      bool // draw lines with ASCII characters
	NoWrap     bool // cut long lines by default
	Progress   bool // show the progress of long work in the terminal's progress bar
	Reorders   bool // the terminal reorders right-to-left text
	CursorRow  bool // put the terminal's cursor on the selected row, for screen readers

	First *live.First // the first read of the store, if it has started already
	Read  func()      // called once the store has been read and shown, before its folder is scanned; may be nil
	Idle  func()      // called when the first scan is shown, and while the program is idle; may be nil

	Input  io.Reader // defaults to the terminal
	Output io.Writer
}

// prompt returns the first prompt of a session, or "" if it is unknown. It may block.
func (cfg *Config) prompt(id versions.SessionID) string {
	if cfg.Talks != nil {
		if asked := agents.Prompt(cfg.Talks, id); asked != "" {
			return asked
		}
	}
	if cfg.Prompt != nil {
		return cfg.Prompt(id)
	}
	return ""
}

// recorded returns what is known of a conversation. It may block.
func (cfg *Config) recorded(ctx context.Context, id versions.SessionID) (talk.Recorded, error) {
	if cfg.Talks != nil {
		if begun, _, err := cfg.Talks.Read(id, 0); err == nil && len(begun) > 0 {
			return cfg.Talks, nil
		}
	}
	if cfg.Transcript == nil {
		return conversation.Told(nil), nil
	}
	told, err := cfg.Transcript(ctx, id)
	if err != nil {
		return nil, err
	}
	made, err := cfg.Store.Changes(ctx, versions.Filter{Session: id}, 0, maxTold)
	if err != nil {
		return nil, err
	}
	conversation.InStore(told, cfg.Store.Info(), made)
	return conversation.Told(told), nil
}

// maxTold is how many changes of a session are found in its conversation.
const maxTold = 10_000

// before returns what the agent said before a call, and the call in a few words. It may block.
func (cfg *Config) before(ctx context.Context, id versions.SessionID, call string) (words, did string, err error) {
	kept, err := cfg.recorded(ctx, id)
	if err != nil {
		return "", "", err
	}
	return talk.Before(ctx, kept, id, call)
}

// Banner is a new value of Config.Banner.
type Banner struct {
	Text   string
	Notice string // a message that stays until a key is pressed; empty for none
}

// App is the root of the screens. It does not need a terminal. It is not safe for concurrent
// use: one goroutine sends it messages and draws its frames.
type App struct {
	cfg  Config
	ctx  context.Context
	th   *theme.Theme
	keys *keys.Map[*App]
	info versions.StoreInfo
	now  time.Time

	dark   bool // the terminal's background, independent of the theme
	colors theme.Colors

	w, h   int
	frame  frame.Frame
	repeat frame.Repeat // of a drag beyond an edge

	tree    *tree.Pane
	memory  *memory.Pane
	history *history.Pane  // nil while it is closed
	agents  *agents.Pane   // nil while it is closed
	screens stack          // each takes the whole frame
	overlay dialog.Overlay // takes all keys while it is open
	prompt  *dialog.Prompt // takes all keys except those of the overlay
	placed  screen.Pane    // the pane in the memory's place when the layout was computed
	covered int            // rows of the panes that a message took then

	root     root
	editing  *editing.Room
	preview  *preview.Room
	live     *live.Room
	branches *branches.Room
	others   func(context.Context, versions.StoreID) (talk.Store, error) // opens the stores that agents' calls changed
	jobs     *jobs.Jobs                                                  // running operations
	notices  *jobs.Notices
	news     string // the newest notice of a banner

	out     screen.Out                    // requests to the root
	effects []tea.Cmd                     // commands for the owner of the program
	unsent  map[versions.SessionID]string // prompts to agents that are typed but not sent
	answers dialog.Answers
	next    *Config // set to switch to another store

	lastKey string                               // that was pressed
	pending keys.Pending                         // keys typed so far of a sequence
	actions func() []keys.Entry                  // of all panes
	later   func(time.Duration, tea.Msg) tea.Cmd // sends a message after a delay; tests replace it
}

// Effects returns and removes the commands whose messages are not for the App.
func (a *App) Effects() tea.Cmd {
	cmds := a.effects
	a.effects = nil
	return tea.Batch(cmds...)
}
