package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// align is the alignment of a column.
type align uint8

const (
	left align = iota
	right
	center
)

// maxColumns is the most columns that a table can have. Every row has cells for all of
// them, so a short row under a thousand heads would be expensive.
const maxColumns = 64

type tableNode struct {
	ast.BaseBlock
	aligns []align
}

func (*tableNode) Kind() ast.NodeKind { return kindOurs }
func (*tableNode) Dump([]byte, int)   {}

// rowNode is a row of a table; the first is that of the heads.
type rowNode struct {
	ast.BaseBlock
	at int // in the source
}

func (*rowNode) Kind() ast.NodeKind { return kindOurs }
func (*rowNode) Dump([]byte, int)   {}

type cellNode struct{ ast.BaseBlock }

func (*cellNode) Kind() ast.NodeKind { return kindOurs }
func (*cellNode) Dump([]byte, int)   {}

// tableParser makes a table of the lines of a paragraph, beginning with the line above a
// line of dashes and bars.
type tableParser struct{}

func (tableParser) Transform(p *ast.Paragraph, r text.Reader, _ parser.Context) {
	lines, source := p.Lines(), r.Source()
	for i := 1; i < lines.Len(); i++ {
		rule := lines.At(i)
		aligns := alignments(rule.Value(source))
		if aligns == nil {
			continue
		}
		heads := cells(lines.At(i-1), source)
		if len(heads) != len(aligns) {
			continue
		}
		t := &tableNode{aligns: aligns}
		t.SetPos(lines.At(i - 1).Start)
		t.AppendChild(t, newRow(lines.At(i-1), heads))
		for j := i + 1; j < lines.Len(); j++ {
			t.AppendChild(t, newRow(lines.At(j), cells(lines.At(j), source)))
		}
		if i > 1 {
			p.Parent().InsertBefore(p.Parent(), p, linesAbove(p, i-1, source))
		}
		// p must go even when lines of it stay: otherwise a line of dashes below the table
		// would make a heading of them, which would be below the table, too.
		p.Parent().ReplaceChild(p.Parent(), p, t)
		return
	}
}

// linesAbove returns a paragraph of the first n lines of p.
func linesAbove(p *ast.Paragraph, n int, source []byte) *ast.Paragraph {
	above := ast.NewParagraph()
	above.SetPos(p.Pos())
	above.SetBlankPreviousLines(p.HasBlankPreviousLines())
	for i := range n {
		line := p.Lines().At(i)
		line = line.TrimLeftSpace(source)
		if i == n-1 {
			line = line.TrimRightSpace(source)
		}
		above.Lines().Append(line)
	}
	return above
}

func newRow(line text.Segment, cells []text.Segment) *rowNode {
	row := &rowNode{at: line.Start}
	for _, seg := range cells {
		c := &cellNode{}
		c.SetPos(seg.Start)
		if seg.Len() > 0 {
			c.Lines().Append(seg)
		}
		row.AppendChild(row, c)
	}
	return row
}

// alignments parses the line below the heads, or returns nil.
func alignments(line []byte) []align {
	line = bytes.TrimSpace(line)
	if bytes.IndexByte(line, '|') < 0 || len(bytes.Trim(line, "|-: \t")) > 0 {
		return nil
	}
	line = bytes.TrimPrefix(line, []byte("|"))
	line = bytes.TrimSuffix(line, []byte("|"))
	var out []align
	for cell := range bytes.SplitSeq(line, []byte("|")) {
		cell = bytes.TrimSpace(cell)
		if len(out) == maxColumns || len(cell) == 0 {
			return nil
		}
		from, to := cell[0] == ':', cell[len(cell)-1] == ':'
		if dashes := bytes.Trim(cell, ":"); len(dashes) == 0 || len(bytes.Trim(dashes, "-")) > 0 {
			return nil
		}
		switch {
		case from && to:
			out = append(out, center)
		case to:
			out = append(out, right)
		default:
			out = append(out, left)
		}
	}
	return out
}

// cells splits a line at its bars; everything over maxColumns stays in the last cell.
func cells(line text.Segment, source []byte) []text.Segment {
	s := source[line.Start:line.Stop]
	from := util.TrimLeftSpaceLength(s)
	to := len(s) - util.TrimRightSpaceLength(s)
	if from >= to {
		return nil
	}
	if s[from] == '|' {
		from++
	}
	var out []text.Segment
	for i := from; i < to; i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '|' && len(out) < maxColumns-1:
			out = append(out, trimmed(line.Start+from, line.Start+i, source))
			from = i + 1
		}
	}
	if from < to {
		out = append(out, trimmed(line.Start+from, line.Start+to, source))
	}
	return out
}

func trimmed(from, to int, source []byte) text.Segment {
	for from < to && util.IsSpace(source[from]) {
		from++
	}
	for from < to && util.IsSpace(source[to-1]) {
		to--
	}
	return text.NewSegment(from, to)
}
