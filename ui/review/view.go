package review

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// places holds the boxes of the parts: the list, the facts about the row under the cursor, the line above
// its diff, and the diff.
type places struct {
	list, facts, head, diff draw.Box
	beside                  bool
}

const (
	besideFrom  = 100 // columns from which the detail is beside the list
	wholeFrom   = 14  // rows from which the list stays visible while the diff has the focus
	minToDivide = 8   // rows from which the list and the detail below it are both visible
)

func (p *Pane) places() places {
	w, h := p.w, p.h
	switch {
	case p.inDiff && h < wholeFrom: // the diff gets all the room
		return p.divided(draw.At(0, 0, 0, 0), draw.At(0, 0, w, h), false)
	case w >= besideFrom && h >= 3:
		left := min(max(w*2/5, 44), 64)
		return p.divided(draw.At(0, 0, left, h), draw.At(left+1, 0, w-left-1, h), true)
	case h >= minToDivide:
		top := min(max(h*2/5, 3), max(len(p.rows), 3))
		return p.divided(draw.At(0, 0, w, top), draw.At(0, top, w, h-top), false)
	}
	return places{list: draw.At(0, 0, w, h)}
}

// divided divides the detail: below the list, a line separates it.
func (p *Pane) divided(rows, detail draw.Box, beside bool) places {
	at := places{list: rows, beside: beside}
	if !beside {
		at.head = detail.CutTop(min(1, detail.H))
	}
	at.facts = detail.CutTop(min(len(p.factRows(detail.W, detail.H)), detail.H))
	if beside {
		at.head = detail.CutTop(min(1, detail.H))
	}
	at.diff = detail
	return at
}

// factRows returns the facts in rows of w columns, for a detail of h rows: at least half of them are left
// for the diff.
func (p *Pane) factRows(w, h int) (out []fact) {
	most := h / 2
	facts := p.facts()
	for i, f := range facts {
		room := most - len(out) - (len(facts) - 1 - i) // a row for each of the rest
		for _, s := range text.Rows(text.Field(f.text), max(w-2, 1), max(room, 1)) {
			if len(out) < most {
				out = append(out, fact{s, f.style})
			}
		}
	}
	return out
}

// fit resizes the parts and scrolls to the cursor.
func (p *Pane) fit() {
	at := p.places()
	p.diff.SetSize(at.diff.W, at.diff.H)
	p.diff.SetFocused(p.inDiff)
	p.Fit(len(p.rows), at.list.H, func(i int) bool { return i < len(p.rows) && p.heading(i) })
}

// Title returns how much there is to decide.
func (p *Pane) Title() (name, info string) {
	var parts []string
	if n := len(p.chosen); n > 0 {
		parts = append(parts, strconv.Itoa(n)+" chosen")
	}
	if p.doing {
		parts = append(parts, "being decided")
	}
	return "review", strings.Join(parts, " · ")
}

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if p.w <= 0 || p.h <= 0 {
		return ""
	}
	if len(p.rows) == 0 {
		return p.notice()
	}
	at := p.places()
	diff, facts := strings.Split(p.diff.View(), "\n"), p.factRows(at.facts.W, p.detailHeight(at))
	dst := make([]byte, 0, p.h*(p.w+48))
	for y := range p.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		if at.list.Holds(0, y) {
			dst = p.appendRow(dst, p.Top+y-at.list.Y, at.list.W)
		}
		if at.beside {
			dst = p.env.Theme.Border.Append(dst, p.env.Theme.Lines.Down)
		}
		switch {
		case at.facts.H > 0 && y >= at.facts.Y && y < at.facts.Y+at.facts.H:
			pen, f := draw.Pen{W: at.facts.W}, facts[y-at.facts.Y]
			dst = pen.Space(pen.Put(pen.Space(dst, 1), f.text, f.style), at.facts.W)
		case at.head.H > 0 && y == at.head.Y:
			dst = p.appendHead(dst, at)
		case y >= at.diff.Y && y-at.diff.Y < min(at.diff.H, len(diff)):
			dst = append(dst, diff[y-at.diff.Y]...)
		}
	}
	return string(dst)
}

// detailHeight returns the rows of the detail, as divided gave them to factRows.
func (p *Pane) detailHeight(at places) int { return at.facts.H + at.diff.H + at.besideHead() }

func (at places) besideHead() int {
	if at.beside {
		return at.head.H
	}
	return 0
}

// appendHead draws the line above the diff.
func (p *Pane) appendHead(dst []byte, at places) []byte {
	th := p.env.Theme
	border, title := th.Border, th.Dim
	if p.inDiff {
		border, title = th.BorderFocused, th.TitleFocused
	}
	pen := draw.Pen{W: at.head.W}
	dst = pen.Put(dst, strings.Repeat(th.Lines.Across, 2)+" ", border)
	name := p.detail.title
	if r := p.current(); r != nil && r.memories() > 1 {
		name += " · " + p.keys.Hint("next-memory") + " the next"
	}
	dst = pen.Clip(dst, text.Field(name), at.head.W-4, title)
	dst = pen.Space(dst, 1)
	return pen.Put(dst, strings.Repeat(th.Lines.Across, max(at.head.W-pen.Used, 0)), border)
}

// notice returns why there is no list.
func (p *Pane) notice() string {
	s, st := "reading…", p.env.Theme.Dim
	switch {
	case p.err != nil:
		s, st = p.err.Error(), p.env.Theme.Error
	case p.loaded:
		s = "Nothing waits for you: no change is held, and all changes are reviewed."
	}
	rows := text.Rows(text.Field(s), max(p.w-4, 1), p.h)
	var dst []byte
	for y := range p.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		pen := draw.Pen{W: p.w}
		if i := y - min(1, p.h-1); i >= 0 && i < len(rows) {
			dst = pen.Put(pen.Space(dst, 2), rows[i], st)
		}
		dst = pen.Space(dst, p.w)
	}
	return string(dst)
}

// Columns of the list.
const (
	numberCols = 5
	ageCols    = 4
	kindCols   = 7
	actorCols  = 14
)

func (p *Pane) appendRow(dst []byte, i, w int) []byte {
	c := draw.NewRow(dst, w)
	if i >= len(p.rows) {
		return c.End()
	}
	r, th := &p.rows[i], p.env.Theme
	if r.heading != "" {
		c.Space(1)
		c.Put(r.heading, th.Heading)
		return c.End()
	}
	switch {
	case i == p.Cur && p.inDiff:
		c = draw.StyledRow(dst, w, th.SelectedDim)
	case i == p.Cur:
		c = draw.StyledRow(dst, w, th.Selected)
	}
	switch {
	case p.chosen[r.key()]:
		c.Put("✓", th.Marked)
	case r.held != nil:
		c.Put("?", th.Warn)
	default:
		c.Put("●", th.Changed)
	}
	c.Space(1)
	if r.held != nil {
		p.heldRow(&c, r)
	} else {
		p.actRow(&c, r.act)
	}
	return c.End()
}

func (p *Pane) heldRow(c *draw.Row, r *row) {
	th, h := p.env.Theme, r.held
	p.rowHead(c, h.Number, h.By.Actor, false, draw.Age(p.now, h.Time))
	c.Column(string(h.Kind), kindCols, th.Text)
	added, removed := lines(r.plan)
	p.rowEnd(c, target(h), added, removed, p.warning(r))
}

// warning is the reason to look closely at a held change, in one word.
func (p *Pane) warning(r *row) string {
	switch {
	case r.plan == nil:
		return "redacted"
	case len(r.plan.Conflicts) > 0:
		return "conflict"
	case r.held.Earlier != nil:
		return "again"
	case r.held.Inputs != 0:
		return strings.Join(r.held.Inputs.Kinds(), ",")
	}
	return ""
}

func (p *Pane) actRow(c *draw.Row, a *act) {
	p.rowHead(c, a.newest.Change, a.actor, a.inferred, draw.Age(p.now, a.newest.Time))
	warning := strings.Join(a.inputs.Kinds(), ",")
	switch n := a.deleted(); {
	case a.massDeletion():
		warning = fmt.Sprintf("−%d", n)
	case a.unclaimed():
		warning = "unclaimed"
	}
	if len(a.memories) == 1 {
		c.Column(did(a.memories[0]), kindCols, p.env.Theme.Text)
		p.rowEnd(c, a.memories[0].last.Path.String(), 0, 0, warning)
		return
	}
	p.rowEnd(c, draw.Plural(len(a.memories), "memory", "memories"), 0, 0, warning)
}

// rowHead puts the number, the age and, if there is room, who.
func (p *Pane) rowHead(c *draw.Row, number int64, who versions.Actor, inferred bool, age string) {
	th := p.env.Theme
	c.Column("#"+strconv.FormatInt(number, 10), numberCols, th.Text)
	c.Column(age, ageCols, th.Dim)
	if c.Width() >= 56 {
		c.Column(actors.Fitting(actors.Maker(who, inferred), actorCols), actorCols, th.Actor(string(who.Kind)))
	}
}

// rowEnd puts a path, cut at its start, and at the right end the lines and a warning.
func (p *Pane) rowEnd(c *draw.Row, path string, added, removed int, warning string) {
	th := p.env.Theme
	plus, minus := "", ""
	if added > 0 {
		plus = "+" + draw.Count(added)
	}
	if removed > 0 {
		minus = "−" + draw.Count(removed)
	}
	right := 0
	for _, s := range []string{warning, plus, minus} {
		if s != "" {
			right += text.Width(s) + 1
		}
	}
	if right > c.Left()-minPathCols {
		warning, right = "", right-text.Width(warning)-1
	}
	c.Path(path, max(c.Left()-right-1, 1), th.Text)
	c.Space(c.Left() - right)
	for _, part := range []fact{{warning, th.Warn}, {plus, th.Added}, {minus, th.Removed}} {
		if part.text != "" {
			c.Put(part.text, part.style)
			c.Space(1)
		}
	}
}

const minPathCols = 8

func (p *Pane) click(m tea.MouseClickMsg) tea.Cmd {
	at := p.places()
	switch {
	case m.Button != tea.MouseLeft:
	case at.list.Holds(m.X, m.Y):
		p.inDiff = false
		if i := p.Top + m.Y - at.list.Y; i < len(p.rows) && !p.heading(i) {
			return p.moveBy(i - p.Cur)
		}
		p.fit()
	case at.diff.Holds(m.X, m.Y):
		return p.toDiff(0)
	}
	return nil
}
