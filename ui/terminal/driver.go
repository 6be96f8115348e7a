package terminal

import (
	"context"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// driver is the model that Bubble Tea runs: it passes every message to the real model and
// has frames drawn. It is used by three goroutines: Bubble Tea's event loop, the one that
// draws, and the one that reads keys.
type driver struct {
	tty  *tty
	env  []string
	p    *tea.Program
	wake chan struct{} // something may have changed; capacity 1
	done chan struct{} // closed when the event loop has ended
	idle func()

	shown func() // nil after it was called

	mu    sync.Mutex // guards the model and the fields below
	model tea.Model
	want  target
	mouse func(tea.MouseMsg) tea.Cmd // of the previous frame
	fault *Fault

	drawing sync.Mutex // guards the terminal and the fields below; locked before mu
	screen  *screen
	buf     []byte

	held     atomic.Bool // another program has the terminal; set while drawing is locked
	requests requests
	keys     *input
	replied  chan struct{} // a response to the last question of end arrived
}

func newDriver(m tea.Model, t *tty, env []string, cfg Config) *driver {
	d := &driver{
		tty: t, env: env, idle: cfg.Idle, shown: cfg.Shown, model: m, screen: newScreen(),
		wake: make(chan struct{}, 1), done: make(chan struct{}), replied: make(chan struct{}, 1),
		want: target{profile: colorprofile.Detect(t.out, env)},
	}
	d.screen.reorders = cfg.Reorders
	if d.idle == nil {
		d.idle = func() {}
	}
	return d
}

// run is Run on a terminal.
func (d *driver) run(ctx context.Context) error {
	w, h, err := d.tty.size()
	if err != nil {
		return err
	}
	if err := d.tty.raw(); err != nil {
		return err
	}
	defer d.tty.cooked() // whatever happens below
	sub := subscribe()
	defer sub.end()
	d.p = tea.NewProgram(d, tea.WithContext(ctx), tea.WithFilter(d.filter), tea.WithoutCatchPanics(), tea.WithoutSignalHandler(),
		// Bubble Tea draws nothing, reads nothing, and passes its questions to requests.
		tea.WithoutRenderer(), tea.WithFPS(1), tea.WithInput(strings.NewReader("")), tea.WithOutput(&d.requests),
		tea.WithEnvironment(d.env), tea.WithColorProfile(d.want.profile), tea.WithWindowSize(w, h))
	defer programs.add(d.failed)()
	if err := d.listen(); err != nil {
		return err
	}
	d.requests.Write([]byte(questions(d.env)))
	var drawn sync.WaitGroup
	drawn.Go(func() { defer caught(); <-sub.ready; d.drawAll() })
	d.changed() // asks at once: a response after the first frame may need another one
	stop := d.handleSignals(sub)
	defer stop()
	defer func() { // also if Bubble Tea itself panics
		close(d.done)
		drawn.Wait()
		d.release()
	}()
	_, err = d.p.Run()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fault != nil {
		return d.fault
	}
	return err
}

func (d *driver) Init() tea.Cmd {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.guard(d.model.Init())
}

// View is what Bubble Tea would draw.
func (d *driver) View() tea.View { return tea.View{} }

// Update passes a message to the model. After a panic of the model it only waits for the
// end.
func (d *driver) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	return d, d.update(msg)
}

func (d *driver) update(msg tea.Msg) (cmd tea.Cmd) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fault != nil {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			d.fault = &Fault{r, debug.Stack()}
			cmd = tea.Quit
		}
	}()
	msg = d.note(msg)
	d.model, cmd = d.model.Update(msg)
	// This makes Bubble Tea write what it keeps for its next tick: questions to the
	// terminal and texts for its clipboard. It has nothing else to release, and this ends
	// its ticking.
	_ = d.p.ReleaseTerminal()
	d.changed()
	return d.guard(cmd)
}

// note records what matters for drawing in a message.
func (d *driver) note(msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		d.want.w, d.want.h, d.want.redraw = msg.Width, msg.Height, true
	case tea.ColorProfileMsg:
		d.want.profile = msg.Profile
	case tea.ModeReportMsg:
		switch known := msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet; msg.Mode {
		case ansi.ModeSynchronizedOutput:
			d.want.synced = known
		case ansi.ModeUnicodeCore:
			d.want.graphemes = known || msg.Value == ansi.ModePermanentlySet
		}
	case tea.MouseMsg:
		if d.mouse != nil {
			if cmd := d.guard(d.mouse(msg)); cmd != nil {
				Go(func() { d.p.Send(cmd()) })
			}
		}
	case uv.DarkColorSchemeEvent:
		return SchemeMsg{Dark: true}
	case uv.LightColorSchemeEvent:
		return SchemeMsg{}
	default:
		d.want.redraw = d.want.redraw || msg == tea.ClearScreen()
	}
	return msg
}

// changed schedules a frame.
func (d *driver) changed() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// listen begins to read keys.
func (d *driver) listen() (err error) {
	d.keys, err = readInput(d.tty.in, uv.Environ(d.env).Getenv("TERM"), d.noteReply, d.p.Send, func(err error) {
		if err != nil { // the terminal is gone
			d.p.Quit()
		}
	})
	return err
}

func (d *driver) noteReply(e uv.Event) {
	if _, ok := e.(uv.PrimaryDeviceAttributesEvent); ok {
		select {
		case d.replied <- struct{}{}:
		default:
		}
	}
}

// release gives the terminal back: afterwards nothing draws and nothing reads. Responses to questions
// that are still to arrive would be typed into the shell: a last question, which every terminal
// answers, shows that the others have arrived.
func (d *driver) release() {
	d.drawing.Lock()
	defer d.drawing.Unlock()
	if d.held.Swap(true) {
		return
	}
	ask := d.requests.awaitsReply()
	d.buf = d.screen.leave(d.requests.take(d.buf[:0]))
	if ask {
		d.buf = append(d.buf, ansi.RequestPrimaryDeviceAttributes...)
	}
	select {
	case <-d.replied:
	default:
	}
	_, err := d.tty.out.Write(d.buf)
	if ask && err == nil {
		select {
		case <-d.replied:
		case <-time.After(replyTime):
		}
	}
	d.keys.stop()
	_ = d.tty.cooked()
}

// regain takes the terminal again, with its current state.
func (d *driver) regain() error {
	d.drawing.Lock()
	defer d.drawing.Unlock()
	if err := d.tty.raw(); err != nil {
		return err
	}
	if err := d.listen(); err != nil {
		return err
	}
	d.held.Store(false)
	Go(d.resize) // resizes were not reported meanwhile
	return nil
}

// resize sends the size of the terminal to the model.
func (d *driver) resize() {
	if w, h, err := d.tty.size(); err == nil {
		d.p.Send(tea.WindowSizeMsg{Width: w, Height: h})
	}
}

// filter handles messages that need exclusive use of the terminal.
func (d *driver) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case tea.SuspendMsg:
		return tea.Exec(&handover{d, stop}, func(error) tea.Msg { return tea.ResumeMsg{} })()
	case ExecMsg:
		c := msg.Command
		return tea.Exec(&handover{d, func() error {
			if c.Stdout, c.Stderr = d.tty.out, os.Stderr; c.Stdin == nil {
				c.Stdin = d.tty.in
			}
			return c.Run()
		}}, msg.Done)()
	}
	return msg
}

// handover is a tea.ExecCommand that runs while the terminal is released.
type handover struct {
	d  *driver
	do func() error
}

func (h *handover) Run() error {
	h.d.release()
	err := h.do()
	if e := h.d.regain(); e != nil {
		return e
	}
	return err
}

func (h *handover) SetStdin(io.Reader)  {}
func (h *handover) SetStdout(io.Writer) {}
func (h *handover) SetStderr(io.Writer) {}
