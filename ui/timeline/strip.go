package timeline

import (
	"fmt"
	"time"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
)

// window returns the range of changes on the strip: from and to, both included.
func (p *Pane) window() (from, to int64) {
	first, last := p.marks.first, p.marks.last()
	n := last - first + 1
	for range p.zoom {
		if n <= int64(p.w) {
			break
		}
		n = max(n/2, int64(p.w))
	}
	n = min(n, last-first+1)
	from = min(max(p.want-n/2, first), last-n+1)
	return from, from + n - 1
}

func (p *Pane) zoomBy(d int) {
	p.zoom = max(p.zoom+d, 0)
	for p.zoom > 0 && (p.marks.last()-p.marks.first+1)>>p.zoom < int64(p.w)/2 {
		p.zoom--
	}
}

// column returns the column of a change on the strip.
func (p *Pane) column(n int64) int {
	from, to := p.window()
	if n < from {
		return 0
	}
	count := to - from + 1
	if count <= int64(p.w) {
		return int((n - from) * int64(p.w) / max(count, 1))
	}
	return int((n - from) * int64(p.w) / count)
}

// changeAt returns the first change of a column of the strip.
func (p *Pane) changeAt(x int) int64 {
	from, to := p.window()
	count := to - from + 1
	n := from + (int64(min(max(x, 0), p.w-1))*count+int64(p.w)-1)/int64(max(p.w, 1))
	return min(n, to)
}

var heights = []string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// appendBars draws a bar for each column of the strip, with a height by the number of versions
// in its changes. The session of the current change is highlighted.
func (p *Pane) appendBars(dst []byte) []byte {
	return p.columns(dst, func(from, end int64, now bool) (string, theme.Style) {
		count := int32(0)
		for i := from; i < end; i++ {
			k, _ := p.marks.at(i)
			if act, ok := p.marks.acts[i]; ok { // one block
				count = max(count, act.versions)
				continue
			}
			count += k.versions
		}
		if now {
			return heights[height(count)], p.env.Theme.TitleFocused
		}
		return heights[height(count)], p.env.Theme.Dim
	})
}

// appendBands draws the sessions side by side, in alternating colours.
func (p *Pane) appendBands(dst []byte) []byte {
	return p.columns(dst, func(from, _ int64, now bool) (string, theme.Style) {
		k, _ := p.marks.at(from)
		if now {
			return "═", p.env.Theme.Selected
		}
		return " ", p.env.Theme.Band[int(k.session)%len(p.env.Theme.Band)]
	})
}

// columns draws the cells of a row of the strip: cell draws the changes from up to end, and
// now is set if one of them is of the current change's session.
func (p *Pane) columns(dst []byte, cell func(from, end int64, now bool) (string, theme.Style)) []byte {
	pen := draw.Pen{W: p.w}
	if len(p.marks.all) == 0 {
		return pen.Space(dst, p.w)
	}
	shown, _ := p.marks.at(p.want)
	_, to := p.window()
	for x := range p.w {
		from, end := p.changeAt(x), to+1
		if x+1 < p.w {
			end = max(p.changeAt(x+1), from+1)
		}
		now := false
		for i := from; i < end && p.want > 0; i++ {
			k, _ := p.marks.at(i)
			now = now || k.session == shown.session
		}
		s, st := cell(from, end, now)
		dst = pen.Put(dst, s, st)
	}
	return pen.Space(dst, p.w)
}

// height returns the height of a column with that many versions: each step is twice as many.
func height(n int32) int {
	h := 0
	for ; n > 0 && h < len(heights)-1; n >>= 1 {
		h++
	}
	return h
}

// appendCaret draws the current position and the times at both ends.
func (p *Pane) appendCaret(dst []byte) []byte {
	pen := draw.Pen{W: p.w}
	if len(p.marks.all) == 0 {
		return pen.Space(dst, p.w)
	}
	from, to := p.window()
	left, right := p.timeOf(from), p.timeOf(to)
	at := p.column(p.want)
	if at > len(left)+1 {
		dst = pen.Put(dst, left, p.env.Theme.Dim)
	}
	dst = pen.Space(dst, at-pen.Used)
	dst = pen.Put(dst, "▲", p.env.Theme.TitleFocused)
	if p.w-pen.Used > len(right)+1 {
		dst = pen.Space(dst, p.w-pen.Used-len(right))
		dst = pen.Put(dst, right, p.env.Theme.Dim)
	}
	return pen.Space(dst, p.w)
}

func (p *Pane) timeOf(n int64) string {
	k, ok := p.marks.at(n)
	if !ok {
		return ""
	}
	return p.when(k).Format("2006-01-02")
}

// when returns the time of a change in the user's time zone.
func (p *Pane) when(k mark) time.Time { return time.UnixMicro(k.micros).In(p.now.Location()) }

// appendWords draws a description of the current change.
func (p *Pane) appendWords(dst []byte) []byte {
	pen := draw.Pen{W: p.w}
	th := p.env.Theme
	dst = pen.Space(dst, 1)
	k, ok := p.marks.at(p.at)
	switch {
	case p.err != nil:
		dst = pen.Put(dst, p.err.Error(), th.Error)
	case p.at < 0:
		dst = pen.Put(dst, "reading…", th.Dim)
	case p.at == 0 || !ok:
		dst = pen.Put(dst, "before the first change: nothing", th.Dim)
	default:
		dst = p.appendChange(dst, &pen, k)
	}
	return pen.Space(dst, p.w)
}

// wideWords is the width from which there is room for a time beside an age.
const wideWords = 72

// appendChange draws the number, the time, the author, the effect and the session of a change,
// as far as there is room.
func (p *Pane) appendChange(dst []byte, pen *draw.Pen, k mark) []byte {
	th, t, s := p.env.Theme, p.when(k), p.marks.sessions[k.session]
	number := fmt.Sprintf("#%d", p.at)
	if p.act != nil {
		number = fmt.Sprintf("#%d–#%d", p.act.First(), p.act.Last())
	}
	dst = pen.Put(dst, number, th.TitleFocused)
	ago := draw.Age(p.now, t)
	switch {
	case p.w >= wideWords:
		dst = pen.Put(dst, t.Format("  2006-01-02 15:04"), th.Text)
		if ago != "" {
			dst = pen.Put(dst, " ("+ago+")", th.Dim)
		}
	case ago == "":
		dst = pen.Put(dst, t.Format("  2006-01-02"), th.Text)
	default:
		dst = pen.Put(dst, "  "+ago, th.Text)
	}
	dst = pen.Put(dst, "  "+actors.Short(s.actor), th.Actor(string(s.actor.Kind)))
	dst = pen.Put(dst, "  "+string(p.words.Kind), th.Text)
	more := ""
	if n := p.words.Versions; n > 1 {
		more = fmt.Sprintf(" · %d memories", n)
	}
	if p.act != nil {
		more = fmt.Sprintf(" · %d memories in %d changes", p.act.Versions, len(p.act.Changes))
	}
	if k.undone {
		more += " · undone since"
	}
	if !p.words.Path.IsRoot() && p.act == nil {
		dst = pen.Space(dst, 1)
		dst = pen.ClipStart(dst, p.words.Path.String(), pen.W-pen.Used-text.Width(more), th.Text)
	}
	dst = pen.Put(dst, more, th.Text)
	session := fmt.Sprintf("  session %s, %s", draw.ShortID(text.Field(string(s.id)), 8), draw.Plural(s.count, "change", "changes"))
	if s.id != "" && pen.W-pen.Used >= text.Width(session) {
		dst = pen.Put(dst, session, th.Dim)
	}
	return dst
}
