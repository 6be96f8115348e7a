package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// runStock is Run with Bubble Tea's own renderer.
func runStock(ctx context.Context, m tea.Model, cfg Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := tea.NewProgram(stockModel{m}, tea.WithContext(ctx), tea.WithFPS(120), tea.WithInput(cfg.Input),
		tea.WithOutput(cfg.Output), tea.WithFilter(stockFilter(cfg)))
	var fault firstFault
	defer programs.add(func(f *Fault) {
		fault.note(f)
		go p.Quit()
	})()

	// Bubble Tea restores the terminal at SIGINT, SIGTERM and panics, but not at other
	// signals.
	if cfg.Shown != nil {
		Go(cfg.Shown) // this renderer does not report the first frame
	}
	end := make(chan os.Signal, 1)
	signal.Notify(end, hangups...)
	defer signal.Stop(end)
	Go(func() {
		select {
		case <-end:
			p.Quit()
		case <-ctx.Done():
		}
	})
	_, err := p.Run()
	_, off := io.WriteString(cfg.Output, ansi.ResetModeLightDark)
	if f := fault.get(); f != nil {
		return f
	}
	return errors.Join(err, off)
}

// firstFault keeps the first of several faults.
type firstFault struct {
	mu sync.Mutex
	f  *Fault
}

func (x *firstFault) note(f *Fault) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.f == nil {
		x.f = f
	}
}

func (x *firstFault) get() *Fault {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.f
}

// stockModel enables reports of a switch to dark or light colours, which Bubble Tea does
// not, and converts them to SchemeMsg.
type stockModel struct{ tea.Model }

func (m stockModel) Init() tea.Cmd { return tea.Batch(tea.Raw(ansi.SetModeLightDark), m.Model.Init()) }

func (m stockModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg.(type) {
	case uv.DarkColorSchemeEvent:
		msg = SchemeMsg{Dark: true}
	case uv.LightColorSchemeEvent:
		msg = SchemeMsg{}
	}
	var cmd tea.Cmd
	m.Model, cmd = m.Model.Update(msg)
	return m, cmd
}

// stockFilter handles messages that need exclusive use of the terminal.
func stockFilter(cfg Config) func(tea.Model, tea.Msg) tea.Msg {
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		switch msg := msg.(type) {
		case tea.SuspendMsg:
			return tea.Exec(&aside{cfg.Output, stop}, func(error) tea.Msg { return tea.ResumeMsg{} })()
		case ExecMsg:
			c := msg.Command
			return tea.Exec(&aside{cfg.Output, func() error {
				if c.Stdout, c.Stderr = cfg.Output, os.Stderr; c.Stdin == nil {
					c.Stdin = cfg.Input
				}
				return c.Run()
			}}, msg.Done)()
		}
		return msg
	}
}

// aside is a tea.ExecCommand during which colour reports are disabled: they would be typed
// into the other program.
type aside struct {
	out io.Writer
	do  func() error
}

func (x *aside) Run() error {
	_, off := io.WriteString(x.out, ansi.ResetModeLightDark)
	err := x.do()
	_, on := io.WriteString(x.out, ansi.SetModeLightDark)
	return errors.Join(err, off, on)
}

func (x *aside) SetStdin(io.Reader)  {}
func (x *aside) SetStdout(io.Writer) {}
func (x *aside) SetStderr(io.Writer) {}
