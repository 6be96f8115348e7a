package timeline

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/wording"
)

// bar is a column of the strip: the changes from up to end.
type bar struct {
	from, end int64
	versions  int32
	sessions  []int32 // of its changes, sorted
}

// strip holds the bars of a width and of the marks that there were. Reading them all for each key would
// take a time that grows with the history.
type strip struct {
	w           int
	first, last int64
	acts        int // how many changes belong to bulk edits
	bars        []bar
}

// bars returns the columns of the strip.
func (p *Pane) bars() []bar {
	m := &p.marks
	now := strip{w: p.W, first: m.first, last: m.last(), acts: len(m.acts)}
	if s := &p.strip; s.w == now.w && s.first == now.first && s.last == now.last && s.acts == now.acts {
		return s.bars
	}
	now.bars = make([]bar, p.W)
	for x := range now.bars {
		b := bar{from: p.changeAt(x), end: now.last + 1}
		if x+1 < p.W {
			b.end = max(p.changeAt(x+1), b.from+1)
		}
		for i := b.from; i < b.end; i++ {
			k, _ := m.at(i)
			if act, ok := m.acts[i]; ok { // one block
				b.versions = max(b.versions, act.versions)
			} else {
				b.versions += k.versions
			}
			b.sessions = append(b.sessions, k.session)
		}
		slices.Sort(b.sessions)
		b.sessions = slices.Compact(b.sessions)
		now.bars[x] = b
	}
	p.strip = now
	return now.bars
}

// column returns the column of a change on the strip, the first one if it has several.
func (p *Pane) column(n int64) int {
	n, w, count := max(n-p.marks.first, 0), int64(p.W), p.marks.count()
	if count < w {
		return int((n*w + count - 1) / count)
	}
	return int(n * w / count)
}

// changeAt returns the first change of a column of the strip.
func (p *Pane) changeAt(x int) int64 {
	at, w, count := int64(min(max(x, 0), p.W-1)), int64(max(p.W, 1)), p.marks.count()
	n := at * count / w
	if count >= w {
		n = (at*count + w - 1) / w
	}
	return min(p.marks.first+n, p.marks.last())
}

var heights = []string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// appendBars draws a bar for each column of the strip, with a height by the number of versions
// in its changes. The session of the current change is highlighted.
func (p *Pane) appendBars(dst []byte) []byte {
	most := int32(0)
	for _, b := range p.bars() {
		most = max(most, b.versions)
	}
	return p.columns(dst, func(b bar, now bool) (string, theme.Style) {
		s := heights[height(b.versions, most)]
		if now {
			return s, p.env.Theme.TitleFocused
		}
		return s, p.env.Theme.Dim
	})
}

// appendBands draws the sessions side by side, in alternating colours.
func (p *Pane) appendBands(dst []byte) []byte {
	return p.columns(dst, func(b bar, now bool) (string, theme.Style) {
		k, _ := p.marks.at(b.from)
		if now {
			return "═", p.env.Theme.Selected
		}
		return " ", p.env.Theme.Band[int(k.session)%len(p.env.Theme.Band)]
	})
}

// columns draws the cells of a row of the strip; now is set if a change of the bar is of the current
// change's session.
func (p *Pane) columns(dst []byte, cell func(b bar, now bool) (string, theme.Style)) []byte {
	pen := draw.NewRow(dst, p.W)
	if len(p.marks.all) == 0 {
		return pen.End()
	}
	shown, _ := p.marks.at(p.want)
	for _, b := range p.bars() {
		_, now := slices.BinarySearch(b.sessions, shown.session)
		s, st := cell(b, now && p.want > 0)
		pen.Put(s, st)
	}
	return pen.End()
}

// height returns the height of a column with that many versions, on a logarithmic scale from one version to most.
func height(n, most int32) int {
	if n == 0 || most <= 1 {
		return int(n)
	}
	return 1 + int(float64(len(heights)-2)*math.Log2(float64(n))/math.Log2(float64(most))+0.5)
}

// appendCaret draws the current position and the times at both ends.
func (p *Pane) appendCaret(dst []byte) []byte {
	pen := draw.NewRow(dst, p.W)
	if len(p.marks.all) == 0 {
		return pen.End()
	}
	left, right := p.timeOf(p.marks.first), p.timeOf(p.marks.last())
	at := p.column(p.want)
	if at > len(left)+1 {
		pen.Put(left, p.env.Theme.Dim)
	}
	pen.Space(at - pen.Used)
	pen.Put("▲", p.env.Theme.TitleFocused)
	if p.W-pen.Used > len(right)+1 {
		pen.Space(p.W - pen.Used - len(right))
		pen.Put(right, p.env.Theme.Dim)
	}
	return pen.End()
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
	pen := draw.NewRow(dst, p.W)
	th := p.env.Theme
	pen.Space(1)
	k, ok := p.marks.at(p.at)
	switch {
	case p.err != nil:
		pen.Put(p.err.Error(), th.Error)
	case p.at < 0:
		pen.Put("reading…", th.Dim)
	case p.at == 0 || !ok:
		pen.Put("before the first change: nothing", th.Dim)
	default:
		p.appendChange(&pen, k)
	}
	return pen.End()
}

// number names the current change, or the bulk edit that it stands for.
func (p *Pane) number() string {
	if p.act != nil {
		return fmt.Sprintf("#%d–#%d", p.act.First(), p.act.Last())
	}
	return fmt.Sprintf("#%d", p.at)
}

// wideWords is the width from which there is room for a time beside an age.
const wideWords = 72

// leastSubject are the columns of a commit's subject; the beginning of one in fewer says nothing.
const leastSubject = 12

// appendChange draws the number, the time, the author, the effect and the session of a change,
// as far as there is room.
func (p *Pane) appendChange(pen *draw.Row, k mark) {
	th, t, s := p.env.Theme, p.when(k), p.marks.sessions[k.session]
	pen.Put(p.number(), th.TitleFocused)
	ago := draw.Age(p.now, t)
	switch {
	case p.W >= wideWords:
		pen.Put(t.Format("  2006-01-02 15:04"), th.Text)
		if ago != "" {
			pen.Put(" ("+ago+")", th.Dim)
		}
	case ago == "":
		pen.Put(t.Format("  2006-01-02"), th.Text)
	default:
		pen.Put("  "+ago, th.Text)
	}
	pen.Put("  "+actors.Short(s.actor), th.Actor(string(s.actor.Kind)))
	did := wording.Sentence(p.words, wording.Screen)
	if p.act != nil {
		did = fmt.Sprintf("%s in %d changes", wording.Counts(p.act.Effect), len(p.act.Changes))
	}
	undone := ""
	if k.undone {
		undone = " · undone since"
	}
	verb, object, _ := strings.Cut(did, " ")
	pen.Put("  "+verb+" ", th.Text)
	if room := pen.Left() - text.Width(undone); p.words.Versions > 1 {
		pen.Clip(object, room, th.Text)
	} else {
		pen.Path(object, room, th.Text)
	}
	pen.Put(undone, th.Text)
	if subject := text.Field(p.words.Subject); subject != "" && pen.Left() > min(text.Width(subject), leastSubject)+2 {
		pen.Put("  "+subject, th.Dim)
	}
	session := fmt.Sprintf("  session %s, %s", draw.ShortID(text.Field(string(s.id)), 8), draw.Plural(s.count, "change", "changes"))
	if s.id != "" && pen.Left() >= text.Width(session) {
		pen.Put(session, th.Dim)
	}
}
