package terminal

import (
	"context"
	"errors"
	"io"
	"sync"

	uv "github.com/charmbracelet/ultraviolet"
)

// input reads the terminal until it is stopped, and sends each event on. An
// event that nobody takes yet holds up the next ones, not stop.
type input struct {
	r interface {
		io.ReadCloser
		Cancel() bool
	}
	mu sync.Mutex // held while a read is under way
}

// errGone says that the terminal has been closed under the program.
var errGone = errors.New("the terminal is gone")

// readInput starts to read. After the last event end is called, with nil when
// the input was stopped.
func readInput(r io.Reader, termType string, send func(uv.Event), end func(error)) (*input, error) {
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
	Go(func() {
		for e := range events {
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
		err = errGone // the reader above takes EOF for a wanted end
	}
	return n, err
}

// stop returns when nothing reads the terminal any more.
func (in *input) stop() {
	if !in.r.Cancel() {
		return // the read under way cannot be stopped
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	_ = in.r.Close()
}
