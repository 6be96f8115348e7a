package tree

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// columnSets are the columns right of the names, of which one set is shown.
var columnSets = [2]struct {
	name string
	cols draw.Table[*Pane, *node]
}{
	{"size and age", draw.Table[*Pane, *node]{
		{Title: "writer", W: 9, From: 44, Cell: (*Pane).writer},
		{Title: "tokens", W: 7, From: 68, Right: true, Cell: (*Pane).tokens},
		{Title: "size", W: 4, From: 34, Right: true, Cell: (*Pane).size},
		{Title: "age", W: 4, From: 29, Right: true, Cell: (*Pane).age},
	}},
	{"what needs attention: z stale, tokens, reads", draw.Table[*Pane, *node]{
		{Title: "writer", W: 9, From: 66, Cell: (*Pane).writer},
		{Title: "reads", W: 4, From: 40, Right: true, Cell: (*Pane).reads},
		{Title: "size", W: 7, From: 35, Right: true, Cell: (*Pane).tokensOrKind},
		{Title: "state", W: 2, From: 27, Right: true, Cell: (*Pane).state},
	}},
}

func (t *Pane) table() draw.Table[*Pane, *node] { return columnSets[t.columns].cols }

// toggleColumns shows the other set.
func (t *Pane) toggleColumns(int) tea.Cmd {
	t.columns = 1 - t.columns
	notice := "columns: " + columnSets[t.columns].name
	if t.table().Rest(t.w, 0) == t.w {
		notice += " · widen the tree to see them"
	}
	return tea.Batch(t.saveSoon(), t.env.Do(screen.Notice{Text: notice}))
}

func (t *Pane) writer(n *node, cols int) (string, theme.Style) {
	if !n.memory() {
		return "", theme.Style{}
	}
	who := n.entry.Actor
	return actors.Fitting(actors.Short(who), cols), t.env.Theme.Actor(string(who.Kind))
}

func (t *Pane) size(n *node, _ int) (string, theme.Style) { return sizeLabel(n), t.env.Theme.Dim }

func (t *Pane) age(n *node, _ int) (string, theme.Style) {
	return draw.Age(t.facts.now, n.when()), t.env.Theme.Dim
}

// state returns whether a memory is stale.
func (t *Pane) state(n *node, _ int) (string, theme.Style) {
	if !n.folder() && t.facts.isStale(n.entry) {
		return "z", t.env.Theme.Dim
	}
	return "", t.env.Theme.Dim
}

func (t *Pane) reads(n *node, _ int) (string, theme.Style) {
	switch {
	case n.reads == 0 || t.facts.reads == nil:
		return "", t.env.Theme.Dim
	case n.reads > 999:
		return "999+", t.env.Theme.Dim
	}
	return strconv.Itoa(int(n.reads)) + "×", t.env.Theme.Dim
}

// tokens returns the estimate, with a sign that has the same meaning as its colour.
func (t *Pane) tokens(n *node, _ int) (string, theme.Style) {
	if n.isNoText() || n.folder() && n.count == 0 {
		return "", theme.Style{}
	}
	h := heat(n.bytes())
	return "≈" + draw.Tokens(n.bytes()) + heatSigns[h], t.env.Theme.Heat[h]
}

// tokensOrKind returns the kind of a file that is not text.
func (t *Pane) tokensOrKind(n *node, cols int) (string, theme.Style) {
	if n.isNoText() {
		return t.size(n, cols)
	}
	return t.tokens(n, cols)
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

// minForKind is the least width of a tree that shows which files are not text.
const minForKind = 20

// badge is a sign after a name.
type badge struct {
	sign  string
	style theme.Style
}

// badges appends the badges of a row of w columns, the most important first. A folded folder has those
// of its content.
func (t *Pane) badges(dst []badge, n *node, w int) []badge {
	if hidden := t.hiddenIn(n, w); hidden > 0 {
		dst = append(dst, badge{"!" + strconv.Itoa(min(hidden, 999)), t.env.Theme.Badge})
	}
	if t.isUnsaved(n) {
		dst = append(dst, badge{"*", t.env.Theme.Warn})
	}
	dst = t.trustBadges(dst, n, w)
	if n.folder() {
		return dst
	}
	if sign, st := t.state(n, 0); sign != "" && !t.table().Shows("state", w) {
		dst = append(dst, badge{sign, st})
	}
	if n.isNoText() && w >= minForKind && !t.table().Shows("size", w) {
		dst = append(dst, badge{sizeLabel(n), t.env.Theme.Dim})
	}
	return dst
}

func (t *Pane) hiddenIn(n *node, w int) int {
	switch {
	case w < 12:
		return 0
	case n.entry != nil:
		return n.entry.Hidden
	case t.isOpen(n):
		return 0 // shown on the memory itself
	}
	return n.hidden
}
