package cli

import (
	"bufio"
	"fmt"
	"strings"
)

// canAsk reports whether there is somebody to ask.
func (p *program) canAsk() bool { return isTerminal(p.in) && p.terminal }

// agreed asks a question that is answered with yes or, by default, no.
func (p *program) agreed(question string) bool {
	_ = p.out.Flush() // what the question is about comes first
	fmt.Fprintf(p.err, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(p.in).ReadString('\n')
	return strings.EqualFold(strings.TrimSpace(answer), "y")
}
