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

// subscription is to the signals that the driver handles. It is made in the background, because the runtime waits for a thread of
// its own for each; nothing is shown before it is ready.
type subscription struct {
	ready chan struct{}
	ch    chan os.Signal
	off   func()
}

func subscribe() *subscription {
	s := &subscription{ready: make(chan struct{})}
	Go(func() {
		s.ch, s.off = signals()
		close(s.ready)
	})
	return s
}

func (s *subscription) end() {
	<-s.ready
	s.off()
}

// handleSignals handles signals until the returned function is called.
func (d *driver) handleSignals(s *subscription) (stop func()) {
	end, stopped := make(chan struct{}), make(chan struct{})
	Go(func() {
		defer close(stopped)
		<-s.ready
		for {
			select {
			case s := <-s.ch:
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
