package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/memend/memend/ui/terminal"
)

// door is shared by the commands that serve agents and may run for long: serve, mcp, hook,
// and watch with transcripts. Standard output is reserved for the protocol; everything else
// goes to the log.
type door struct {
	log  *slog.Logger // HOME/log/NAME.log
	file string

	mu    sync.Mutex
	fault error
	end   context.CancelFunc
}

// withDoor runs a long-running command. The first SIGINT or SIGTERM cancels the context of
// do, which should then finish its work and return; that is a clean end even if do returns
// the context's error. A second signal kills the program.
//
// A panic is logged with its stack and becomes the command's error: a panic in do, in a
// function started by door.Go, or in any goroutine of a trail that program.openTrail opens
// meanwhile. It also cancels the context.
func (p *homeOpener) withDoor(ctx context.Context, name string, do func(context.Context, *door) error) error {
	home, err := p.homeFolder()
	if err != nil {
		return err
	}
	signalled, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(signalled, stop) // restore the default handling of signals
	ctx, end := context.WithCancel(signalled)
	defer end()

	file := &logFile{path: filepath.Join(home, "log", name+".log"), maxBytes: logBytes}
	defer file.close()
	d := &door{log: slog.New(slog.NewTextHandler(file, nil)).With("pid", os.Getpid()), file: file.path, end: end}
	p.fault = d.panicked
	err = d.run(ctx, do)
	if fault := d.failed(); fault != nil {
		return fault
	}
	if signalled.Err() != nil && errors.Is(err, context.Canceled) {
		err = nil
	}
	if err != nil {
		d.log.Error("ended", "error", err)
	}
	return err
}

// run runs do and recovers its panics.
func (d *door) run(ctx context.Context, do func(context.Context, *door) error) error {
	defer d.recoverPanic()
	return do(ctx, d)
}

// Go runs f in a new goroutine. A panic in f ends the door like one in do.
func (d *door) Go(f func()) {
	terminal.Go(func() {
		defer d.recoverPanic()
		f()
	})
}

// recoverPanic recovers a panic; call it with defer.
func (d *door) recoverPanic() {
	if value := recover(); value != nil {
		d.panicked(value, debug.Stack())
	}
}

// panicked records a recovered panic, with its stack, and ends the door.
func (d *door) panicked(value any, stack []byte) {
	d.log.Error("panic", "value", fmt.Sprint(value), "stack", string(stack))
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fault == nil {
		d.fault = &hinted{fmt.Errorf("internal error in memend: %v", value), "acknowledged changes are saved; the log has the stack trace: " + d.file}
	}
	d.end()
}

func (d *door) failed() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fault
}
