package tree

import (
	"strconv"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
)

// maxDescribed is how many entries of a folder are listed.
const maxDescribed = 200

// Describe returns lines about a folder: a summary and what is in it; nil if p is no folder.
func (t *Pane) Describe(p memfs.Path) []string {
	if t.data == nil || p.IsRoot() {
		return nil
	}
	n := t.data.node(p)
	if n == nil || !n.folder() {
		return nil
	}
	parts := []string{draw.Plural(n.count, "memory", "memories")}
	if n.count > 0 {
		parts = append(parts, draw.Bytes(n.size), draw.TokenCount(n.size))
	}
	if n.others > 0 {
		parts = append(parts, strconv.Itoa(n.others)+" not versioned")
	}
	if n.changed > 0 {
		parts = append(parts, strconv.Itoa(n.changed)+" to review")
	}
	out := []string{strings.Join(parts, " · "), ""}
	for _, k := range n.kids[:min(len(n.kids), maxDescribed)] {
		line := k.name()
		if k.folder() {
			line += "/ " + strconv.Itoa(k.count)
		}
		if k.folder() && k.changed > 0 || t.facts.changed(k.entry) {
			line += " ●"
		}
		out = append(out, line)
	}
	return out
}
