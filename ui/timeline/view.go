package timeline

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// boxes are those of the parts; head is the line above the text or diff.
type boxes struct {
	strip, tree, head, view draw.Box
}

const (
	stripRows  = 4  // description, bars, bands, caret
	barsFrom   = 14 // rows of the screen from which there are bars
	besideFrom = 60 // columns from which tree and text are side by side
)

// places computes the layout: the strip above, the tree and the text below.
func (p *Pane) places() boxes {
	strip := min(stripRows, p.h)
	if p.h < barsFrom {
		strip = min(stripRows-1, p.h)
	}
	body := p.h - strip
	at := boxes{strip: draw.At(0, 0, p.w, strip)}
	switch {
	case body <= 0:
	case p.w >= besideFrom:
		left := min(max(p.w/3, 24), 46)
		at.tree = draw.At(0, strip, left, body)
		at.head = draw.At(left+1, strip, p.w-left-1, 1)
		at.view = draw.At(left+1, strip+1, p.w-left-1, body-1)
	case p.inView:
		at.head = draw.At(0, strip, p.w, 1)
		at.view = draw.At(0, strip+1, p.w, body-1)
	default:
		at.tree = draw.At(0, strip, p.w, body)
	}
	return at
}

// Title returns the position on the timeline.
func (p *Pane) Title() (name, info string) {
	if p.at < 0 {
		return "timeline", ""
	}
	info = fmt.Sprintf("%d of %d · %s", p.at, p.marks.last(), draw.Plural(len(p.entries), "memory", "memories"))
	if p.marks.first > 1 {
		info += " · reading older changes…"
	}
	if p.follows {
		info = "follow: on · " + info
	}
	return "timeline", info
}

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if p.w <= 0 || p.h <= 0 {
		return ""
	}
	at := p.places()
	tree, view := rowsIn(p.tree.View(), at.tree), rowsIn(p.viewed(), at.view)
	dst := make([]byte, 0, p.h*(p.w+48))
	for y := range p.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		if y < at.strip.H {
			dst = p.stripRow(dst, y, at.strip.H)
			continue
		}
		if at.tree.H > 0 {
			dst = append(dst, tree[y-at.tree.Y]...)
		}
		if at.tree.H > 0 && at.view.W > 0 {
			dst = p.env.Theme.Border.Append(dst, p.env.Theme.Lines.Down)
		}
		if at.head.H > 0 && y == at.head.Y {
			dst = p.appendHead(dst, at.head.W)
		} else if i := y - at.view.Y; at.view.W > 0 && i >= 0 && i < len(view) {
			dst = append(dst, view[i]...)
		}
	}
	return string(dst)
}

func (p *Pane) stripRow(dst []byte, y, rows int) []byte {
	if y > 0 && rows < stripRows {
		y++ // there are no bars
	}
	switch y {
	case 0:
		return p.appendWords(dst)
	case 1:
		return p.appendBars(dst)
	case 2:
		return p.appendBands(dst)
	}
	return p.appendCaret(dst)
}

func rowsIn(frame string, b draw.Box) []string {
	if b.W <= 0 || b.H <= 0 {
		return nil
	}
	return strings.Split(frame, "\n")
}

func (p *Pane) viewed() string {
	if p.diffShown {
		return p.diff.View()
	}
	return p.text.View()
}

// appendHead draws the line above the text or diff.
func (p *Pane) appendHead(dst []byte, w int) []byte {
	st := p.env.Theme.Title
	if p.inView {
		st = p.env.Theme.TitleFocused
	}
	pen := draw.NewRow(dst, w)
	pen.Space(1)
	title, then, here := p.title, "", ""
	switch {
	case !p.diffShown && p.sel.IsRoot():
		title = "no memory is selected"
	case !p.diffShown:
		title, then = p.sel.String(), " as it was then"
	}
	room := w - pen.Used - text.Width(then)
	if touched := p.touched(p.sel); len(p.modified) > 1 || len(p.modified) == 1 && !touched {
		counts := p.hereCounts()
		where := "  changed elsewhere: "
		if touched {
			where = "  changed in all: "
		}
		for _, s := range []string{where + counts, "  " + counts} { // what does not fit is left out
			if n := text.Width(s); here == "" && (text.Width(title)+n <= room || room-n >= 24) {
				here = s
			}
		}
	}
	pen.Path(title, room-text.Width(here), st)
	pen.Put(then, st)
	pen.Put(here, p.env.Theme.Dim)
	return pen.End()
}

// hereCounts returns what the change modified, as counts.
func (p *Pane) hereCounts() string {
	var counts [4]int
	for _, d := range p.modified {
		switch d.Kind {
		case versions.TreeCreated:
			counts[0]++
		case versions.TreeModified:
			counts[1]++
		case versions.TreeRenamed:
			counts[2]++
		case versions.TreeDeleted:
			counts[3]++
		}
	}
	var parts []string
	for i, sign := range []string{"+", "~", "→", "−"} {
		if counts[i] > 0 {
			parts = append(parts, sign+fmt.Sprint(counts[i]))
		}
	}
	return strings.Join(parts, " ")
}

// mouse handles clicks and drags on the strip, and other mouse events as in other panes.
func (p *Pane) mouse(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	at := p.places()
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		switch {
		case m.Button != tea.MouseLeft:
		case at.strip.Holds(m.X, m.Y) && p.reading: // nothing is drawn there
		case at.strip.Holds(m.X, m.Y):
			p.drags = true
			return p.goTo(p.changeAt(m.X))
		case at.tree.Holds(m.X, m.Y):
			p.focus(false)
			msg.Y -= at.tree.Y
			p.tree.Update(msg) // its commands would open the current memory
			return p.follow()
		case at.view.Holds(m.X, m.Y):
			p.focus(true)
		}
	case tea.MouseMotionMsg:
		if p.drags {
			return p.goTo(p.changeAt(m.X))
		}
	case tea.MouseReleaseMsg:
		p.drags = false
	case tea.MouseWheelMsg:
		return p.wheel(msg, at)
	}
	return nil
}

func (p *Pane) wheel(msg tea.MouseWheelMsg, at boxes) tea.Cmd {
	switch {
	case at.strip.Holds(msg.X, msg.Y):
		d := int64(1)
		if msg.Button == tea.MouseWheelUp || msg.Button == tea.MouseWheelLeft {
			d = -1
		}
		return p.move(func(p *Pane) int64 { return p.marks.step(p.want, d) })
	case at.tree.Holds(msg.X, msg.Y):
		cmd := p.tree.Update(msg)
		return tea.Batch(cmd, p.follow())
	case p.diffShown:
		return p.diff.Update(msg)
	}
	return p.text.Update(msg)
}
