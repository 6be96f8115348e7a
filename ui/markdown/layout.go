package markdown

import (
	"slices"
	"sort"

	"github.com/memend/memend/ui/text"
)

// Layout is a document in rows of one width. It is immutable.
type Layout struct {
	doc    *Document
	width  int
	fold   bool
	first  []int32 // the first row of each block, and the number of rows
	rows   []row
	tables map[*table]*tableLayout
}

// row is the part of a block's text that one row shows.
type row struct{ from, to int32 }

// tableLayout is the layout of a table for a width.
type tableLayout struct {
	widths []int     // of the columns; nil if there is no room for them
	cells  [][][]row // the rows of each cell of each row of the table
	lined  bool      // cells are wrapped: draw lines between the rows
}

// Layout breaks the document into rows of a width of at least one. With fold, front matter
// takes one row. Its cost is that of wrapping the text; drawing a row later depends only on
// that row.
func (d *Document) Layout(width int, fold bool) *Layout {
	l := &Layout{doc: d, width: max(width, 1), fold: fold, first: make([]int32, 1, len(d.blocks)+1)}
	var starts []int
	for i := range d.blocks {
		k := &d.blocks[i]
		switch {
		case k.kind == gap, k.kind == rule:
			l.rows = append(l.rows, row{})
		case k.kind == record && l.table(k).widths != nil:
			starts = l.record(k, starts)
		default:
			l.rows, starts = wrap(l.rows, l.shown(k).text, l.room(k), starts)
		}
		l.first = append(l.first, int32(len(l.rows)))
	}
	return l
}

// shown returns the text of a block: front matter has two.
func (l *Layout) shown(k *block) *body {
	if k.fold != nil && l.fold {
		return k.fold
	}
	return &k.body
}

// indent returns the width of the prefix of a block: at most half of the width; a deep
// block loses its outer indentation.
func (l *Layout) indent(k *block) int { return min(k.first.width, l.width/2) }

func (l *Layout) room(k *block) int { return max(l.width-l.indent(k), 1) }

// wrap appends the rows of a text.
func wrap(rows []row, s string, width int, starts []int) ([]row, []int) {
	for at := 0; ; {
		end := at
		plain := true
		for end < len(s) && s[end] != '\n' {
			plain = plain && s[end] >= ' ' && s[end] < 0x7f
			end++
		}
		if plain && end-at <= width {
			rows = append(rows, row{int32(at), int32(end)})
		} else {
			starts = text.Wrap(starts[:0], s[at:end], width, 0, 0)
			for i, from := range starts {
				rows = append(rows, row{int32(at + from), int32(at + text.End(s[at:end], starts, i))})
			}
		}
		if end == len(s) {
			return rows, starts
		}
		at = end + 1
	}
}

// inColumns returns the layout of a record's table, or nil if it has no columns.
func (l *Layout) inColumns(k *block) *tableLayout {
	if t := l.tables[k.table]; k.kind == record && t.widths != nil {
		return t
	}
	return nil
}

// record lays out one row of a table in columns.
func (l *Layout) record(k *block, starts []int) []int {
	t := l.table(k)
	cells := make([][]row, len(t.widths))
	for i, w := range t.widths {
		if i < len(k.table.rows[k.row]) {
			cells[i], starts = wrap(nil, k.table.rows[k.row][i].text, w, starts)
		}
	}
	t.cells[k.row] = cells
	n := high(cells)
	if k.row == 0 || t.lined && k.row < len(k.table.rows)-1 { // and a line below
		n++
	}
	for i := range n {
		l.rows = append(l.rows, row{from: int32(i)})
	}
	return starts
}

// table returns the layout of a record's table.
func (l *Layout) table(k *block) *tableLayout {
	if t := l.tables[k.table]; t != nil {
		return t
	}
	if l.tables == nil {
		l.tables = map[*table]*tableLayout{}
	}
	t := &tableLayout{}
	l.tables[k.table] = t
	if t.widths = k.table.fit(l.room(k)); t.widths != nil {
		t.cells = make([][][]row, len(k.table.rows))
		t.lined = !slices.Equal(t.widths, k.table.widths)
	}
	return t
}

// Len returns the number of rows.
func (l *Layout) Len() int { return len(l.rows) }

// Width returns the number of columns of each row.
func (l *Layout) Width() int { return l.width }

// block returns the block that a row belongs to.
func (l *Layout) block(row int) (*block, int) {
	i := sort.Search(len(l.doc.blocks), func(i int) bool { return int(l.first[i+1]) > row })
	return &l.doc.blocks[i], i
}

// Source returns where in the memory the row begins: the line, from 0, and the byte of that
// line. It never decreases from one row to the next.
func (l *Layout) Source(row int) (line, at int) {
	if len(l.rows) == 0 {
		return 0, 0
	}
	k, _ := l.block(min(max(row, 0), len(l.rows)-1))
	src := l.source(k, l.rows[min(max(row, 0), len(l.rows)-1)])
	line = l.doc.lineOf(src)
	return line, int(src - l.doc.lines[line])
}

// LineOf returns the line of the memory, from 0, that the row comes from.
func (l *Layout) LineOf(row int) int {
	line, _ := l.Source(row)
	return line
}

func (l *Layout) source(k *block, r row) int32 {
	if t := l.inColumns(k); t != nil {
		return l.below(k, r, t)
	}
	if k.kind == gap || k.kind == rule || k.fold != nil && l.fold {
		return k.src
	}
	return max(l.doc.begin(&k.body, int(r.from), k.src), k.src)
}

// begin returns where a row comes from that begins at byte at of a text. It includes what
// precedes the text in its line, such as a list mark.
func (d *Document) begin(k *body, at int, or int32) int32 {
	src := k.source(at, or)
	i := sort.Search(len(k.marks), func(i int) bool { return int(k.marks[i].at) >= at })
	if i == len(k.marks) || int(k.marks[i].at) > at {
		return src
	}
	if line := d.lines[d.lineOf(src)]; i == 0 || k.marks[i-1].src < line {
		return line
	}
	return src
}

// below returns where a row of cells comes from. The line below the heads has its own line
// in the source.
func (l *Layout) below(k *block, r row, t *tableLayout) int32 {
	line := l.doc.lineOf(k.src) + 1
	if k.row > 0 || int(r.from) < high(t.cells[0]) || line >= len(l.doc.lines) {
		return k.src
	}
	return l.doc.lines[line]
}

// high returns how many rows cells take.
func high(cells [][]row) int {
	n := 1
	for _, c := range cells {
		n = max(n, len(c))
	}
	return n
}

// RowOf returns the row that shows byte at of a line of the memory, or the nearest row
// above.
func (l *Layout) RowOf(line, at int) int {
	if len(l.rows) == 0 || line < 0 {
		return 0
	}
	line = min(line, len(l.doc.lines)-1)
	src := l.doc.lines[line] + int32(max(at, 0))
	if line+1 < len(l.doc.lines) {
		src = min(src, l.doc.lines[line+1]-1)
	}
	// The first row that begins after src; the one before it contains src.
	n := sort.Search(len(l.rows), func(i int) bool {
		k, _ := l.block(i)
		return l.source(k, l.rows[i]) > src
	})
	n = max(n-1, 0)
	// The gap above a heading comes from the end of the line above it.
	if k, _ := l.block(n); k.kind == gap && n > 0 && k.src != l.doc.lines[l.doc.lineOf(k.src)] {
		n--
	}
	return n
}
