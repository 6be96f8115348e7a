package terminal

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Config says where a program runs, and on what.
type Config struct {
	Input  io.Reader // standard input when nil
	Output io.Writer // standard output when nil
	Stock  bool      // draw with Bubble Tea's own renderer

	// Reorders says that right-to-left text is the terminal's business. Else
	// terminals that know how are asked to leave it in the order of the cells.
	Reorders bool

	// Shown is called, in a goroutine of its own, when the first frame is on the
	// terminal.
	Shown func()

	// Rest is called, in a goroutine of its own, when nothing has happened for a
	// second after something did: the time to tidy up unseen.
	Rest func()
}

// SchemeMsg tells that the system has been switched to dark or light colours. It
// comes only while the program runs; tea.RequestBackgroundColor asks how it
// begins.
type SchemeMsg struct{ Dark bool }

// Fault is a panic of the model or of one of its commands.
type Fault struct {
	Value any
	Stack []byte
}

func (f *Fault) Error() string { return fmt.Sprintf("the program failed: %v", f.Value) }

// Run shows m on the terminal until it quits, ctx ends, or a signal ends the
// program. SIGINT gives tea.ErrInterrupted; SIGTERM, SIGHUP and SIGQUIT quit.
func Run(ctx context.Context, m tea.Model, cfg Config) error {
	if cfg.Input == nil {
		cfg.Input = os.Stdin
	}
	if cfg.Output == nil {
		cfg.Output = os.Stdout
	}
	if !cfg.Stock && os.Getenv("MEMEND_RENDERER") != "stock" {
		if t, ok := openTTY(cfg.Input, cfg.Output); ok {
			return newDriver(m, t, os.Environ(), cfg).run(ctx)
		}
	}
	return runStock(ctx, m, cfg)
}

// Exec hands the terminal to a command until it ends, as tea.ExecProcess does:
// that one itself would find the driver's input still at work.
func Exec(c *exec.Cmd, fn tea.ExecCallback) tea.Cmd {
	return func() tea.Msg { return ExecMsg{c, fn} }
}

// ExecMsg asks Run for the terminal. Done is called when the command has ended.
type ExecMsg struct {
	Command *exec.Cmd
	Done    tea.ExecCallback
}

// Frame is what Run sends first to a terminal of w columns and h rows that shows
// v: for who wants to look at the bytes.
func Frame(v tea.View, w, h int) []byte {
	return newScreen([]string{"TERM=xterm-256color"}).frame(nil, wish{view: v, w: w, h: h, profile: colorprofile.TrueColor})
}
