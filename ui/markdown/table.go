package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/memend/memend/ui/text"
)

// table is shared by the records of a table.
type table struct {
	aligns []align
	widths []int // the width of each column without wrapping
	words  []int // the width without breaking words
	rows   [][]body
}

// wholeWord is how wide, at most, a column is made to avoid breaking words.
const wholeWord = 16

func (b *builder) table(n *tableNode, base role) {
	t := &table{aligns: n.aligns}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []body
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, b.cell(c))
		}
		t.add(cells)
	}
	for row, i := n.FirstChild(), 0; row != nil; row, i = row.NextSibling(), i+1 {
		for len(t.rows[i]) < len(t.aligns) {
			t.rows[i] = append(t.rows[i], body{})
		}
		k := block{kind: record, src: int32(row.(*rowNode).at), base: base, body: joined(t.rows[i]), table: t, row: i}
		if i == 0 {
			k.base = heading
		}
		b.emitRecord(k, i == 0)
	}
}

// emitRecord adds a row of a table; only the first may have an empty row before it.
func (b *builder) emitRecord(k block, first bool) {
	if first {
		k.base = 0
		b.emit(k, int(k.src))
		return
	}
	k.first, k.rest = b.before(false), b.before(false)
	k.src = max(b.d.lines[b.d.lineOf(k.src)], b.d.blocks[len(b.d.blocks)-1].src)
	b.d.blocks = append(b.d.blocks, k)
}

func (b *builder) cell(c ast.Node) body {
	if c.Lines().Len() == 0 {
		return body{marks: []mark{{src: int32(c.Pos())}}}
	}
	return b.inline(c)
}

// add appends a row and widens the columns for it. A row may have more cells than there are
// heads: nothing of a memory is left out.
func (t *table) add(cells []body) {
	t.rows = append(t.rows, cells)
	for len(t.aligns) < len(cells) {
		t.aligns = append(t.aligns, left)
	}
	for len(t.widths) < len(t.aligns) {
		t.widths, t.words = append(t.widths, 1), append(t.words, 1)
	}
	for i, c := range cells {
		t.widths[i] = max(t.widths[i], columns(c.text))
		for word := range strings.FieldsSeq(c.text) {
			if t.words[i] >= wholeWord {
				break
			}
			t.words[i] = min(max(t.words[i], text.Width(word)), wholeWord)
		}
	}
}

// barWidth is the width of " │ " between two columns.
const barWidth = 3

// fit returns the width of each column for a total width, or nil if they would be too narrow to
// read.
func (t *table) fit(room int) []int {
	room -= barWidth * (len(t.widths) - 1)
	widths := make([]int, len(t.widths))
	for i := range widths {
		widths[i] = min(t.widths[i], t.words[i])
		room -= widths[i]
	}
	if room < 0 {
		return nil
	}
	// The rest is divided equally among the columns that need more.
	for room > 0 {
		wanting := 0
		for i := range widths {
			if widths[i] < t.widths[i] {
				wanting++
			}
		}
		if wanting == 0 {
			break
		}
		share := max(room/wanting, 1)
		for i := range widths {
			give := min(t.widths[i]-widths[i], share, room)
			widths[i] += give
			room -= give
		}
	}
	return widths
}

// joined returns the cells of a row as one text with bars between them, as in the source: it is
// wrapped where the columns of the table have no room.
func joined(cells []body) body {
	for len(cells) > 0 && cells[len(cells)-1].text == "" {
		cells = cells[:len(cells)-1] // a short row is padded
	}
	var out body
	for i, c := range cells {
		if i > 0 {
			n := int32(len(out.text))
			out.text += " | "
			out.spans = append(out.spans, span{n, n + barWidth, dim})
		}
		n := int32(len(out.text))
		out.text += strings.ReplaceAll(c.text, "\n", " ")
		for _, s := range c.spans {
			out.spans = append(out.spans, span{s.from + n, s.to + n, s.role})
		}
		for _, m := range c.marks {
			out.marks = append(out.marks, mark{m.at + n, m.src, m.n})
		}
		for _, l := range c.links {
			out.links = append(out.links, run{l.from + n, l.to + n, l.link})
		}
	}
	return out
}
