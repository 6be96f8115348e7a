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

// door is what the commands have that agents come in by, and that may stay open
// for as long as those want: serve, mcp, hook, watch with what others tell.
// Standard output is the protocol's alone; all else goes to the log.
type door struct {
	log  *slog.Logger // HOME/log/NAME.log
	file string

	mu    sync.Mutex
	fault error
	end   context.CancelFunc
}

// withDoor runs a command that is a door. The context that do gets ends with the
// first SIGINT or SIGTERM, and do should then finish what is under way and return:
// that is a clean end, whatever it says of the context. A second signal kills.
//
// A panic is logged, with its stack, and is the error that the command ends with:
// one in do, in what door.Go started, and in any goroutine of a trail that
// program.openTrail opens meanwhile, which ends the context too.
func (p *program) withDoor(ctx context.Context, name string, do func(context.Context, *door) error) error {
	home, err := p.homeFolder()
	if err != nil {
		return err
	}
	signalled, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(signalled, stop) // the system's own answer to signals is back
	ctx, end := context.WithCancel(signalled)
	defer end()

	file := &logFile{path: filepath.Join(home, "log", name+".log"), most: logBytes}
	defer file.close()
	d := &door{log: slog.New(slog.NewTextHandler(file, nil)).With("pid", os.Getpid()), file: file.path, end: end}
	p.fault = d.fell
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

// run is do with its panics caught.
func (d *door) run(ctx context.Context, do func(context.Context, *door) error) error {
	defer d.caught()
	return do(ctx, d)
}

// Go runs f in a goroutine of its own, whose panic ends the door as one of the
// door's own does.
func (d *door) Go(f func()) {
	terminal.Go(func() {
		defer d.caught()
		f()
	})
}

// caught is to be deferred.
func (d *door) caught() {
	if value := recover(); value != nil {
		d.fell(value, debug.Stack())
	}
}

// fell takes a panic that was recovered, with the stack where it was: the door ends.
func (d *door) fell(value any, stack []byte) {
	d.log.Error("panic", "value", fmt.Sprint(value), "stack", string(stack))
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fault == nil {
		d.fault = &hinted{fmt.Errorf("internal error in memend: %v", value), "acknowledged changes are kept; the log says where it happened: " + d.file}
	}
	d.end()
}

func (d *door) failed() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fault
}
