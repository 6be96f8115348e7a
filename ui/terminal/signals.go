package terminal

import (
	"os"

	tea "charm.land/bubbletea/v2"
)

// order is the effect of a signal.
type order int

const (
	ended       order = iota // quit
	interrupted              // quit at once
	resized                  // the size of the terminal changed
	continued                // the program was stopped and continued
)

// handleSignals handles signals until the returned function is called. It asks for them in the background: the runtime
// waits for a thread of its own for each.
func (d *driver) handleSignals() (stop func()) {
	end, stopped := make(chan struct{}), make(chan struct{})
	Go(func() {
		defer close(stopped)
		ch, off := signals()
		defer off()
		for {
			select {
			case s := <-ch:
				d.signal(s)
			case <-end:
				return
			}
		}
	})
	return func() { close(end); <-stopped }
}

func (d *driver) signal(s os.Signal) {
	switch o := meaning(s); {
	case d.held.Load() && (o == resized || o == continued || fromKeyboard(s)):
		// The signal is for the program that has the terminal.
	case o == resized:
		d.resize()
	case o == continued: // the shell had the terminal meanwhile
		_ = d.tty.raw()
		d.resize()
	case o == interrupted:
		d.p.Send(tea.InterruptMsg{})
	default:
		d.p.Quit()
	}
}
