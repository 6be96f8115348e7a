package terminal

import (
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"
)

// frameTime is the least time between frames: faster changes are drawn together. After a pause
// two frames are drawn without delay: the answer to a key, and what was loaded because of it.
const frameTime = 4 * time.Millisecond

// answerTime is how long a frame waits for a result that the model awaits.
const answerTime = 2 * time.Millisecond

// An Awaiter is a model that may await a result which usually arrives within a few
// milliseconds. One frame then shows the message that caused it and the result.
type Awaiter interface{ Awaits() bool }

// pace limits how often frames are drawn.
type pace struct{ next time.Time }

// drawn records that a frame was drawn, and returns when the next one may be.
func (p *pace) drawn(at time.Time) time.Time {
	if paused := at.Add(-frameTime); p.next.Before(paused) {
		p.next = paused
	}
	p.next = p.next.Add(frameTime)
	return p.next
}

// idleTimes are how long nothing must happen before the program is idle, and after that until
// it is told so again: work in the background needs memory too, and draws nothing.
var idleTimes = []time.Duration{time.Second, 3 * time.Second, 30 * time.Second}

// drawAll draws until the event loop has ended.
func (d *driver) drawAll() {
	quiet, told := time.NewTimer(idleTimes[0]), 0
	var frames pace
	defer quiet.Stop()
	for {
		select {
		case <-d.done:
			return
		case <-quiet.C:
			Go(d.idle)
			if told++; told < len(idleTimes) {
				quiet.Reset(idleTimes[told])
			}
			continue
		case <-d.wake:
		}
		told = 0
		quiet.Reset(idleTimes[0])
		if d.awaits() {
			select {
			case <-d.wake:
			case <-time.After(answerTime):
			case <-d.done:
				return
			}
		}
		began := time.Now()
		drawn, err := d.draw()
		if err != nil {
			Go(d.p.Quit) // the terminal is gone
			return
		}
		if drawn {
			time.Sleep(time.Until(frames.drawn(began)))
		}
	}
}

func (d *driver) awaits() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	m, ok := d.model.(Awaiter)
	return ok && d.fault == nil && m.Awaits()
}

// draw updates the terminal to the model's current view, and reports whether there is a
// frame.
func (d *driver) draw() (drawn bool, err error) {
	d.drawing.Lock()
	defer d.drawing.Unlock()
	if d.held.Load() {
		return false, nil
	}
	d.buf = d.buf[:0]
	w, drawn := d.target()
	if drawn {
		d.buf = d.screen.frame(d.buf, w)
	}
	d.buf = d.requests.take(d.buf)
	if len(d.buf) == 0 {
		return drawn, nil
	}
	_, err = d.tty.out.Write(d.buf)
	if drawn && d.shown != nil {
		Go(d.shown)
		d.shown = nil
	}
	return drawn, err
}

// target asks the model for its frame; ok is false if there is none, yet or any more.
func (d *driver) target() (w target, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fault != nil || d.want.w < 1 || d.want.h < 1 {
		return target{}, false
	}
	defer func() {
		if r := recover(); r != nil {
			d.fault = &Fault{r, debug.Stack()}
			ok = false
			Go(d.p.Quit)
		}
	}()
	w = d.want
	w.view = d.model.View()
	d.mouse = w.view.OnMouse
	if w.view.Content == "" && d.screen.last == nil {
		return target{}, false
	}
	d.want.redraw = false
	return w, true
}

// guard makes a panic of a command, or of nested commands, end the program in the normal
// way.
func (d *driver) guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				d.fail(&Fault{r, debug.Stack()})
				msg = tea.QuitMsg{}
			}
		}()
		msg = cmd()
		if cmds, again := commands(msg); again != nil {
			for i := range cmds {
				cmds[i] = d.guard(cmds[i])
			}
			return again(cmds...)()
		}
		return msg
	}
}

func (d *driver) fail(f *Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fault == nil {
		d.fault = f
	}
}

// failed ends the program after a panic in another goroutine, which may hold what the event
// loop waits for.
func (d *driver) failed(f *Fault) {
	go func() {
		d.fail(f)
		d.p.Quit()
	}()
}
