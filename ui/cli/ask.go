package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
)

// canAsk reports whether the program can ask the person: input and output are terminals.
func (p *console) canAsk() bool { return isTerminal(p.in) && p.terminal }

// ask prompts for a line and returns "" if there is no answer.
func (p *console) ask(question string) string {
	answer, _ := p.askUntilEnd(question)
	return answer
}

// askUntilEnd is ask, which also reports whether there was a line: an empty one may be no answer, and the end of the input is one.
func (p *console) askUntilEnd(question string) (answer string, line bool) {
	_ = p.out.Flush() // print what the question refers to first
	fmt.Fprint(p.err, p.safe(question))
	answer, err := bufio.NewReader(p.in).ReadString('\n')
	if answer == "" && err != nil {
		fmt.Fprintln(p.err)
		return "", false
	}
	return strings.TrimSpace(answer), true
}

// agrees asks a yes/no question; the default is no.
func (p *console) agrees(question string) bool {
	answer := strings.ToLower(p.ask(question + " [y/N] "))
	return answer == "y" || answer == "yes"
}

// confirm asks whether to make a change.
func (p *console) confirm(question string) bool {
	yes := p.agrees(question)
	if !yes {
		fmt.Fprintln(p.err, "memend: nothing was changed")
	}
	return yes
}

// confirmIrreversible asks for confirmation before something that can't be undone. Without a terminal,
// --yes must have been passed.
func (p *console) confirmIrreversible(command, question string, yes bool) (bool, error) {
	if yes {
		return true, nil
	}
	if !p.canAsk() {
		return false, misusef(command, "this can't be undone; not a terminal, so pass --yes")
	}
	return p.confirm(question), nil
}

// maxSecret is the most bytes that are read as the text to erase.
const maxSecret = 1 << 20

// readSecret reads a text that should not appear on the command line: from a terminal without
// echo, otherwise all of standard input without the last newline.
func (p *console) readSecret(prompt string) ([]byte, error) {
	var b []byte
	var err error
	if f, ok := p.in.(*os.File); ok && isTerminal(f) {
		fmt.Fprint(p.err, prompt)
		b, err = term.ReadPassword(f.Fd())
		fmt.Fprintln(p.err)
	} else {
		b, err = io.ReadAll(io.LimitReader(p.in, maxSecret+1))
		b = bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("\n")), []byte("\r"))
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the text: %w", err)
	case len(b) > maxSecret:
		return nil, fmt.Errorf("the text is larger than %d MiB", maxSecret>>20)
	}
	return b, nil
}
