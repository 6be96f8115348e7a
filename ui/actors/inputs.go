package actors

import (
	"strings"

	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// inWords are the kinds of outside input in a sentence, in the order of their bits.
var inWords = []string{"web pages", "output of commands", "results of MCP servers", "a file"}

// ExternalInputs says in a sentence what a session had read from outside its memories; it returns "" if there were no such inputs.
func ExternalInputs(in versions.Inputs) string {
	words := func(of versions.Inputs) string {
		var out []string
		for i, w := range inWords {
			if of&(1<<i) != 0 {
				out = append(out, w)
			}
		}
		return text.And(out)
	}
	own, second := words(in.Direct()), words(in.SecondHand()&^in.Direct())
	switch {
	case own == "" && second == "":
		return ""
	case second == "":
		return "its session had taken in " + own + " from outside"
	case own == "":
		return "its session had read memories that were written after " + second + " from outside"
	}
	return "its session had taken in " + own + " from outside, and through memories " + second
}

// After says what a session had taken in from outside its memories: "after web, shell; second hand: mcp". It
// is empty if that is nothing.
func After(in versions.Inputs) string {
	own, second := in.Direct(), in.SecondHand()&^in.Direct()
	var parts []string
	if own != 0 {
		parts = append(parts, own.String())
	}
	if second != 0 {
		parts = append(parts, "second hand: "+second.String())
	}
	if len(parts) == 0 {
		return ""
	}
	return "after " + strings.Join(parts, "; ")
}
