package terminal

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// painter knows what each cell of the terminal shows, and makes the bytes that change it. Columns
// and rows begin with 0.
type painter struct {
	*looks
	w     int
	rows  []row
	spare []cell // for the next row that is parsed

	out  []byte
	pen  *look
	x, y int // of the cursor; x is -1 if unknown, and w after the last column, where terminals differ
}

// erase clears the screen, which has a new size or unknown content.
func (p *painter) erase(w, h int) {
	p.w, p.rows, p.spare = w, make([]row, h), make([]cell, 0, w)
	for y := range p.rows {
		p.rows[y] = p.empty(nil)
	}
	p.x, p.pen = -1, p.plain
	p.out = append(append(p.out, ansi.ResetStyle...), ansi.EraseEntireScreen...)
}

func (p *painter) empty(cells []cell) row { return row{cells: p.blank(cells[:0], p.w)} }

// scrollRows is how many rows are scrolled at least. Fewer are drawn anew.
const scrollRows = 3

// show makes the terminal show some rows.
func (p *painter) show(content string) {
	lines := strings.SplitN(content, "\n", len(p.rows)+1)
	for len(lines) < len(p.rows) {
		lines = append(lines, "")
	}
	p.scroll(lines)
	for y := range p.rows {
		if lines[y] != p.rows[y].text {
			p.change(y, lines[y])
		}
	}
	p.take(p.plain)
}

// scroll moves the largest block of rows that are elsewhere now.
func (p *painter) scroll(lines []string) {
	was := make(map[string]int, len(p.rows))
	for y := range p.rows {
		was[p.rows[y].text] = y
	}
	votes, by := map[int]int{}, 0
	for y := range p.rows {
		if old, ok := was[lines[y]]; ok && lines[y] != p.rows[y].text {
			if votes[old-y]++; votes[old-y] > votes[by] {
				by = old - y
			}
		}
	}
	if votes[by] < scrollRows {
		return
	}
	from, n := 0, 0 // the longest run of rows that come from by rows below
	for y, run := 0, 0; y < len(p.rows); y++ {
		if old := y + by; old < 0 || old >= len(p.rows) || lines[y] != p.rows[old].text {
			run = 0
		} else if run++; run > n {
			from, n = y-run+1, run
		}
	}
	if n < scrollRows {
		return
	}
	top, bottom := min(from, from+by), max(from, from+by)+n
	p.out = append(p.out, ansi.SetTopBottomMargins(top+1, bottom)...)
	p.x = -1 // the margins move it
	p.to(0, top)
	region := p.rows[top:bottom]
	if by > 0 {
		p.out = append(p.out, ansi.DeleteLine(by)...)
		moved := slices.Clone(region[:by])
		copy(region, region[by:])
		copy(region[len(region)-by:], moved)
		p.vacate(region[len(region)-by:])
	} else {
		p.out = append(p.out, ansi.InsertLine(-by)...)
		moved := slices.Clone(region[len(region)+by:])
		copy(region[-by:], region)
		copy(region, moved)
		p.vacate(region[:-by])
	}
	p.out = append(p.out, ansi.SetTopBottomMargins(1, len(p.rows))...)
	p.x = -1
}

// vacate notes that rows are blank.
func (p *painter) vacate(rows []row) {
	for i := range rows {
		rows[i] = p.empty(rows[i].cells)
	}
}

// change makes row y show text. A row with characters whose columns are unsure is drawn as a whole:
// the terminal may show a part of them elsewhere.
func (p *painter) change(y int, text string) {
	r := row{text: strings.Clone(text)} // not a part of the whole frame, which it would keep in memory
	r.cells, r.unsure = p.parse(p.spare[:0], r.text, p.w)
	old := p.rows[y]
	p.write(y, r, old.cells, r.unsure || old.unsure)
	p.spare, p.rows[y] = old.cells, r
}

const (
	minSkip  = 8 // columns that stay as they are: to go over them costs no more than to draw them
	minClear = 4 // blank columns: to clear them costs no more than to draw them
)

// write draws the cells of row y that differ from old, or all.
func (p *painter) write(y int, r row, old []cell, all bool) {
	end := p.w // after the last cell that isn't blank
	for end > 0 && r.cells[end-1] == (cell{" ", p.plain, 1}) {
		end--
	}
	if !all && slices.Equal(r.cells[end:], old[end:]) || p.w-end < minClear {
		end = p.w
	}
	for x := 0; x < end; {
		n := 0
		for !all && x+n < p.w && r.cells[x+n] == old[x+n] {
			n++
		}
		if n >= minSkip || n > 0 && (p.x != x || p.y != y) || x+n == p.w {
			x += n
			continue
		}
		p.to(x, y)
		p.put(r.cells[x], r.unsure)
		x += r.cells[x].cols
	}
	if end < p.w {
		p.to(end, y)
		p.take(p.plain)
		p.out = append(p.out, ansi.EraseLineRight...)
	}
}

// put draws a cell at the cursor.
func (p *painter) put(c cell, unsure bool) {
	p.take(c.look)
	if unsure && !certain(c.text) {
		p.out = append(p.out, anchored(c.text, p.x, c.cols, p.w)...)
	} else {
		p.out = append(p.out, c.text...)
	}
	p.x += c.cols
}

// take makes a style the current one.
func (p *painter) take(l *look) {
	if l == p.pen {
		return
	}
	if l != p.plain && p.pen != p.plain {
		p.out = append(p.out, p.plain.set...)
	}
	p.out = append(p.out, l.set...)
	p.pen = l
}

// to moves the cursor.
func (p *painter) to(x, y int) {
	if p.x == x && p.y == y {
		return
	}
	p.out = append(p.out, ansi.ESC, '[')
	p.out = strconv.AppendInt(p.out, int64(y+1), 10)
	p.out = append(p.out, ';')
	p.out = strconv.AppendInt(p.out, int64(x+1), 10)
	p.out = append(p.out, 'H')
	p.x, p.y = x, y
}
