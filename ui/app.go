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
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/history"
	"github.com/memend/memend/ui/jobs"
	"github.com/memend/memend/ui/keys"
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
	OpenAgents bool          // the pane of the agents is there to begin with, and has the keys
	Stores     Stores        // of the home; nil when there is only this one
	Agents     agents.Crew   // runs agents here; nil: they are switched off
	Talks      Conversations // what was said with agents; nil: it is not kept
	Drafts     Drafts        // where texts that are not saved are kept; nil for nowhere
	Keys       keys.Bindings // keys that replace those of actions

	Theme      string // "auto", as when it is empty, or one of Themes
	ThemeDark  string // what "auto" stands for on a dark background; the default one when empty
	ThemeLight string
	Themes     theme.Set
	ASCII      bool // lines are drawn with ASCII characters
	NoWrap     bool // long lines are cut off to begin with
	Progress   bool // the terminal shows how far long work is, in a bar of its own
	Reorders   bool // the terminal puts right-to-left text into its own order
	CursorRow  bool // the terminal's cursor stands on what is selected, for screen readers

	First *First // the first reading, when it was begun already

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

	dark   bool // what the terminal is, whatever the theme
	colors theme.Colors

	w, h      int
	focus     slot
	zoomed    bool
	frame     frame
	ratios    ratios
	dragging  bool // the mouse moves a border,
	dragged   int  // this one of the frame
	held      held // a drag beyond an edge
	graphemes bool // the terminal counts columns by grapheme cluster

	tree    *tree.Pane
	memory  *memory.Pane
	edit    *editing // in the place of memory while a memory is edited
	clip    *editor.Clipboard
	keeping keeping        // the draft of what is edited
	history *history.Pane  // nil while it is closed
	agents  *agents.Pane   // nil while it is closed
	before  slot           // had the focus before the history or the agents
	side    slot           // of these, the one that had it last
	screens []screen.Pane  // take the whole frame, the last is in front
	overlay dialog.Overlay // takes all keys while it is there
	prompt  *prompt        // takes all keys but those of the overlay

	following following // agents

	unsent map[versions.SessionID]string // prompts for agents that are written and not sent
	out    screen.Out                    // what panes ask for
	atWork int                           // agents that run here

	typed map[string][]string // into prompts, by their topic

	next *Config // another store is to be shown

	count int      // typed before an action
	seq   []string // keys of a sequence that was begun
	seqID int

	info        versions.StoreInfo
	loads       screen.Question
	loading     bool
	settling    bool            // what others did before we looked is being taken in
	shown       <-chan struct{} // closed when the first frame is on the terminal; nil: it is
	unlooked    bool            // the person cancelled that
	settled     bool            // what others did before we looked is taken in: from now on changes are news
	again       bool            // read the tree once more when the reading under way is done
	events      <-chan versions.Event
	watching    watchState
	upstream    versions.UpstreamState // of a hosted store
	last        versions.Change        // newest of the store
	mine        map[int64]bool         // changes made by this person in this session
	now         time.Time
	flashID     int
	memoryFlash int // the last flash that was for the open memory

	jobs *jobs.Jobs // what is under way for the person

	toasts  []toast // all messages, for the log
	toast   *toast  // what the status line shows
	toastID int
	later   func(time.Duration, tea.Msg) tea.Cmd // a message after a time; tests leave it out
}

// watchState is how outside changes are noticed.
type watchState int

const (
	notWatching watchState = iota
	watching
	polling
	lost // the folder cannot be read now
)

// New makes the root of the screens.
func New(ctx context.Context, cfg Config) *App {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	th := cfg.theme(true, theme.Many)
	a := &App{
		cfg: cfg, ctx: ctx, th: th, keys: globalKeys(cfg.Keys), info: cfg.Store.Info(),
		clip:   &editor.Clipboard{},
		unsent: map[versions.SessionID]string{},
		mine:   map[int64]bool{}, typed: map[string][]string{}, dark: true,
		later: func(d time.Duration, msg tea.Msg) tea.Cmd {
			return tea.Tick(d, func(time.Time) tea.Msg { return msg })
		},
	}
	a.jobs = jobs.New(ctx, cfg.Still, func(d time.Duration, msg tea.Msg) tea.Cmd { return a.later(d, msg) })
	a.memory = memory.New(a.env(), cfg.Store)
	a.tree = tree.New(a.env(), tree.Config{
		Store: cfg.Store, Me: cfg.By.Actor, Stale: cfg.Stale, Reopen: cfg.Open.IsRoot(),
		Later: func(d time.Duration, msg tea.Msg) tea.Cmd { return a.later(d, msg) },
	})
	a.tree.SetFocused(true)
	a.memory.SetReviews(cfg.Store, a.tree.Unreviewed)
	a.memory.SetWrap(!cfg.NoWrap)
	a.following.on = cfg.Follow
	return a
}

// Init starts what runs from the beginning: the first reading and the clock. What
// others did meanwhile is taken in when that is shown, and then the watch begins.
func (a *App) Init() tea.Cmd {
	cmds := []tea.Cmd{tick(time.Minute, a.cfg.Now), a.findDrafts(memfs.Root, nil), a.listDrafts(), a.watchTalks(), awaitBanner(a.cfg.Banners)}
	if !a.loading {
		cmds = append(cmds, a.reload())
	}
	if a.cfg.Look == Auto && !a.cfg.NoColor {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	if a.cfg.OpenAgents {
		cmds = append(cmds, a.toggleAgents())
	}
	if !a.cfg.Open.IsRoot() {
		cmds = append(cmds, a.out.Ask(screen.Open{Path: a.cfg.Open}))
	}
	return tea.Batch(cmds...)
}

// reload reads the tree, once more later when it is being read now.
func (a *App) reload() tea.Cmd {
	if a.loading {
		a.again = true
		return nil
	}
	a.loading = true
	ctx, id := a.loads.Begin(a.ctx)
	return loadTree(ctx, id, a.cfg.Store, a.tree.Ask(), a.settled, a.cfg.Now)
}
