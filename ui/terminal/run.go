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

// Config holds the options of Run.
type Config struct {
	Input  io.Reader // standard input if nil
	Output io.Writer // standard output if nil
	Stock  bool      // draw with Bubble Tea's own renderer

	// Reorders leaves right-to-left text to the terminal. Otherwise terminals that support
	// it are asked to keep it in the order of the cells.
	Reorders bool

	// Shown is called, in a new goroutine, when the first frame is on the terminal.
	Shown func()

	// Idle is called, in a new goroutine, when nothing has happened for a second after
	// something did, and twice more in the half minute after that. It can release memory.
	Idle func()
}

// SchemeMsg reports that the system was switched to dark or light colours. It is sent only
// for changes; use tea.RequestBackgroundColor for the initial value.
type SchemeMsg struct{ Dark bool }

// Fault is a panic of the model or of one of its commands.
type Fault struct {
	Value any
	Stack []byte
}

func (f *Fault) Error() string { return fmt.Sprintf("the program failed: %v", f.Value) }

// Run shows m on the terminal until it quits, ctx ends, or a signal ends the program.
// SIGINT returns tea.ErrInterrupted; SIGTERM, SIGHUP and SIGQUIT quit.
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

// Exec gives the terminal to a command until it ends; the command may have another input. tea.ExecProcess can't be used,
// because the driver would still read the input.
func Exec(c *exec.Cmd, fn tea.ExecCallback) tea.Cmd {
	return func() tea.Msg { return ExecMsg{c, fn} }
}

// ExecMsg asks Run for the terminal. Done is called when the command has ended.
type ExecMsg struct {
	Command *exec.Cmd
	Done    tea.ExecCallback
}

// Frame returns what Run sends first to a terminal of w columns and h rows to show v. It is
// for tests and measurements.
func Frame(v tea.View, w, h int) []byte {
	return newScreen().frame(nil, target{view: v, w: w, h: h, profile: colorprofile.TrueColor})
}
