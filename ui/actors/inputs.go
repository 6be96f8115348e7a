package actors

import (
	"strings"

	"github.com/memend/memend/versions"
)

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
