package search

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/match"
)

// belowFrom is the rows below the fields from which the detail is visible below the list: what is
// found matters more.
const belowFrom = 15

// RowsAbove returns the number of input rows.
func (p *Pane) RowsAbove() int {
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
	if room := p.parts.W - 4 - p.switchCols(); room >= 20 {
		return room
	}
	return max(p.parts.W-4, 1)
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
	if p.parts.Cur < len(p.rows) && p.rows[p.parts.Cur].selectable() {
		return &p.rows[p.parts.Cur]
	}
	return nil
}

// Rows returns how many rows are listed, Cols how many columns they need, and Heading reports which
// of them can't be selected: in a replacement, memories can.
func (p *Pane) Rows() int          { return len(p.rows) }
func (p *Pane) Cols() int          { return p.parts.W / 2 }
func (p *Pane) Heading(i int) bool { return !p.rows[i].selectable() }

// Facts returns none, and DetailTitle names the memory that is shown.
func (p *Pane) Facts() []split.Fact { return nil }
func (p *Pane) DetailTitle() string {
	if r := p.current(); r != nil {
		return r.label()
	}
	return ""
}

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if len(p.rows) == 0 {
		return p.parts.Notice(p.notice())
	}
	return p.parts.View()
}

// AppendAbove draws the query, and the scopes with the current one marked; below it in a
// replacement, what replaces it.
func (p *Pane) AppendAbove(dst []byte, i, w int) []byte {
	if i > 0 {
		return p.appendWith(dst)
	}
	pen := draw.NewRow(dst, w)
	pen.Put(" › ", p.env.Theme.HintKey)
	if w >= 8 {
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

// AppendRow draws a row of the list.
func (p *Pane) AppendRow(dst []byte, i, w int) []byte {
	if i >= len(p.rows) {
		return text.Spaces(dst, w)
	}
	r, st := &p.rows[i], theme.Style{}
	switch {
	case i == p.parts.Cur:
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
		p.replacedRow(&c, r, i == p.parts.Cur)
	case r.name:
		p.nameRow(&c, r)
	case r.heading:
		p.headingRow(&c, r)
	default:
		p.lineRow(&c, r)
	}
	return c.End()
}

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

func (p *Pane) click(msg tea.MouseClickMsg) tea.Cmd {
	field := msg.X < 3+p.fieldCols()
	switch {
	case msg.Button != tea.MouseLeft:
		return nil
	case msg.Y < p.RowsAbove() && field:
		if p.repl != nil {
			p.repl.inWith = msg.Y == 1
		}
		return nil
	case msg.Y < p.RowsAbove():
		return p.clickSwitch(msg.X-3-p.fieldCols(), msg.Y)
	}
	i, ok := p.parts.RowAt(msg)
	switch {
	case !ok || p.Heading(i):
		return nil
	case p.repl != nil:
		return p.clickReplaced(i, msg.X)
	case i == p.parts.Cur:
		return p.open(&p.rows[i])
	}
	return p.parts.MoveBy(i - p.parts.Cur)
}

// clickSwitch handles a click in a column right of the field.
func (p *Pane) clickSwitch(x, y int) tea.Cmd {
	if y > 0 {
		return nil
	}
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
