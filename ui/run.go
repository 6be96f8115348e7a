package ui

import (
	"context"
	"errors"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/live"
	"github.com/memend/memend/ui/terminal"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/ui/welcome"
)

// teaModel adapts the App to Bubble Tea; the App itself does not depend on how its frames
// reach the terminal.
type teaModel struct {
	ctx context.Context
	app *App
	end context.CancelFunc // ends the app's context

	first  tea.Cmd // started before the terminal was ready
	awaits bool    // the first frame waits for the first read
}

// patience is the maximum wait of the first frame. A wait this short is not noticed, while an
// empty frame before the complete one would be visible and would cost as much as that one.
const patience = 100 * time.Millisecond

// waitedMsg ends the wait of the first frame.
type waitedMsg struct{}

func newModel(ctx context.Context, cfg Config) *teaModel {
	m := &teaModel{ctx: ctx}
	m.start(cfg)
	return m
}

func (m *teaModel) start(cfg Config) {
	var ctx context.Context
	ctx, m.end = context.WithCancel(m.ctx)
	m.app = New(ctx, cfg)
}

func (m *teaModel) Init() tea.Cmd {
	m.awaits = true
	return tea.Batch(m.commands(tea.Batch(m.first, m.app.Init())), tea.Tick(patience, func(time.Time) tea.Msg { return waitedMsg{} }))
}

func (m *teaModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch from := msg.(type) {
	case waitedMsg:
		m.awaits = false
		return m, nil
	case terminal.SchemeMsg:
		m.app.setTheme(from.Dark, m.app.colors)
		return m, nil
	case fromApp:
		if from.app != m.app { // it shows another store
			return m, nil
		}
		msg = from.msg
	}
	cmd := m.app.Update(msg)
	m.awaits = m.awaits && m.app.live.Loading()
	if m.app.next != nil {
		return m, m.change(*m.app.next)
	}
	return m, m.commands(cmd)
}

// change replaces the App by one that shows another store; it keeps what is known of the
// terminal.
func (m *teaModel) change(cfg Config) tea.Cmd {
	old := m.app
	save := saver(old.tree)
	m.end()
	m.start(cfg)
	a := m.app
	a.setTheme(old.dark, old.colors)
	a.setNow(old.now)
	a.Update(tea.WindowSizeMsg{Width: old.w, Height: old.h})
	return tea.Batch(m.commands(a.Init()), func() tea.Msg { save(); return nil })
}

// fromApp is a message from a command of an App. Commands of an App that was replaced may
// still be running.
type fromApp struct {
	app *App
	msg tea.Msg
}

// commands marks the messages of a command with its App, and adds the commands whose messages
// are for Bubble Tea itself.
func (m *teaModel) commands(cmd tea.Cmd) tea.Cmd {
	app := m.app
	tagged := terminal.Map(cmd, func(msg tea.Msg) tea.Msg {
		if msg == nil {
			return nil
		}
		return fromApp{app, msg}
	})
	return tea.Batch(tagged, app.Effects())
}

// Awaits reports whether a preview is loading.
func (m *teaModel) Awaits() bool { return m.app.memory.LoadsPreview() }

func (m *teaModel) View() tea.View {
	if m.awaits {
		return tea.View{}
	}
	v := tea.NewView(m.app.View())
	v.AltScreen = true
	v.WindowTitle = m.app.title()
	v.ReportFocus = m.app.editing.Pane() != nil // unsaved text is stored when the terminal loses the focus
	if m.app.cfg.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	v.ProgressBar = m.app.progress()
	if x, y, ok := m.app.Cursor(); ok {
		v.Cursor = tea.NewCursor(x, y)
	} else if x, y, ok := m.app.Selected(); ok && m.app.cfg.CursorRow {
		v.Cursor = tea.NewCursor(x, y)
		v.Cursor.Shape, v.Cursor.Blink = tea.CursorBar, false // not in an input field
	}
	return v
}

// Run shows the store until the user quits. If the program ends with an unsaved text, the text
// is stored as a draft, and the error mentions it.
func Run(ctx context.Context, cfg Config) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	first := cfg.First
	if first == nil {
		first = ReadFirst(ctx, cfg)
	}
	defer first.End()
	if os.Getenv("TERM") == "dumb" {
		return errors.New("this terminal (TERM=dumb) cannot show the TUI: use the commands, `memend help` lists them")
	}
	m := newModel(ctx, cfg)
	if a := m.app; cfg.Background == Auto && lightByEnvironment(os.Getenv("COLORFGBG")) {
		a.setTheme(false, a.colors)
	}
	shown := make(chan struct{})
	m.app.live.SetStart(shown, cfg.Read, cfg.Idle)
	m.first = m.app.live.Await(first)
	err = terminal.Run(ctx, m, terminal.Config{Input: cfg.Input, Output: cfg.Output, Reorders: cfg.Reorders,
		Shown: func() { close(shown) }, Idle: cfg.Idle})
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil || errors.Is(err, tea.ErrInterrupted) {
		err = nil
	}
	var fault *terminal.Fault
	if errors.As(err, &fault) {
		err = report(fault)
	}
	saver(m.app.tree)()
	return errors.Join(err, m.app.editing.Recover())
}

// ReadFirst starts reading the store that Run will show with cfg, which must have Store, By,
// Stale and Now set. The result belongs in the First of that cfg; Run ends the read.
func ReadFirst(ctx context.Context, cfg Config) *live.First {
	now := cfg.Now
	if now == nil {
		now = time.Now
	}
	return live.ReadFirst(ctx, cfg.Store, cfg.By.Actor, cfg.Stale, now)
}

// saver returns a function that saves the unsaved review state and the view when the store is
// closed. It ignores errors and has a time limit, because this state is not important.
func saver(t *tree.Pane) func() {
	save := t.Saver()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = save(ctx)
	}
}

// lightByEnvironment parses COLORFGBG, "foreground;background" as indexes of the terminal's
// sixteen colours, which some terminals set.
func lightByEnvironment(v string) bool {
	if i := lastField(v, ';'); i == "7" || i == "15" {
		return true
	}
	return false
}

func lastField(s string, sep byte) string {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == sep {
			return s[i+1:]
		}
	}
	return ""
}

// Welcome shows the first screen of a home without a store, and returns what the person chose. With nothing to add it
// returns at once.
func Welcome(ctx context.Context, cfg Config, finder welcome.Finder) (welcome.Choice, error) {
	th := func(dark bool, p colorprofile.Profile) *theme.Theme { return cfg.theme(dark, colorsOf(p)) }
	m := welcome.New(ctx, finder, th, cfg.Background == Auto && !cfg.NoColor)
	err := terminal.Run(ctx, m, terminal.Config{Input: cfg.Input, Output: cfg.Output, Reorders: cfg.Reorders})
	if errors.Is(err, tea.ErrInterrupted) {
		err = nil
	}
	choice, failed := m.Result()
	return choice, errors.Join(err, failed)
}
