package tree

import (
	"strconv"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/versions"
)

// columnSets are the columns right of the names, of which one set is shown.
var columnSets = [2]struct {
	name string
	cols draw.Table[*drawing, *node]
}{
	{"size and age", draw.Table[*drawing, *node]{
		{Title: "writer", W: 9, From: 44, Cell: (*drawing).writer},
		{Title: "tokens", W: 7, From: 68, Right: true, Cell: (*drawing).tokens},
		{Title: "size", W: 4, From: 34, Right: true, Cell: (*drawing).size},
		{Title: "age", W: 4, From: 29, Right: true, Cell: (*drawing).age},
	}},
	{"what needs attention: z stale, tokens, reads", draw.Table[*drawing, *node]{
		{Title: "writer", W: 9, From: 66, Cell: (*drawing).writer},
		{Title: "reads", W: 4, From: 40, Right: true, Cell: (*drawing).reads},
		{Title: "size", W: 7, From: 35, Right: true, Cell: (*drawing).tokensOrKind},
		{Title: "state", W: 2, From: 27, Right: true, Cell: (*drawing).state},
	}},
}

func (d *drawing) table() draw.Table[*drawing, *node] { return columnSets[d.columns].cols }

func (d *drawing) writer(n *node, cols int) (string, theme.Style) {
	if !n.memory() {
		return "", theme.Style{}
	}
	who := n.entry.Actor
	return actors.Fitting(actors.Short(who), cols), d.theme.Actor(string(who.Kind))
}

func (d *drawing) size(n *node, _ int) (string, theme.Style) { return sizeLabel(n), d.theme.Dim }

func (d *drawing) age(n *node, _ int) (string, theme.Style) {
	return draw.Age(d.known.now, n.when()), d.theme.Dim
}

// state returns whether a memory is stale.
func (d *drawing) state(n *node, _ int) (string, theme.Style) {
	if !n.folder() && d.known.isStale(n.entry) {
		return "z", d.theme.Dim
	}
	return "", d.theme.Dim
}

func (d *drawing) reads(n *node, _ int) (string, theme.Style) {
	switch {
	case n.reads == 0 || d.known.reads == nil:
		return "", d.theme.Dim
	case n.reads > 999:
		return "999+", d.theme.Dim
	}
	return strconv.Itoa(int(n.reads)) + "×", d.theme.Dim
}

// tokens returns the estimate, with a sign that has the same meaning as its colour.
func (d *drawing) tokens(n *node, _ int) (string, theme.Style) {
	if n.isNoText() || n.folder() && n.count == 0 {
		return "", theme.Style{}
	}
	h := heat(n.bytes())
	return "≈" + draw.Tokens(n.bytes()) + heatSigns[h], d.theme.Heat[h]
}

// tokensOrKind returns the kind of a file that is not text.
func (d *drawing) tokensOrKind(n *node, cols int) (string, theme.Style) {
	if n.isNoText() {
		return d.size(n, cols)
	}
	return d.tokens(n, cols)
}

var heatSigns = [4]string{" ", "▂", "▅", "█"}

// heat returns how much of an agent's context a text takes, in four steps: up to 250, 1,000
// and 4,000 tokens, and more.
func heat(bytes int64) int {
	for i, to := range []int64{1000, 4000, 16000} {
		if bytes <= to {
			return i
		}
	}
	return 3
}

// sizeLabel returns a size, or what kind of file it is.
func sizeLabel(n *node) string {
	if n.folder() && n.count == 0 {
		return ""
	}
	if n.folder() {
		return draw.Bytes(n.size)
	}
	switch e := n.entry; {
	case e.Kind == versions.LinkEntry:
		return "link"
	case e.Kind == versions.DeletedMemory:
		return "gone"
	case e.Kind == versions.Special && e.Note != "":
		return "copy" // of another program
	case e.Kind == versions.Special:
		return "pipe" // or a socket or a device: nothing that can be read
	case e.Kind == versions.Unreadable:
		if _, ok := n.unnamed(); ok {
			return "name"
		}
		return "deny"
	case e.Kind == versions.Memory && e.Binary:
		return "bin"
	default:
		return draw.Bytes(e.Size)
	}
}

// isNoText reports whether n is not text.
func (n *node) isNoText() bool {
	return n.entry != nil && (n.entry.Kind != versions.Memory || n.entry.Binary)
}
