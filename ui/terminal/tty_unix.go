//go:build unix

package terminal

import (
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/charmbracelet/x/term"
)

// hangups are the signals that quit the program.
var hangups = []os.Signal{syscall.SIGHUP, syscall.SIGQUIT}

// tty is the terminal that the program was started on.
type tty struct {
	in, out *os.File
	before  *term.State // nil while the terminal is released
}

// openTTY returns false if input or output is not a terminal.
func openTTY(in io.Reader, out io.Writer) (*tty, bool) {
	i, ok1 := in.(*os.File)
	o, ok2 := out.(*os.File)
	if !ok1 || !ok2 || !term.IsTerminal(i.Fd()) || !term.IsTerminal(o.Fd()) {
		return nil, false
	}
	return &tty{in: i, out: o}, true
}

// raw switches to raw mode: each key is read at once and not echoed.
func (t *tty) raw() (err error) {
	if t.before != nil {
		_, err = term.MakeRaw(t.in.Fd())
		return err
	}
	t.before, err = term.MakeRaw(t.in.Fd())
	return err
}

// cooked restores the mode from before raw.
func (t *tty) cooked() error {
	if t.before == nil {
		return nil
	}
	err := term.Restore(t.in.Fd(), t.before)
	t.before = nil
	return err
}

func (t *tty) size() (w, h int, err error) { return term.GetSize(t.out.Fd()) }

// signals subscribes to the signals that the driver handles.
func signals() (ch chan os.Signal, stop func()) {
	ch = make(chan os.Signal, 8)
	signal.Notify(ch, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGWINCH, syscall.SIGCONT)
	return ch, func() { signal.Stop(ch) }
}

// stop suspends the program until its shell continues it.
func stop() error {
	back := make(chan os.Signal, 1)
	signal.Notify(back, syscall.SIGCONT)
	defer signal.Stop(back)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	<-back
	return nil
}

// meaning returns the effect of a signal.
func meaning(s os.Signal) order {
	switch s {
	case syscall.SIGWINCH:
		return resized
	case syscall.SIGCONT:
		return continued
	case syscall.SIGINT:
		return interrupted
	}
	return ended
}

// fromKeyboard reports whether a terminal that is not in raw mode sends the signal for a
// key: it is meant for the command that has the terminal then.
func fromKeyboard(s os.Signal) bool { return s == syscall.SIGINT || s == syscall.SIGQUIT }
