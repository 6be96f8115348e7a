package frame

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
)

// Segment is a part of the status line.
type Segment struct {
	Text   string
	More   string // a further part of the text on the left, shown only if there is room for it and the next segment
	Style  theme.Style
	Near   bool           // it belongs to the previous segment, which is dropped first
	Click  screen.Request // the request that a click on it sends; nil for none
	Urgent bool           // the segment that is always shown on the left gives up its later parts for it; a message leaves it if there is room
}

// gap returns how many columns precede a Segment.
func (s Segment) gap() int {
	if s.Near {
		return 1
	}
	return 2
}

// minMessageWidth is how much of a message must remain beside its undo hint.
const minMessageWidth = 16

// Message is a message to the person.
type Message struct {
	Text string
	Bad  bool
	Back string // how to undo what it reports; "" for nothing
}

// Status is the content of the status line; the first segments are kept longest.
type Status struct {
	Left, Right []Segment
	Message     *Message  // replaces the right side while it is shown; nil for none
	Work        []Segment // work in progress; replaces both sides; nil for none
	KeepSecond  bool      // the second segment on the left is always shown
}

// StatusLine draws the line that all panes share, exactly w columns.
func (c Canvas) StatusLine(dst []byte, w int, s Status) []byte {
	left, right := s.Left, s.Right
	working := len(s.Work) > 0
	switch {
	case working:
		left, right = left[:1], s.Work
	case s.Message != nil:
		left, right = c.withMessage(w, s)
	}
	if s.Message == nil && !working {
		for len(right) > 1 && columnsOf(right) > w {
			right = right[:len(right)-1]
		}
	}
	rightCols := columnsOf(right)
	if s.KeepSecond && s.Message == nil && !working {
		short := []Segment{left[0], {Text: text.WholeParts(left[1].Text, 0), Near: left[1].Near}}
		for len(right) > 0 && columnsOf(left[:2])+rightCols > w {
			if right[len(right)-1].Urgent && columnsOf(short)+rightCols <= w {
				break
			}
			right = right[:len(right)-1]
			rightCols = columnsOf(right)
		}
	}
	if s.Message == nil && !working {
		left = withMore(left, w-rightCols)
	}
	p := draw.MixedRow(dst, w, c.Status)
	c.statusLeft(&p, left, rightCols, s)
	p.To(w - rightCols)
	for i, seg := range right {
		to := w
		if i+1 < len(right) && right[i+1].Near {
			to -= right[i+1].gap() + text.Width(right[i+1].Text) + 1
		}
		if working {
			seg.Text = text.WholeParts(seg.Text, to-p.Used-seg.gap())
		}
		c.statusPart(&p, seg, to)
	}
	return p.End()
}

// withMessage returns both sides while there is a message. What is urgent must not wait for the message to go: the
// message may be about it. It takes the place of the name on the left.
func (c Canvas) withMessage(w int, s Status) (left, right []Segment) {
	m := s.Message
	right = []Segment{{Text: m.Text, Style: c.messageStyle(*m)}}
	if m.Back != "" {
		way := Segment{Text: "· " + m.Back, Style: c.Status, Near: true}
		if w-4-text.Width(way.Text) >= min(text.Width(m.Text), minMessageWidth) {
			right = append(right, way)
		}
	}
	urgent := slices.DeleteFunc(slices.Clone(s.Right), func(s Segment) bool { return !s.Urgent })
	for ; len(urgent) > 0; urgent = urgent[1:] { // a decision changes the last one
		switch all := slices.Concat(right, urgent); {
		case columnsOf(s.Left[:1])+columnsOf(all) <= w:
			return s.Left[:1], all
		case columnsOf(all) <= w:
			return nil, all
		}
	}
	return s.Left[:1], right
}

// StatusAt returns the request of the segment at a column of the status line, or nil.
func (c Canvas) StatusAt(w, x int, s Status) screen.Request {
	line := ansi.Strip(string(c.StatusLine(nil, w, s)))
	for _, list := range [][]Segment{s.Left, s.Right} {
		for _, seg := range list {
			if i := strings.LastIndex(line, seg.Text); i >= 0 && seg.Click != nil {
				if from := text.Width(line[:i]); x >= from && x < from+text.Width(seg.Text) {
					return seg.Click
				}
			}
		}
	}
	return nil
}

// withMore adds the further parts of segments where there is room.
func withMore(left []Segment, room int) []Segment {
	left = slices.Clone(left)
	for i, s := range left {
		if more := " · " + s.More; s.More != "" && columnsOf(left[:min(i+2, len(left))])+text.Width(more) <= room {
			left[i].Text += more
		}
	}
	return left
}

// statusLeft draws the segments that fit beside the columns on the right.
func (c Canvas) statusLeft(p *draw.Row, left []Segment, rightCols int, s Status) {
	room := p.W - min(rightCols, p.W)
	if s.Message != nil && rightCols > p.W-12 { // a long message may replace the rest
		room = 0
	}
	for i, seg := range left {
		if i > 0 && p.Used+2+text.Width(seg.Text) > room && (i > 1 || !s.KeepSecond) { // a required segment is cut instead
			break
		}
		if p.Used+3 > room {
			break
		}
		seg.Text = text.WholeParts(seg.Text, room-p.Used-seg.gap())
		c.statusPart(p, seg, room)
	}
}

func (c Canvas) messageStyle(m Message) theme.Style {
	if m.Bad {
		return c.StatusWarn
	}
	return c.StatusStrong
}

// columnsOf returns how many columns segments take, including the blank beside them.
func columnsOf(list []Segment) int {
	n := 1
	for _, s := range list {
		n += s.gap() + text.Width(s.Text)
	}
	return n
}

func (c Canvas) statusPart(p *draw.Row, s Segment, to int) {
	gap := 1
	if p.Used > 0 {
		gap = s.gap()
	}
	p.Space(gap)
	p.Clip(s.Text, to-p.Used, s.Style)
}

// maxMessageRows is the most rows of a message; the log has all of it. A short screen has fewer.
const (
	maxMessageRows = 3
	shortRows      = 2
	shortBelow     = 30
)

// maxDoneRows is the most rows of a message about the person's own action.
const maxDoneRows = 2

// MessageRows returns a message in rows of w columns, on a screen of h rows, if the status line is
// too short for it: it ends with the undo hint, or with what to do.
func (c Canvas) MessageRows(m Message, w, h int) []string {
	limit := maxMessageRows
	if h < shortBelow && m.Back == "" {
		limit = shortRows
	}
	message, next := m.Text, m.Back
	if i := strings.LastIndex(message, " · "); next == "" && i >= 0 {
		message, next = message[:i], message[i+len(" · "):]
	}
	whole := message
	if next != "" {
		whole += " · " + next
	}
	if text.Width(whole) <= w-2 {
		return nil
	}
	rows := text.Rows(whole, w-2, limit)
	last := rows[len(rows)-1]
	fits := text.Width(last) <= w-2 && strings.HasSuffix(last, " · "+next)
	if next != "" && !fits && text.Width(next) <= w-2 { // keep the hint in one row
		rows = append(text.Rows(message, w-2, limit-1), next)
	}
	if m.Back != "" && len(rows) > maxDoneRows {
		return nil // it is cut, with the undo hint kept
	}
	for i, row := range rows {
		rows[i] = string(c.messageRow(m, row, w))
	}
	return rows
}

func (c Canvas) messageRow(m Message, s string, w int) []byte {
	p := draw.MixedRow(nil, w, c.Status)
	p.Space(1)
	p.Clip(s, w-2, c.messageStyle(m))
	return p.End()
}

// Tall reports whether there is room for a message of several rows.
func (f *Frame) Tall() bool { return f.Body >= 2*maxMessageRows }

// Hints draws the keys of the current context, exactly w columns: as many as fit, in order.
// The help key is always included.
func (c Canvas) Hints(dst []byte, w int, entries []keys.Entry, help string) []byte {
	p := draw.NewRow(dst, w)
	for _, h := range hintsThatFit(w, entries, help) {
		p.Space(1)
		p.Put(h.Hint(), c.HintKey)
		p.Space(1)
		p.Put(h.Short, c.Hint)
		p.Space(1)
	}
	if help == "" {
		return p.End()
	}
	p.To(w - helpCols(help) - 1)
	p.Put(help, c.HintKey)
	p.Put(helpLabel, c.Hint)
	return p.End()
}

const helpLabel = " help"

// helpCols returns the width of the help key with its label.
func helpCols(help string) int {
	if help == "" {
		return 0
	}
	return len(help) + len(helpLabel)
}

// hintCols returns the width of a hint, including the blanks around it.
func hintCols(e keys.Entry) int { return text.Width(e.Hint()) + text.Width(e.Short) + 3 }

// maxHints is how many hints are drawn at most, besides that of help: nobody reads more.
const maxHints = 6

// hintsThatFit returns the entries that are drawn as hints.
func hintsThatFit(w int, entries []keys.Entry, help string) (fit []keys.Entry) {
	used := 0
	for _, e := range entries {
		if e.Why != "" || len(e.Keys) == 0 {
			continue
		}
		if cols := hintCols(e); len(fit) < maxHints && used+cols+1+helpCols(help) < w {
			fit = append(fit, e)
			used += cols
		}
	}
	return fit
}

// HintAt returns the entry whose hint is drawn at a column, or that it is the hint of help.
func HintAt(w, x int, entries []keys.Entry, help string) (e keys.Entry, isHelp, ok bool) {
	at := 0
	for _, e := range hintsThatFit(w, entries, help) {
		if x > at && x < at+hintCols(e)-1 {
			return e, false, true
		}
		at += hintCols(e)
	}
	return e, help != "" && x >= w-helpCols(help)-1 && x < w-1, false
}
