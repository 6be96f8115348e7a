package text

import "strings"

// Span applies a style to the bytes [From, To) of a line.
type Span struct {
	From, To int
	On       string // SGR prefix; it adds to the styles below it
}

// Line holds the options for drawing one line of text.
type Line struct {
	Width int    // maximum columns
	Skip  int    // columns scrolled out on the left
	Tab   int    // columns between tab stops; 0 means TabWidth
	Base  string // SGR prefix of the whole line
	Mark  string // SGR prefix of the marks for invisible characters
	Fill  bool   // pad with spaces, in Base, up to Width
}

// Append draws s and returns how many columns it took. The spans of a layer are sorted and
// do not overlap; a later layer is drawn over an earlier one, so that highlighting, a
// selection and search hits can be combined.
func (l Line) Append(dst []byte, s string, layers ...[]Span) ([]byte, int) {
	return l.AppendRange(dst, s, 0, len(s), layers...)
}

// maxLayers is the maximum number of layers of a line.
const maxLayers = 6

// AppendRange draws the bytes [from, to) of s: one row of a wrapped line. The offsets of
// spans are relative to s.
func (l Line) AppendRange(dst []byte, s string, from, to int, layers ...[]Span) ([]byte, int) {
	if l.Tab == 0 {
		l.Tab = TabWidth
	}
	if len(layers) > maxLayers {
		layers = layers[:maxLayers]
	}
	p := pen{base: l.Base, layers: layers, next: from}
	dst = append(dst, l.Base...)
	col := 0 // in the text
	used := 0
	for i := from; i < to && used < l.Width; {
		if i >= p.next {
			dst = p.turn(dst, i)
		}
		end := min(to, max(p.next, i+1))
		if run := asciiRun(s, i, end, max(l.Skip-col, 0)+l.Width-used); run > 0 {
			hide := min(max(l.Skip-col, 0), run)
			dst = append(dst, s[i+hide:i+run]...)
			col += run
			used += run - hide
			i += run
			continue
		}
		n, cols, k := unit(s[i:to], col, l.Tab)
		at := col
		col += cols
		u := s[i : i+n]
		i += n
		switch {
		case col <= l.Skip:
			continue
		case at < l.Skip: // cut by the left edge
			fill := min(col-l.Skip, l.Width-used)
			dst = Spaces(dst, fill)
			used += fill
			continue
		case used+cols > l.Width && k != tab: // cut by the right edge
			i = to
			continue
		}
		cols = min(cols, l.Width-used)
		if l.Mark != "" && k != plain && k != tab && k != combined {
			dst = append(dst, l.Mark...)
			dst = appendUnit(dst, u, cols, k)
			dst = p.again(dst)
		} else {
			dst = appendUnit(dst, u, cols, k)
		}
		used += cols
	}
	dst = p.lift(dst)
	if l.Fill {
		dst = Spaces(dst, l.Width-used)
		used = max(used, l.Width)
	}
	if l.Base != "" {
		dst = append(dst, Reset...)
	}
	return dst, used
}

// asciiRun returns how many bytes of s from i are printable ASCII, each in its own cell, up
// to end and at most limit. The last one before other text is excluded, because an accent
// may follow it.
func asciiRun(s string, i, end, limit int) int {
	end = min(end, i+limit)
	j := i
	for j < end && s[j] >= 0x20 && s[j] < 0x7f {
		j++
	}
	if j < len(s) && s[j] >= 0x80 && j > i {
		j--
	}
	return j - i
}

// pen tracks the current style, and where it changes next.
type pen struct {
	base   string
	layers [][]Span
	at     [maxLayers]int // the first span of each layer that has not ended
	next   int            // where the style may change
	on     bool           // a span is active
	pos    int
}

const never = int(^uint(0) >> 1)

// turn switches to the style of byte i.
func (p *pen) turn(dst []byte, i int) []byte {
	p.next = never
	p.pos = i
	if p.on {
		dst = append(dst, Reset...)
		dst = append(dst, p.base...)
		p.on = false
	}
	for k, spans := range p.layers {
		for p.at[k] < len(spans) && spans[p.at[k]].To <= i {
			p.at[k]++
		}
		if p.at[k] == len(spans) {
			continue
		}
		if s := spans[p.at[k]]; s.From <= i {
			dst = append(dst, s.On...)
			p.on = p.on || s.On != ""
			p.next = min(p.next, s.To)
		} else {
			p.next = min(p.next, s.From)
		}
	}
	return dst
}

// again restores the current style after other text.
func (p *pen) again(dst []byte) []byte {
	dst = append(dst, Reset...)
	dst = append(dst, p.base...)
	p.on = false
	next := p.next
	dst = p.turn(dst, p.pos)
	p.next = next
	return dst
}

// lift ends the spans and restores the base.
func (p *pen) lift(dst []byte) []byte {
	if p.on {
		dst = append(dst, Reset...)
		dst = append(dst, p.base...)
		p.on = false
	}
	return dst
}

// Rows breaks s into rows of w columns, as Wrap does, without trailing blanks. There are at
// most most rows, the last with all the rest; 0 means no limit.
func Rows(s string, w, most int) []string {
	limit := 0
	if most > 0 {
		limit = most + 1
	}
	starts := Wrap(nil, s, max(w, 1), 0, limit)
	if most > 0 && len(starts) > most {
		starts = starts[:most]
	}
	rows := make([]string, len(starts))
	for i, from := range starts {
		rows[i] = strings.TrimRight(s[from:End(s, starts, i)], " ")
	}
	return rows
}

// End returns where row i of s ends, if its rows begin at starts.
func End(s string, starts []int, i int) int {
	if i+1 < len(starts) {
		return starts[i+1]
	}
	return len(s)
}

// Wrap appends to rows the offsets where rows begin when s is broken between words to fit
// width columns; the first is 0. A word that is longer than a row is broken at its end. Tab
// stops count from the row's own start. It stops after limit rows if limit is not 0.
func Wrap(rows []int, s string, width, tabWidth, limit int) []int {
	if tabWidth == 0 {
		tabWidth = TabWidth
	}
	width = max(width, 1)
	start := len(rows)
	rows = append(rows, 0)
	col := 0
	word := 0 // where the current word began; 0 if the row has no break yet
	space := false
	for i := 0; i < len(s); {
		if limit > 0 && len(rows)-start > limit {
			return rows[:start+limit]
		}
		n, cols, k := unit(s[i:], col, tabWidth)
		blank := k == tab || n == 1 && s[i] == ' '
		if space && !blank {
			word = i
		}
		space = blank
		if col+cols > width && col > 0 {
			at := i
			switch {
			case blank && k != tab: // a space extends over the edge invisibly
				i += n
				col = width
				continue
			case word > rows[len(rows)-1]:
				at = word
			}
			rows = append(rows, at)
			col, word, space = 0, 0, false
			i = at
			continue
		}
		col += cols
		i += n
		if n > 1 && cols == 2 && k == plain { // East Asian text may be broken anywhere
			word = i
		}
	}
	if limit > 0 && len(rows)-start > limit {
		rows = rows[:start+limit]
	}
	return rows
}
