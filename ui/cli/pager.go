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

// Output about the past may be longer than the screen. On a terminal it goes through a
// pager, as in git and jj. All of it is already escaped: with a pager that passes colours
// through, nothing else of a memory is passed through.

// pager is a running pager.
type pager struct {
	in      io.WriteCloser
	ended   chan struct{}
	cancel  context.CancelFunc // of the command: the pager has ended
	signals chan os.Signal
}

// pagerCommand returns the pager with its arguments, or nothing if it is disabled. As in
// git, a variable that is set but empty disables it.
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

// startPager sends a command's output through the pager, if there is one. The command is
// cancelled when the pager ends. A command that writes may ask, so what it asks about stays on the
// terminal.
func (p *console) startPager(cmd *cobra.Command) {
	if !p.pages || p.noPager || !has(cmd, pages) || writes(cmd) || !p.terminal || p.json || p.null || !isTerminal(p.in) {
		return
	}
	words := pagerCommand(os.LookupEnv)
	if len(words) == 0 {
		return
	}
	run := exec.Command(words[0], words[1:]...)
	run.Stdout, run.Stderr = p.stdout, p.err
	if os.Getenv("LESS") == "" {
		run.Env = append(os.Environ(), "LESS=FRX") // print what fits and exit; pass colours; don't clear the screen
	}
	in, err := run.StdinPipe()
	if err != nil || run.Start() != nil {
		return // print without a pager
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	cmd.SetContext(ctx)
	p.pager = &pager{in: in, ended: make(chan struct{}), cancel: cancel, signals: make(chan os.Signal, 1)}
	signal.Notify(p.pager.signals, os.Interrupt) // ^C belongs to the pager
	terminal.Go(func() {
		_ = run.Wait()
		close(p.pager.ended)
		cancel()
	})
	p.out = bufio.NewWriter(in)
}

// endPager waits for the pager to end. Output that was cut because the pager ended early is
// not an error.
func endPager(p *console, err error) error {
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
