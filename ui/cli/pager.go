package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"

	"github.com/memend/memend/ui/editing"
	"github.com/memend/memend/ui/terminal"
	"github.com/spf13/cobra"
)

// What a command about the past prints may be longer than the screen. On a terminal it
// goes through a pager then, as with git and jj. All of it is safe to draw already: a
// pager that lets colours through lets nothing else of a memory through.

// paging are the commands whose output goes through it, by what stands after "memend".
var paging = map[string]bool{
	"log": true, "show": true, "diff": true, "blame": true, "at": true, "search": true, "grep": true, "sessions": true, "reads": true, "stale": true,
}

// pager is the program that shows the output, while it runs.
type pager struct {
	in      io.WriteCloser
	ended   chan struct{}
	cancel  context.CancelFunc // of the command: nobody reads on
	signals chan os.Signal
}

// pagerCommand is the pager with its arguments; none where nobody wants one. A variable
// that is set to nothing says so, as with git.
func pagerCommand(lookup func(string) (string, bool)) []string {
	for _, name := range []string{"MEMEND_PAGER", "PAGER"} {
		command, set := lookup(name)
		if command = strings.TrimSpace(command); set && command == "" || command == "cat" {
			return nil
		}
		if words, err := editing.SplitCommand(command); err == nil {
			return words
		}
	}
	if term, _ := lookup("TERM"); term == "" || term == "dumb" {
		return nil
	}
	return []string{"less"}
}

// startPager lets a command's output go through the pager, where it should and there
// is one. The command ends when its reader has seen enough.
func (p *program) startPager(cmd *cobra.Command) {
	name := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	if !p.pages || p.noPager || !paging[name] || !p.terminal || p.json || p.null || !isTerminal(p.in) {
		return
	}
	words := pagerCommand(os.LookupEnv)
	if len(words) == 0 {
		return
	}
	run := exec.Command(words[0], words[1:]...)
	run.Stdout, run.Stderr = p.stdout, p.err
	if os.Getenv("LESS") == "" {
		run.Env = append(os.Environ(), "LESS=FRX") // what fits is only printed; colours; the screen stays as it is
	}
	in, err := run.StdinPipe()
	if err != nil || run.Start() != nil {
		return // it is printed
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	cmd.SetContext(ctx)
	p.pager = &pager{in: in, ended: make(chan struct{}), cancel: cancel, signals: make(chan os.Signal, 1)}
	signal.Notify(p.pager.signals, os.Interrupt) // ^C is for the pager
	terminal.Go(func() {
		_ = run.Wait()
		close(p.pager.ended)
		cancel()
	})
	p.out = bufio.NewWriter(in)
}

// endPager waits for the reader; what was cut short because nobody read on is no
// failure.
func (p *program) endPager(err error) error {
	if p.pager == nil {
		return err
	}
	_ = p.out.Flush()
	left := false
	select {
	case <-p.pager.ended:
		left = true
	default:
	}
	_ = p.pager.in.Close()
	<-p.pager.ended
	p.pager.cancel()
	signal.Stop(p.pager.signals)
	p.out, p.pager = bufio.NewWriter(p.stdout), nil
	if left && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
