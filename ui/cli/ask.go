package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
)

// canAsk reports whether there is somebody to ask.
func (p *program) canAsk() bool { return isTerminal(p.in) && p.terminal }

// asked asks for a line; "" when there is no answer.
func (p *program) asked(question string) string {
	_ = p.out.Flush() // what the question is about comes first
	fmt.Fprint(p.err, question)
	answer, _ := bufio.NewReader(p.in).ReadString('\n')
	return strings.TrimSpace(answer)
}

// agreed asks a question that is answered with yes or, by default, no.
func (p *program) agreed(question string) bool {
	answer := strings.ToLower(p.asked(question + " [y/N] "))
	yes := answer == "y" || answer == "yes"
	if !yes {
		fmt.Fprintln(p.err, "memend: nothing was changed")
	}
	return yes
}

// sure asks before something that can't be undone. Where standard input is not a
// terminal, the command line must have said yes.
func (p *program) sure(command, question string, yes bool) (bool, error) {
	if yes {
		return true, nil
	}
	if !p.canAsk() {
		return false, misusef(command, "this can't be undone; not a terminal, so pass --yes")
	}
	return p.agreed(question), nil
}

// maxSecret is how much is read as the text to be erased.
const maxSecret = 1 << 20

// secret reads a text that should not be on the command line: from a terminal
// without showing it, else all of standard input but the end of its last line.
func (p *program) secret(prompt string) ([]byte, error) {
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
	case len(b) == 0:
		return nil, errors.New("the text is empty")
	case len(b) > maxSecret:
		return nil, fmt.Errorf("the text is over %d MiB", maxSecret>>20)
	}
	return b, nil
}
