package terminal

import (
	"context"
	"errors"
	"io"
	"sync"

	uv "github.com/charmbracelet/ultraviolet"
)

// input reads the terminal until it is stopped, and sends each event. Events that are not
// received yet delay the next ones, but not stop.
type input struct {
	r interface {
		io.ReadCloser
		Cancel() bool
	}
	mu sync.Mutex // held during a read
}

// errGone means that the terminal was closed.
var errGone = errors.New("the terminal is gone")

// readAhead is how many events are read that were not received yet: more than the responses to all questions.
const readAhead = 32

// readInput starts to read. It calls read when it has read an event, and send when those before it were
// received. After the last event end is called, with nil if the input was stopped.
func readInput(r io.Reader, termType string, read, send func(uv.Event), end func(error)) (*input, error) {
	c, err := uv.NewCancelReader(r)
	if err != nil {
		return nil, err
	}
	in := &input{r: c}
	events := make(chan uv.Event)
	failed := make(chan error, 1)
	Go(func() {
		defer close(events)
		failed <- uv.NewTerminalReader(in, termType).StreamEvents(context.Background(), events)
	})
	unsent := make(chan uv.Event, readAhead)
	Go(func() {
		defer close(unsent)
		for e := range events {
			read(e)
			unsent <- e
		}
	})
	Go(func() {
		for e := range unsent {
			send(e)
		}
		end(<-failed)
	})
	return in, nil
}

func (in *input) Read(b []byte) (int, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	n, err := in.r.Read(b)
	if err == nil && n == 0 {
		err = io.EOF
	}
	if err == io.EOF {
		err = errGone // the reader above treats EOF as a normal end
	}
	return n, err
}

// stop returns when nothing reads the terminal any more.
func (in *input) stop() {
	if !in.r.Cancel() {
		return // the current read can't be stopped
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	_ = in.r.Close()
}
