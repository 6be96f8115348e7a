package tree

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// column is a column right of the names.
type column int

const (
	colWriter column = iota
	colReads
	colTokens
	colSize
	colAge
	colState
	cols
)

// colWidth is the width of each column, including the blank before it.
var colWidth = [cols]int{colWriter: 10, colReads: 5, colTokens: 8, colSize: 5, colAge: 5, colState: 3}

// columnSets are the columns of which one set is shown, as far as there is room: the first ones first.
var columnSets = [2]struct {
	name string
	cols []column
}{
	{"size and age", []column{colAge, colSize, colWriter, colTokens}},
	{"what needs attention: z stale, tokens, reads", []column{colState, colTokens, colReads, colWriter}},
}

// The least width for names before columns are shown; the last one is shown only beside long names.
const (
	forNames     = 24
	forLongNames = 40
)

// columnsShown returns the columns of the set that there is room for.
func (t *Pane) columnsShown() (shown [cols]bool) {
	set := columnSets[t.columns].cols
	names, left := forNames, t.w
	for i, c := range set {
		if i == len(set)-1 {
			names = forLongNames
		}
		if left-colWidth[c] >= names {
			shown[c] = true
			left -= colWidth[c]
		}
	}
	return shown
}

// toggleColumns shows the other set.
func (t *Pane) toggleColumns(int) tea.Cmd {
	t.columns = 1 - t.columns
	notice := "columns: " + columnSets[t.columns].name
	if !t.columnsShown()[columnSets[t.columns].cols[0]] {
		notice += " · widen the tree to see them"
	}
	return tea.Batch(t.saveSoon(), t.env.Ask(screen.Notice{Text: notice}))
}

func (t *Pane) cell(p *draw.Row, n *node, c column) {
	w := colWidth[c]
	switch c {
	case colWriter:
		p.Space(1)
		from := p.Used
		if n.memory() {
			who := n.entry.Actor
			p.Clip(actors.Fitting(actors.Short(who), w-1), w-1, t.env.Theme.Actor(string(who.Kind)))
		}
		p.Space(w - 1 - (p.Used - from))
		return
	case colReads:
		p.Right(t.readsLabel(n), w, t.env.Theme.Dim)
		return
	case colTokens:
		t.tokens(p, n, w)
		return
	case colState:
		t.state(p, n, w)
		return
	case colSize:
		p.Right(" "+sizeLabel(n), w, t.env.Theme.Dim)
		return
	default:
		p.Right(" "+draw.Age(t.facts.now, n.when()), w, t.env.Theme.Dim)
		return
	}
}

// state draws whether a memory is stale.
func (t *Pane) state(p *draw.Row, n *node, w int) {
	var marks []badge
	if !n.folder() {
		marks = t.stateBadges(nil, n)
	}
	used := 0
	for _, b := range marks {
		used += text.Width(b.sign)
	}
	p.Space(max(w-used-max(len(marks)-1, 0), 1))
	for i, b := range marks {
		if i > 0 {
			p.Space(1)
		}
		p.Put(b.sign, b.style)
	}
}

// stateBadges appends the marks of whether a memory is still true.
func (t *Pane) stateBadges(dst []badge, n *node) []badge {
	if t.facts.isStale(n.entry) {
		dst = append(dst, badge{"z", t.env.Theme.Dim})
	}
	return dst
}

func (t *Pane) readsLabel(n *node) string {
	reads := n.reads
	if reads == 0 || t.facts.reads == nil {
		return ""
	}
	if reads > 999 {
		return "999+"
	}
	return strconv.Itoa(int(reads)) + "×"
}

// tokens draws the estimate, with a sign that has the same meaning as its colour.
func (t *Pane) tokens(p *draw.Row, n *node, w int) {
	if n.isNoText() || n.folder() && n.count == 0 {
		p.Space(w)
		return
	}
	h := heat(n.bytes())
	p.Right("≈"+draw.Tokens(n.bytes()), w-1, t.env.Theme.Heat[h])
	p.Put(heatSigns[h], t.env.Theme.Heat[h])
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

// isNoText reports whether n is not text; that is shown at any width.
func (n *node) isNoText() bool {
	return n.entry != nil && (n.entry.Kind != versions.Memory || n.entry.Binary)
}

// badge is a sign after a name.
type badge struct {
	sign  string
	style theme.Style
}

// badges appends the badges of a row, the most important first. A folded folder has those
// of its content.
func (t *Pane) badges(dst []badge, n *node) []badge {
	if hidden := t.hiddenIn(n); hidden > 0 {
		dst = append(dst, badge{"!" + strconv.Itoa(min(hidden, 999)), t.env.Theme.Badge})
	}
	if t.isUnsaved(n) {
		dst = append(dst, badge{"*", t.env.Theme.Warn})
	}
	dst = t.trustBadges(dst, n)
	if n.folder() {
		return dst
	}
	if !t.columnsShown()[colState] {
		dst = t.stateBadges(dst, n)
	}
	return dst
}

func (t *Pane) hiddenIn(n *node) int {
	switch {
	case t.w < 12:
		return 0
	case n.entry != nil:
		return n.entry.Hidden
	case t.isOpen(n):
		return 0 // shown on the memory itself
	}
	return n.hidden
}
