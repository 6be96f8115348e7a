package diffview

import (
	"sort"
	"unicode/utf8"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/diff"
)

// A long line is shown as a long text is: what differs from the line beside it, with some rows around it. Notes in the line say
// how much is left out. So a difference is visible wherever it is, and a line of megabytes costs no more than a short one.

const (
	// lineBytes is how much of one line is shown at most.
	lineBytes = 64 << 10
	// leastCut is the least number of bytes left out: a paragraph is better read whole.
	leastCut = 1000
)

// run is a range of a line that is shown, and where it is in the text of its cell.
type run struct{ from, to, at int }

// excerpt sets the text of a cell to what is shown of a line.
func (v *View) excerpt(c *cell, line []byte, around int) {
	if len(line) <= leastCut {
		c.s, c.runs = string(line), []run{{to: len(line)}}
		return
	}
	spans := v.doc.diff.Differences(c.l)
	if len(spans) == 0 {
		spans = []diff.Span{{}}
	}
	left := lineBytes
	shown := 0 // spans shown to their end
	for _, s := range spans {
		from, to := max(0, s.Start-around), min(len(line), s.End+around)
		if n := len(c.runs); n > 0 && from-c.runs[n-1].to < leastCut {
			from = c.runs[n-1].to
		} else if n == 0 && from < leastCut {
			from = 0
		}
		if len(line)-to < leastCut {
			to = len(line)
		}
		if from >= to && len(c.runs) > 0 {
			shown++
			continue
		}
		end := min(to, from+left)
		from, end = runeStart(line, from), runeStart(line, end)
		left -= end - from
		if n := len(c.runs); n > 0 && c.runs[n-1].to == from {
			c.runs[n-1].to = end
		} else {
			c.runs = append(c.runs, run{from: from, to: end})
		}
		if end < min(to, s.End) || left <= 0 {
			break
		}
		shown++
	}
	var b []byte
	at := 0
	for i := range c.runs {
		r := &c.runs[i]
		b = c.cut(b, r.from-at, "")
		r.at = len(b)
		b = append(b, line[r.from:r.to]...)
		at = r.to
	}
	with := ""
	if shown < len(spans) && c.l.Kind != diff.Same {
		with = " with changes"
	}
	b = c.cut(b, len(line)-at, with)
	c.s = string(b)
}

// cut appends a note about n bytes that are left out.
func (c *cell) cut(b []byte, n int, with string) []byte {
	if n == 0 {
		return b
	}
	from := len(b)
	b = append(b, " ⋯ "+draw.Bytes(int64(n))+with+" not shown ⋯ "...)
	c.cuts = append(c.cuts, text.Span{From: from, To: len(b)})
	return b
}

// runeStart returns i, or the beginning of the character that contains byte i.
func runeStart(line []byte, i int) int {
	for k := i; k > max(0, i-utf8.UTFMax) && k < len(line); k-- {
		if utf8.RuneStart(line[k]) {
			return k
		}
	}
	return i
}

// offset returns where byte i of the line is in the text.
func (c *cell) offset(i int) int {
	n := sort.Search(len(c.runs), func(k int) bool { return c.runs[k].to >= i })
	if n == len(c.runs) {
		return len(c.s)
	}
	return c.runs[n].at + max(0, i-c.runs[n].from)
}

// inText converts spans of the line to spans of the text.
func (c *cell) inText(spans []text.Span) (out []text.Span) {
	for _, r := range c.runs {
		for len(spans) > 0 && spans[0].To <= r.from {
			spans = spans[1:]
		}
		for _, s := range spans {
			if s.From >= r.to {
				break
			}
			out = append(out, text.Span{From: max(s.From, r.from) - r.from + r.at, To: min(s.To, r.to) - r.from + r.at, On: s.On})
		}
	}
	return out
}

// difference returns where the first difference is in the text, or 0 without one.
func (v *View) difference(c *cell) int {
	if spans := v.doc.diff.Differences(c.l); len(spans) > 0 {
		return c.offset(spans[0].Start)
	}
	return 0
}

// showDifference scrolls to the first difference of the current hunk if its line is wrapped and begins far above it.
func (v *View) showDifference() {
	e, ok := v.current()
	if !ok || !v.wrap {
		return
	}
	row := v.rowOf(e)
	cells, n := v.cellsAt(row)
	sub := 0
	for i := range n {
		if !cells[i].empty {
			at := v.difference(&cells[i])
			sub = max(sub, sort.SearchInts(cells[i].rows(), at+1)-1)
		}
	}
	if first := v.at.First(row); first < v.win.Top || first+sub >= v.win.Top+v.win.H {
		v.win.Top = first + max(0, sub-v.win.H/3)
		v.move(0)
	}
}
