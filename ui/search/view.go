package search

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/match"
)

// places holds the positions of the parts.
type places struct {
	list, preview draw.Box
	beside        bool
}

const (
	besideFrom = 100 // columns from which the preview is beside the list
	belowFrom  = 16  // rows from which it is below the list
)

func (p *Pane) places() places {
	fields := p.fields()
	body := max(p.h-fields, 0)
	switch {
	case p.w >= besideFrom:
		left := p.w / 2
		return places{draw.At(0, fields, left, body), draw.At(left+1, fields, p.w-left-1, body), true}
	case p.h >= belowFrom:
		top := body / 2
		return places{list: draw.At(0, fields, p.w, top), preview: draw.At(0, fields+top+1, p.w, body-top-1)}
	}
	return places{list: draw.At(0, fields, p.w, body)}
}

// fields returns the number of input rows.
func (p *Pane) fields() int {
	if p.repl != nil {
		return 2
	}
	return 1
}

// Title returns what is searched, and how much was found.
func (p *Pane) Title() (name, info string) {
	if p.repl != nil {
		return p.replaceTitle()
	}
	what := [2]string{"memory", "memories"}
	switch p.scope {
	case Names:
		name = "find a memory"
	case Memories:
		name = "search memories"
	case Everywhere:
		name = "search all stores"
	default:
		name, what = "search every version", [2]string{"run of versions", "runs of versions"}
	}
	if p.regexp && p.scope != Names {
		name += " (regexp)"
	}
	_, typed := p.query()
	switch {
	case p.problem != "":
		info = strings.TrimPrefix(p.problem, "regular expression: ")
	case p.running:
		info = "searching…"
	case p.scope == Names:
		info = strconv.Itoa(p.found) + " of " + strconv.Itoa(len(p.names.entries))
	case typed:
		info = draw.Plural(p.found, what[0], what[1])
		if p.scope != Past && p.hits > p.found && !p.more {
			info = draw.Plural(p.hits, "hit", "hits") + " in " + info
		}
		if p.more {
			info += ", " + strconv.Itoa(maxHits) + " listed"
		}
		if p.unread > 0 {
			info += fmt.Sprintf(" · %d could not be read", p.unread)
		}
	}
	return name, info
}

// fieldCols returns the width of the field.
func (p *Pane) fieldCols() int {
	if room := p.w - 4 - p.switchCols(); room >= 20 {
		return room
	}
	return max(p.w-4, 1)
}

// regexpName is the switch beside the scopes.
const regexpName = " .* "

var scopeNames = [scopes]string{" names ", " texts ", " all versions ", " all stores "}

// scopeNames returns the names of the scopes that there are.
func (p *Pane) scopeNames() []string {
	if p.home == nil {
		return scopeNames[:Everywhere]
	}
	return scopeNames[:]
}

// switchCols is the width of the scopes and the switch together.
func (p *Pane) switchCols() int { return len(strings.Join(p.scopeNames(), "") + regexpName) }

// current returns the selected line, or nil.
func (p *Pane) current() *row {
	if p.Cur < len(p.rows) && p.rows[p.Cur].selectable() {
		return &p.rows[p.Cur]
	}
	return nil
}

// step moves the cursor to the next selectable row: a line or, in a replacement, also a
// memory.
func (p *Pane) step(d int) {
	p.Step(d, len(p.rows), p.places().list.H, func(i int) bool { return !p.rows[i].selectable() })
}

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if p.w <= 0 || p.h <= 0 {
		return ""
	}
	at := p.places()
	var preview []string
	if at.preview.W > 0 && at.preview.H > 0 {
		preview = strings.Split(p.previewView(), "\n")
	}
	dst := p.appendField(make([]byte, 0, p.h*(p.w+48)))
	for y := 1; y < p.h; y++ {
		dst = append(dst, '\n')
		if y < p.fields() {
			dst = p.appendWith(dst)
			continue
		}
		if at.list.Holds(0, y) {
			dst = p.appendRow(dst, p.Top+y-at.list.Y, at.list.W)
		}
		if at.beside {
			dst = p.env.Theme.Border.Append(dst, p.env.Theme.Lines.Down)
		} else if y == at.preview.Y-1 {
			dst = p.appendRule(dst)
		}
		if i := y - at.preview.Y; i >= 0 && i < len(preview) {
			if p.current() == nil {
				dst = text.Spaces(dst, at.preview.W)
			} else {
				dst = append(dst, preview[i]...)
			}
		}
	}
	return string(dst)
}

// appendField draws the query, and the scopes with the current one marked.
func (p *Pane) appendField(dst []byte) []byte {
	pen := draw.NewRow(dst, p.w)
	pen.Put(" › ", p.env.Theme.HintKey)
	if p.w >= 8 {
		pen.Input(&p.input, p.fieldCols(), p.env.Theme.Input)
	}
	if pen.Left() < p.switchCols() {
		return pen.End()
	}
	for i, s := range p.scopeNames() {
		if p.repl != nil { // only texts can be replaced
			pen.Space(len(s))
			continue
		}
		pen.Put(s, p.switched(Scope(i) == p.scope))
	}
	if p.scope != Names {
		pen.Put(regexpName, p.switched(p.regexp))
	}
	return pen.End()
}

// switched returns the style of a switch that is on or off.
func (p *Pane) switched(on bool) theme.Style {
	if on {
		return p.env.Theme.Selected
	}
	return p.env.Theme.Dim
}

func (p *Pane) appendRule(dst []byte) []byte {
	pen := draw.NewRow(dst, p.w)
	pen.Put(strings.Repeat(p.env.Theme.Lines.Across, 2), p.env.Theme.Border)
	if r := p.current(); r != nil {
		pen.Space(1)
		pen.Path(text.Field(r.label()), p.w-6, p.env.Theme.Title)
		pen.Space(1)
	}
	pen.Put(strings.Repeat(p.env.Theme.Lines.Across, pen.Left()), p.env.Theme.Border)
	return pen.End()
}

// appendRow draws row i of the list in w columns.
func (p *Pane) appendRow(dst []byte, i, w int) []byte {
	if i >= len(p.rows) {
		c := draw.NewRow(dst, w)
		s, st := p.notice()
		if rows := text.Rows(text.Field(s), max(w-2, 1), maxNoticeRows); len(p.rows) == 0 && i > 0 && i <= len(rows) {
			c.Space(1)
			c.Put(rows[i-1], st)
		}
		return c.End()
	}
	r, st := &p.rows[i], theme.Style{}
	switch {
	case i == p.Cur:
		st = p.env.Theme.Selected
	case !r.note && p.problem != "", r.item != nil && p.repl.excludes(r): // it no longer applies
		st = p.env.Theme.Dim
	}
	c := draw.StyledRow(dst, w, st)
	switch {
	case r.note:
		p.noteRow(&c, r)
	case r.item != nil && r.hit == 0:
		p.memoryRow(&c, r)
	case r.item != nil:
		p.replacedRow(&c, r, i == p.Cur)
	case r.name:
		p.nameRow(&c, r)
	case r.heading:
		p.headingRow(&c, r)
	default:
		p.lineRow(&c, r)
	}
	return c.End()
}

// maxNoticeRows is how many rows a notice may take.
const maxNoticeRows = 8

// notice says why nothing is listed.
func (p *Pane) notice() (string, theme.Style) {
	_, typed := p.query()
	switch {
	case p.repl != nil && p.err == nil && p.problem == "" && typed && !p.running:
		return "nothing to replace", p.env.Theme.Text
	case p.err != nil:
		return p.err.Error(), p.env.Theme.Error
	case p.problem != "":
		return p.problem, p.env.Theme.Dim
	case p.scope == Names && !p.running:
		return "no such name · " + p.keys.Hint("scope") + " searches texts", p.env.Theme.Text
	case !typed && p.regexp && p.scope != Names:
		return `type a regular expression, in:folder`, p.env.Theme.Dim
	case !typed && p.scope != Names:
		return `type words, "a phrase", in:folder`, p.env.Theme.Dim
	case p.running:
		return "searching…", p.env.Theme.Dim
	case p.near != "":
		return "no memory has all of it. " + p.near, p.env.Theme.Text
	case p.scope == Past:
		return "nothing found in any version", p.env.Theme.Text
	case p.scope == Everywhere:
		return "nothing found in any store", p.env.Theme.Text
	}
	return "nothing found · " + p.keys.Hint("scope") + " searches all versions", p.env.Theme.Text
}

// nameRow draws a path with the matching letters highlighted.
func (p *Pane) nameRow(c *draw.Row, r *row) {
	c.Space(3)
	name := r.path.Rel()
	layers := [][]text.Span{nil, make([]text.Span, 0, len(r.spans))}
	if base := strings.LastIndexByte(name, '/') + 1; !c.Plain() && base > 0 {
		layers[0] = []text.Span{{From: 0, To: base, On: p.env.Theme.Dim.On}}
	}
	for _, s := range r.spans {
		layers[1] = append(layers[1], text.Span{From: s.Start, To: s.End, On: p.env.Theme.Strong.On + p.env.Theme.Input.On})
	}
	skip := max(text.Width(name)-c.Left()+1, 0)
	if skip > 0 && c.Left() > 1 {
		c.Put(p.env.Theme.Text.Cut(), p.env.Theme.Text)
		skip++
	}
	c.Line(text.Line{Width: c.Left(), Skip: skip, Mark: p.env.Theme.HiddenChar.On, Fill: true}, name, layers...)
}

func (p *Pane) headingRow(c *draw.Row, r *row) {
	c.Space(1)
	right := ""
	switch {
	case r.past:
		right = " v" + strconv.Itoa(r.last.Number)
		if r.first.Number != r.last.Number {
			right = fmt.Sprintf(" v%d–v%d", r.first.Number, r.last.Number)
		}
		if r.current {
			right += " now"
		} else if ago := draw.Age(p.now, r.last.Time); ago != "" {
			right += " " + ago
		}
	case r.count > 0:
		right = " " + strconv.Itoa(r.count) + "×"
	}
	p.putPart(c, r.label(), max(c.Left()-1-text.Width(right), 0), 0, p.env.Theme.Folder, p.spans(r.spans, 1+len(r.prefix())))
	c.Put(right, p.env.Theme.Dim)
}

// spans returns the highlighting of matches, shifted by by bytes.
func (p *Pane) spans(found []match.Span, by int) []text.Span {
	if p.problem != "" { // the matches are those of the previous query
		return nil
	}
	out := make([]text.Span, len(found))
	for i, s := range found {
		out[i] = text.Span{From: s.Start + by, To: s.End + by, On: p.env.Theme.Match.On}
	}
	return out
}

const numberCols = 6

func (p *Pane) lineRow(c *draw.Row, r *row) {
	number := ""
	if r.line > 0 {
		number = strconv.Itoa(r.line)
	}
	c.Number(number, numberCols, p.env.Theme.LineNumber)
	p.putFound(c, r.text, r.cut, p.spans(r.highlights, 0))
}

// putFound draws a line, or a part of one, in the rest of the row, scrolled so that the first
// span is visible; for a replacement also the replacement.
func (p *Pane) putFound(c *draw.Row, s string, cut [2]bool, spans []text.Span) {
	shift := 0
	if trimmed := strings.TrimLeft(s, " \t"); len(trimmed) < len(s) && (len(spans) == 0 || spans[0].From >= len(s)-len(trimmed)) {
		shift = len(trimmed) - len(s)
		s = trimmed
	}
	sign := p.env.Theme.Text.Cut()
	if cut[0] {
		s, shift = sign+s, shift+len(sign)
	}
	if cut[1] {
		s += sign
	}
	for i := range spans {
		spans[i].From += shift
		spans[i].To += shift
	}
	room, skip := c.Left(), 0
	if len(spans) > 0 {
		to := spans[0].To
		if p.repl != nil {
			to = spans[len(spans)-1].To
		}
		if end := text.Column(s, to, text.TabWidth); end > room-1 {
			skip = max(min(end-room*2/3, text.Column(s, spans[0].From, text.TabWidth)), 0)
		}
	}
	p.putPart(c, s, room, skip, theme.Style{}, spans)
}

// putPart draws the columns of s from skip on in exactly w columns, with … for parts that are
// cut off.
func (p *Pane) putPart(c *draw.Row, s string, w, skip int, st theme.Style, highlights []text.Span) {
	line := text.Line{Width: w, Skip: skip, Base: st.On, Mark: p.env.Theme.HiddenChar.On, Fill: true}
	sign := p.env.Theme.Text.Cut()
	if skip > 0 && line.Width > 1 {
		c.Put(sign, st)
		line.Width--
		line.Skip++
	}
	more := line.Width > 1 && text.Column(s, len(s), text.TabWidth)-line.Skip > line.Width
	if more {
		line.Width--
	}
	c.Line(line, s, highlights)
	if more {
		c.Put(sign, st)
	}
}

func (p *Pane) click(m tea.Mouse) tea.Cmd {
	at := p.places()
	switch {
	case m.Button != tea.MouseLeft:
	case m.Y < p.fields() && m.X < 3+p.fieldCols():
		p.typeIn(m.Y)
	case at.list.Holds(m.X, m.Y) && p.repl != nil:
		return p.clickReplaced(p.Top+m.Y-at.list.Y, m.X)
	case m.Y == 0 && m.X >= 3+p.fieldCols():
		return p.clickSwitch(m.X - 3 - p.fieldCols())
	case at.list.Holds(m.X, m.Y):
		i := p.Top + m.Y - at.list.Y
		if i == p.Cur {
			return p.openHit(0)
		}
		if i < len(p.rows) && !p.rows[i].heading {
			p.step(i - p.Cur)
			return p.showPreview()
		}
	}
	return nil
}

// clickSwitch handles a click in a column right of the field.
func (p *Pane) clickSwitch(x int) tea.Cmd {
	for i, s := range p.scopeNames() {
		if x -= len(s); x < 0 {
			if p.repl != nil {
				return nil
			}
			return p.turn(i - int(p.scope))
		}
	}
	if x < len(regexpName) && p.scope != Names {
		return p.toggleRegexp(0)
	}
	return nil
}

func (p *Pane) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	at := p.places()
	if at.preview.Holds(msg.X, msg.Y) {
		if p.repl != nil {
			return p.repl.diff.Update(msg)
		}
		return p.preview.Update(msg)
	}
	switch msg.Button {
	case tea.MouseWheelDown:
		p.step(1)
	case tea.MouseWheelUp:
		p.step(-1)
	}
	return p.showPreview()
}
