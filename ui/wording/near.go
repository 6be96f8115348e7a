package wording

import (
	"fmt"
	"strings"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/versions/match"
)

// Near says, for a query without hits, which of its words occur, and which similar ones do. It is
// empty if nothing is known of them. quote quotes a word of the query.
func Near(near []match.NearWord, quote func(string) string) string {
	var parts []string
	say := func(format string, values ...any) { parts = append(parts, fmt.Sprintf(format, values...)) }
	for _, n := range near {
		switch {
		case n.Memories > 0 && len(near) > 1:
			say("%s is in %s", quote(n.Text), draw.Plural(n.Memories, "memory", "memories"))
		case n.Memories == 0 && n.AnyCase > 0:
			say("%s is in %s in another case", quote(n.Text), draw.Plural(n.AnyCase, "memory", "memories"))
		case len(n.Similar) > 0:
			say("%s was not found; similar: %s", quote(n.Text), strings.Join(n.Similar, ", "))
		case n.Memories == 0 && len(near) > 1:
			say("%s was not found", quote(n.Text))
		}
	}
	return strings.Join(parts, "; ")
}
