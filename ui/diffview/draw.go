package diffview

import (
	"bytes"
	"fmt"
	"sort"
	"strconv"
	"unicode/utf8"

	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/text"
	"github.com/memtrail/memtrail/versions"
)

// draw makes the frame anew. Everything that changes what is seen ends here, so
// that View costs nothing and words are compared once a scroll, not once a frame.
func (v *View) draw() {
	v.top = max(0, min(v.top, v.rows-v.h))
	if v.w <= 0 || v.h <= 0 {
		v.frame = ""
		return
	}
	dst := make([]byte, 0, v.h*(v.w+48))
	for y := range v.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		dst = v.appendRow(dst, v.top+y)
	}
	v.frame = string(dst)
}

func (v *View) appendRow(dst []byte, y int) []byte {
	if y >= v.rows {
		return text.Spaces(dst, v.w)
	}
	p := v.partAt(y)
	switch p.kind {
	case notePart:
		style := v.theme.Warn
		if v.doc.plain {
			style = v.theme.Text
		}
		return v.appendWhole(dst, style, p.note)
	case foldPart:
		lines := "lines"
		if p.hidden == 1 {
			lines = "line"
		}
		return v.appendWhole(dst, v.theme.Hunk, fmt.Sprintf("%*s⋯ %d %s", v.gutter()+v.indent(), "", p.hidden, lines))
	}
	row := v.rowIn(y)
	dst = v.appendGutter(dst, row)
	if !v.splits() {
		return v.appendBelow(dst, v.doc.diff.Row(p.hunk.Row+y-p.row), row)
	}
	l, r := v.doc.diff.Split(p.hunk.Split + y - p.row)
	if v.layout == words {
		return v.appendWords(dst, l, r, row)
	}
	w := v.w - v.gutter()
	half := (w - 1) / 2
	dst = v.appendHalf(dst, l, l.Old, half, row)
	dst = v.theme.Border.Append(dst, v.theme.Lines.Down)
	return v.appendHalf(dst, r, r.New, w-1-half, row)
}

// gutterFrom is from how many columns on one of them is for marks of the hunk.
const gutterFrom = 16

func (v *View) gutter() int {
	if v.w < gutterFrom {
		return 0
	}
	return 1
}

// place is where a row stands: in the current hunk, in the selection.
type place struct{ now, selected bool }

func (v *View) rowIn(y int) place {
	e, ok := v.current()
	if !ok {
		return place{}
	}
	at := y - v.rowOf(e)
	if at < 0 || at >= v.rowsOf(e) {
		return place{}
	}
	return place{true, v.sel != nil && v.sel.holds(at)}
}

// appendGutter marks the rows of the current hunk and those selected in it.
func (v *View) appendGutter(dst []byte, at place) []byte {
	style := v.theme.Border
	if v.focused {
		style = v.theme.BorderFocused
	}
	switch {
	case v.gutter() == 0:
		return dst
	case at.selected:
		return v.theme.Marked.Append(dst, "█")
	case at.now:
		return style.Append(dst, "▌")
	}
	return append(dst, ' ')
}

func (v *View) appendWhole(dst []byte, style theme.Style, s string) []byte {
	dst = append(dst, style.On...)
	dst = text.PadMore(dst, s, v.w)
	return append(dst, style.Off...)
}

// digits is how wide line numbers are.
func (v *View) digits() int {
	return max(2, len(strconv.Itoa(max(v.doc.diff.OldLines(), v.doc.diff.NewLines()))))
}

// indent is where the text of rows begins.
func (v *View) indent() int {
	n, w := v.digits(), v.w-v.gutter()
	switch {
	case v.Beside():
		if (w-1)/2 < n+16 {
			return 2
		}
		return n + 3
	case w >= 2*n+34 && v.layout != words:
		return 2*n + 4
	case w >= n+16:
		return n + 3
	}
	return 2
}

// appendBelow draws a line with the numbers that it has, as far as they fit.
func (v *View) appendBelow(dst []byte, l versions.Line, at place) []byte {
	n := v.digits()
	in := v.indent()
	switch {
	case in > n+3:
		dst = v.appendNumber(dst, l.Old, n)
		dst = append(dst, ' ')
		dst = v.appendNumber(dst, l.New, n)
		dst = append(dst, ' ')
	case in > 2:
		number := l.New
		if l.Kind == versions.Removed {
			number = l.Old
		}
		dst = v.appendNumber(dst, number, n)
		dst = append(dst, ' ')
	}
	return v.appendText(dst, l, v.w-v.gutter()-in, at)
}

// appendHalf draws one side of a row; nothing where the side has no line.
func (v *View) appendHalf(dst []byte, l versions.Line, number, width int, at place) []byte {
	if number == 0 {
		return text.Spaces(dst, width)
	}
	in := v.indent()
	if in > 2 {
		dst = v.appendNumber(dst, number, v.digits())
		dst = append(dst, ' ')
	}
	return v.appendText(dst, l, width-in, at)
}

func (v *View) appendNumber(dst []byte, n, width int) []byte {
	s := ""
	if n > 0 {
		s = strconv.Itoa(n)
	}
	dst = append(dst, v.theme.LineNumber.On...)
	dst = text.Spaces(dst, width-len(s))
	dst = append(dst, s...)
	return append(dst, v.theme.LineNumber.Off...)
}

// ink is what a line is drawn with.
type ink struct{ sign, line, word theme.Style }

// inkOf is the ink of a line; of one that differs in white space only it tells
// little, when that does not count.
func (v *View) inkOf(l versions.Line, at place) ink {
	var k ink
	switch {
	case l.Kind == versions.Same:
	case v.lenient && v.blankPair(l):
		k = ink{v.theme.Dim, v.theme.Dim, v.theme.Dim}
	case l.Kind == versions.Removed:
		k = ink{v.theme.Removed, v.theme.RemovedLine, v.theme.RemovedWord}
	case l.Kind == versions.Added:
		k = ink{v.theme.Added, v.theme.AddedLine, v.theme.AddedWord}
	}
	if at.selected {
		k.line = v.theme.Selection
	}
	return k
}

// blankPair reports whether a line differs from the one that it stands beside in
// white space only.
func (v *View) blankPair(l versions.Line) bool {
	old, new, ok := v.pairOf(l)
	return ok && sameButBlanks(old.Text, new.Text)
}

// pairOf is a removed or added line with the one of the same edit that stands
// beside it.
func (v *View) pairOf(l versions.Line) (old, new versions.Line, ok bool) {
	edits := v.doc.diff.Edits()
	i := sort.Search(len(edits), func(i int) bool {
		if l.Kind == versions.Removed {
			return edits[i].Old+edits[i].OldLines >= l.Old
		}
		return edits[i].New+edits[i].NewLines >= l.New
	})
	at := l.New - 1 - edits[i].New
	if l.Kind == versions.Removed {
		at = l.Old - 1 - edits[i].Old
	}
	if at >= min(edits[i].OldLines, edits[i].NewLines) {
		return old, new, false
	}
	old, new = v.doc.diff.Split(edits[i].Split() + at)
	return old, new, true
}

// appendText draws the sign and the text of a line in width+2 columns.
func (v *View) appendText(dst []byte, l versions.Line, width int, at place) []byte {
	k := v.inkOf(l, at)
	dst = appendSign(dst, " -+"[l.Kind], k, width)
	if width <= 0 {
		return dst
	}
	skip := v.skipOf(l, width)
	s, note := v.visible(l, skip+width)
	var spans []text.Span
	for _, w := range v.doc.diff.Words(l) {
		if w.Start < len(s) {
			spans = append(spans, text.Span{From: w.Start, To: min(w.End, len(s)), On: k.word.On})
		}
	}
	return v.appendLine(dst, s, note, spans, k, skip, width)
}

// skipOf is how many columns of a line are out of sight on its left: what the
// person scrolled, or else so many that the first difference from the line beside
// it shows. Two long lines that look the same would tell nothing.
func (v *View) skipOf(l versions.Line, width int) int {
	if v.left > 0 || l.Kind == versions.Same {
		return v.left
	}
	old, new, ok := v.pairOf(l)
	if !ok {
		return 0
	}
	n := commonBytes(old.Text, new.Text)
	if n < width-differenceFrom || n > farthest {
		return 0
	}
	return v.skipTo(string(l.Text[:n]), width)
}

const (
	differenceFrom = 12      // columns that a difference should have before the right edge
	farthest       = 1 << 16 // bytes into a line that a difference is looked for
)

// skipTo is how many columns are skipped so that what comes after s shows.
func (v *View) skipTo(s string, width int) int {
	col := text.Column(s, len(s), text.TabWidth)
	if col < width-differenceFrom {
		return 0
	}
	return max(0, col-width/2)
}

// commonBytes is how many bytes two lines begin with alike, whole characters only.
func commonBytes(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return n
}

// appendSign draws a sign and a blank, as far as width+2 columns have room for them.
func appendSign(dst []byte, sign byte, k ink, width int) []byte {
	if width+2 <= 0 {
		return dst
	}
	dst = append(dst, k.line.On...)
	dst = append(dst, k.sign.On...)
	dst = append(dst, sign)
	if width+2 > 1 {
		dst = append(dst, ' ')
	}
	if k.line.On == "" {
		return append(dst, k.sign.Off...)
	}
	return append(dst, k.line.Off...)
}

// appendLine draws a text in exactly width columns, and a note after it.
func (v *View) appendLine(dst []byte, s, note string, spans []text.Span, k ink, skip, width int) []byte {
	cut := 0
	if skip > v.left && width > 1 { // nobody scrolled it there
		dst = append(append(append(dst, k.line.On...), "…"...), k.line.Off...)
		skip, cut = skip+1, 1
	}
	t := text.Line{Width: width - cut, Skip: skip, Base: k.line.On, Mark: v.theme.HiddenChar.On}
	dst, used := t.Append(dst, s, spans)
	used += cut
	dst = append(dst, k.line.On...)
	if note != "" && used+len(note) <= width {
		dst = append(dst, note...)
		used += len(note)
	}
	dst = text.Spaces(dst, width-used)
	return append(dst, k.line.Off...)
}

// noNewline stands behind a line that does not end in one, where that is part of
// what changed.
const noNewline = " (no newline at the end)"

// visible is the part of a line that so many columns can show, without its end.
func (v *View) visible(l versions.Line, width int) (s, note string) {
	b := v.ended(l.Text)
	if !bytes.HasSuffix(l.Text, []byte("\n")) && l.Kind != versions.Same {
		note = noNewline
	}
	// One column takes few bytes; a line of megabytes must not be copied for
	// the part of it that is seen.
	if most := (width + 1) * 72; len(b) > most {
		return string(b[:most]), ""
	}
	return string(b), note
}
