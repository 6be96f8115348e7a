package merge

import (
	"bytes"
	"cmp"
	"strconv"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/diff"
)

// draw draws the frame again. Everything that changes the frame calls it, so that View costs
// nothing and words are compared once for each key, not for each frame.
func (p *Pane) draw() {
	h := p.drawn()
	if p.w <= 0 || h <= 0 {
		p.frame = ""
		return
	}
	dst := make([]byte, 0, h*(p.w+64))
	rows := 0
	row := func(f func(dst []byte) []byte) {
		if rows > 0 {
			dst = append(dst, '\n')
		}
		dst = f(dst)
		rows++
	}
	if p.noteRows() > 0 {
		row(func(dst []byte) []byte { return p.appendWhole(dst, p.env.Theme.Warn, " "+p.note()) })
	}
	if b := &p.board; rows < h {
		row(func(dst []byte) []byte { return p.appendNames(dst) })
		w := &words{}
		for y := range b.visible() {
			row(func(dst []byte) []byte { return p.appendRow(dst, b, y, w) })
		}
	}
	for rows < h {
		row(func(dst []byte) []byte { return text.Spaces(dst, p.w) })
	}
	p.frame = string(dst)
}

// drawn returns how many rows the merge has; the rest is the editor's.
func (p *Pane) drawn() int {
	if p.hunk != nil {
		return p.hunkRow()
	}
	return p.h
}

// note returns what the user should know about the merge as a whole.
func (p *Pane) note() string {
	switch {
	case !p.m.there[theirs]:
		return "deleted or renamed meanwhile: now leaves it so, " + p.mineIs() + " creates it again"
	case !p.m.there[mine]:
		return p.mineIs() + " deletes the memory, now has a change"
	case p.m.tooLarge:
		return "too large to compare line by line: all of it is one conflict"
	case len(p.m.parts) == 1 && p.m.conflicts == 1 && bytes.IndexByte(p.m.text[theirs].text, 0)+bytes.IndexByte(p.m.text[mine].text, 0) > -2:
		return "not a text: all of it is one conflict"
	case p.in.BaseLost:
		return "the common version is not known any more: what both share appears once"
	case !p.m.there[base]:
		return "there is no common version: what both share appears once"
	}
	return ""
}

func (p *Pane) noteRows() int {
	if p.h >= 8 && p.drawn() > 3 && p.note() != "" {
		return 1
	}
	return 0
}

func (p *Pane) appendWhole(dst []byte, style theme.Style, s string) []byte {
	dst = append(dst, style.On...)
	dst = draw.PadMore(dst, s, p.w, style)
	return append(dst, style.Off...)
}

// appendNames draws the names of the columns.
func (p *Pane) appendNames(dst []byte) []byte {
	if p.single() {
		return p.appendTabs(dst)
	}
	pen := draw.NewRow(dst, p.w)
	for i, c := range p.board.cols {
		if i > 0 {
			pen.Put(p.env.Theme.Lines.Down, p.env.Theme.Border)
		}
		end := pen.Used + c.w
		name, more := p.name(c.side)
		pen.Space(1)
		pen.Clip(name, end-pen.Used, p.env.Theme.TitleFocused)
		if more != "" && end-pen.Used > 4 {
			pen.Clip(" · "+more, end-pen.Used, p.env.Theme.Dim)
		}
		pen.Space(end - pen.Used)
	}
	return pen.End()
}

// name returns the name of a text and details of it.
func (p *Pane) name(s side) (name, more string) {
	switch s {
	case theirs:
		return p.theirsIs(), p.in.TheirsName
	case mine:
		return p.mineIs(), p.in.MineName
	}
	return "result", "what is saved"
}

// theirsIs returns the name of the current text.
func (p *Pane) theirsIs() string { return cmp.Or(p.in.TheirsIs, "now") }

// mineIs returns the name of the text that conflicts with the current one.
func (p *Pane) mineIs() string {
	return cmp.Or(p.in.MineIs, "mine")
}

// appendTabs draws the names of the texts when one is visible at a time.
func (p *Pane) appendTabs(dst []byte) []byte {
	pen := draw.NewRow(dst, p.w)
	for _, s := range tabOrder {
		style := p.env.Theme.Title
		if s == p.visibleTab() {
			style = p.env.Theme.Selected
		}
		name, _ := p.name(s)
		pen.Put(" "+name+" ", style)
	}
	if _, more := p.name(p.visibleTab()); more != "" && p.visibleTab() != result {
		pen.Put(" "+more, p.env.Theme.Dim)
	}
	return pen.End()
}

// clickTab shows the text whose name is at a column.
func (p *Pane) clickTab(x int) {
	at := 0
	for _, s := range tabOrder {
		name, _ := p.name(s)
		if at += len(name) + 2; x < at {
			p.tab = s
			p.arrange()
			p.goTo(p.cur)
			return
		}
	}
}

func (p *Pane) appendRow(dst []byte, b *board, y int, w *words) []byte {
	part, at := b.rowAt(y)
	head := b.blocks[part].head
	if at < head {
		return p.appendHeading(dst, part)
	}
	used := 0
	for i, c := range b.cols {
		if i > 0 {
			dst = p.env.Theme.Border.Append(dst, p.env.Theme.Lines.Down)
			used++
		}
		k := b.cell(part, i, at)
		if k.line == foldLine {
			return p.appendFold(dst, k.to)
		}
		dst = b.appendCell(dst, c, part, k, at == head, w)
		used += c.w
	}
	return text.Spaces(dst, p.w-used)
}

func (p *Pane) appendFold(dst []byte, n int) []byte {
	lines := "lines"
	if n == 1 {
		lines = "line"
	}
	return p.appendWhole(dst, p.env.Theme.Hunk, " ⋯ "+strconv.Itoa(n)+" unchanged "+lines)
}

// appendHeading draws the line above a change, which shows what was decided.
func (p *Pane) appendHeading(dst []byte, i int) []byte {
	part := &p.m.parts[i]
	style, sign := p.env.Theme.Good, "✓"
	switch {
	case part.pick == open:
		style, sign = p.env.Theme.Warn, "✗"
	case part.kind != diff.MergeConflict:
		style, sign = p.env.Theme.Dim, "·"
	}
	cursor := "  "
	if i == p.cur {
		style, cursor = p.env.Theme.Selected, "▸ "
	}
	return p.appendWhole(dst, style, cursor+sign+" "+p.heading(part))
}

// picked describes what the result contains.
func (p *Pane) picked(k pick) string {
	switch k {
	case takeTheirs:
		return p.theirsIs()
	case takeMine:
		return p.mineIs()
	case takeBase:
		return "the common text"
	case theirsFirst:
		return "both, " + p.theirsIs() + " first"
	case mineFirst:
		return "both, " + p.mineIs() + " first"
	case ownText:
		return "edited"
	}
	return "not decided"
}

func (p *Pane) heading(part *region) string {
	what := p.picked(part.pick)
	switch part.kind {
	case diff.MergeConflict:
		return "conflict " + strconv.Itoa(part.number) + " of " + strconv.Itoa(p.m.conflicts) + " · " + what
	case diff.MergeOurs:
		return "changed only in " + p.mineIs() + " · " + what
	case diff.MergeTheirs:
		return "changed only in " + p.theirsIs() + " · " + what
	}
	if part.pick == takeMine || part.pick == takeTheirs {
		what = "both"
	}
	return "the same change in both · " + what
}
