package tree

import (
	"strconv"

	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/draw"
	"github.com/memtrail/memtrail/ui/text"
	"github.com/memtrail/memtrail/versions"
)

func (t *Pane) View() string {
	dst := make([]byte, 0, t.h*(t.w*2+32))
	for y := range t.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		i := t.top + y
		switch {
		case i < len(t.rows):
			dst = t.row(dst, i)
		case y == 0:
			dst = t.notice(dst)
		default:
			dst = text.Spaces(dst, t.w)
		}
	}
	return string(dst)
}

// notice stands where the first row would.
func (t *Pane) notice(dst []byte) []byte {
	s, st := "  reading…", t.th.Dim
	if t.err != nil {
		s, st = "  "+t.err.Error(), t.th.Error
	} else if t.data != nil {
		s = "  no memories yet: n makes one"
	}
	dst, cols := text.Line{Width: t.w, Base: st.On}.Append(dst, s)
	return text.Spaces(dst, t.w-cols)
}

// Widths from which a column is shown.
const (
	sizeFrom   = 30
	ageFrom    = 32
	writerFrom = 44
	sizeCols   = 4
	ageCols    = 4
	writerCols = 9
)

// row draws row i: mark, indent, fold, name, and what there is room for of
// badge, size, age and writer.
func (t *Pane) row(dst []byte, i int) []byte {
	n := t.rows[i]
	p := draw.Pen{W: t.w}
	switch {
	case i == t.cur && t.focused:
		p.Base = t.th.Selected.On
	case i == t.cur:
		p.Base = t.th.SelectedDim.On
	case t.flash[n.path]:
		p.Base = t.th.Flash.On
	}
	p.Plain = p.Base != ""
	dst = append(dst, p.Base...)

	p.W = max(t.w-1, 1) // a blank at the right edge
	right := t.rightWidth(n)
	switch {
	case t.chosen[n.path]:
		dst = p.Put(dst, "✓", t.th.Marked)
	case t.changed[n.path], n.folder() && !t.isOpen(n) && t.above[n.path] > 0:
		dst = p.Put(dst, "●", t.th.Changed)
	default:
		dst = p.Put(dst, " ", theme.Style{})
	}
	dst = p.Space(dst, min(n.depth*2, max(t.w-right-8, 0)))
	name := theme.Style{}
	switch {
	case n.folder() && t.isOpen(n):
		dst = p.Put(dst, "▾ ", t.th.Dim)
		name = t.th.Folder
	case n.folder():
		dst = p.Put(dst, "▸ ", t.th.Dim)
		name = t.th.Folder
	default:
		dst = p.Put(dst, "  ", theme.Style{})
		if n.entry.Kind != versions.Memory {
			name = t.th.Dim
		} else if n.path == t.open {
			name = t.th.TitleFocused
		}
	}
	dst = p.Clip(dst, n.name, p.W-right-p.Used, name)
	if n.entry != nil && n.entry.Kind == versions.LinkEntry {
		dst = p.Clip(dst, " → "+n.entry.Target, p.W-right-p.Used, t.th.Dim)
	}
	dst = p.Space(dst, p.W-right-p.Used)
	dst = t.right(dst, &p, n)
	p.W = t.w
	dst = p.Space(dst, t.w-p.Used)
	if p.Base != "" {
		dst = append(dst, text.Reset...)
	}
	return dst
}

func (t *Pane) hiddenBadge(n *node) string {
	hidden := n.hidden
	if n.entry != nil {
		hidden = n.entry.Hidden
	} else if t.isOpen(n) {
		return "" // shown on the memory itself
	}
	if hidden == 0 || t.w < 12 {
		return ""
	}
	return "!" + strconv.Itoa(min(hidden, 999))
}

// showsSize reports whether there is room for the size of n. What is no text
// says so in its place, at any width.
func (t *Pane) showsSize(n *node) bool {
	return t.w >= sizeFrom || t.w >= 20 && n.entry != nil && (n.entry.Kind != versions.Memory || n.entry.Binary)
}

func (t *Pane) rightWidth(n *node) int {
	w := 0
	if b := t.hiddenBadge(n); b != "" {
		w = len(b) + 1
	}
	if t.showsSize(n) {
		w += 1 + sizeCols
	}
	if t.w >= ageFrom {
		w += 1 + ageCols
	}
	if t.w >= writerFrom {
		w += 1 + writerCols
	}
	return w
}

func (t *Pane) right(dst []byte, p *draw.Pen, n *node) []byte {
	if b := t.hiddenBadge(n); b != "" {
		dst = p.Put(dst, " ", theme.Style{})
		dst = p.Put(dst, b, t.th.Badge)
	}
	if t.w >= writerFrom {
		dst = p.Put(dst, " ", theme.Style{})
		if e := n.entry; e != nil && e.Kind == versions.Memory {
			who := draw.Actor(e.Actor)
			from := p.Used
			dst = p.Clip(dst, who, writerCols, t.th.Actor(string(e.Actor.Kind)))
			dst = p.Space(dst, writerCols-(p.Used-from))
		} else {
			dst = p.Space(dst, writerCols)
		}
	}
	if t.showsSize(n) {
		dst = p.Right(dst, " "+t.sizeLabel(n), 1+sizeCols, t.th.Dim)
	}
	if t.w >= ageFrom {
		when := n.latest
		if n.entry != nil {
			when = n.entry.Time
		}
		dst = p.Right(dst, " "+draw.Age(t.now, when), 1+ageCols, t.th.Dim)
	}
	return dst
}

// sizeLabel is a memory's size, a folder's count, or what else stands there.
func (t *Pane) sizeLabel(n *node) string {
	if n.folder() {
		return strconv.Itoa(n.count)
	}
	switch e := n.entry; {
	case e.Kind == versions.LinkEntry:
		return "link"
	case e.Kind == versions.TooBig:
		return draw.Bytes(e.Size)
	case e.Kind == versions.Special:
		return "pipe" // or a socket or a device: nothing that can be read
	case e.Kind == versions.Unreadable:
		return "shut"
	case e.Binary:
		return "bin"
	default:
		return draw.Bytes(e.Size)
	}
}
