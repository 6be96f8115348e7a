package ui

import (
	"context"
	"errors"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/ui/terminal"
)

// teaModel meets Bubble Tea's interface; the App itself knows nothing of how its
// frames reach the terminal.
type teaModel struct{ app *App }

func (m teaModel) Init() tea.Cmd { return m.app.Init() }

func (m teaModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if s, ok := msg.(terminal.SchemeMsg); ok {
		m.app.setTheme(s.Dark, m.app.colors)
		return m, nil
	}
	return m, m.app.Update(msg)
}

func (m teaModel) View() tea.View {
	v := tea.NewView(m.app.View())
	v.AltScreen = true
	v.WindowTitle = m.app.title()
	if m.app.cfg.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if x, y, ok := m.app.Cursor(); ok {
		v.Cursor = tea.NewCursor(x, y)
	}
	return v
}

// Run shows the store until the person leaves. A text that was not saved when the
// program was ended is kept as a draft; the error says so.
func Run(ctx context.Context, cfg Config) (err error) {
	if os.Getenv("TERM") == "dumb" {
		return errors.New("this terminal (TERM=dumb) cannot show screens: use the commands, `memtrail help` lists them")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := New(ctx, cfg)
	if cfg.Look == Auto && lightByEnvironment(os.Getenv("COLORFGBG")) {
		a.setTheme(false, a.colors)
	}
	err = terminal.Run(ctx, teaModel{a}, terminal.Config{Input: cfg.Input, Output: cfg.Output, Rest: giveBack})
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil || errors.Is(err, tea.ErrInterrupted) {
		err = nil
	}
	var fault *terminal.Fault
	if errors.As(err, &fault) {
		err = report(fault)
	}
	a.saveLooks()
	return errors.Join(err, a.recover())
}

// saveLooks keeps what was seen and how the store is shown. It is not worth an
// error, nor much time.
func (a *App) saveLooks() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = a.tree.Save(ctx)
}

// lightByEnvironment reads COLORFGBG, "foreground;background" in the terminal's
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
