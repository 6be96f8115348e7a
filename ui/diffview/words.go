package diffview

import (
	"bytes"

	"github.com/memtrail/memtrail/ui/text"
	"github.com/memtrail/memtrail/versions"
)

// What stands around words that one text has alone, as git writes it.
var pieceMarks = [...][2]string{versions.Same: {"", ""}, versions.Removed: {"[-", "-]"}, versions.Added: {"{+", "+}"}}

// appendWords draws one row of both texts: a line that they share, one that only
// one of them has, or two lines as one.
func (v *View) appendWords(dst []byte, l, r versions.Line, at place) []byte {
	line := r
	if r.New == 0 {
		line = l
	}
	if line.Kind == versions.Same || l.Old == 0 || r.New == 0 {
		return v.appendBelow(dst, line, at)
	}
	in := v.indent()
	if in > 2 {
		dst = v.appendNumber(dst, r.New, v.digits())
		dst = append(dst, ' ')
	}
	width := v.w - v.gutter() - in
	k := ink{sign: v.theme.Warn}
	if at.selected {
		k.line = v.theme.Selection
	}
	if v.lenient && sameButBlanks(l.Text, r.Text) {
		k.sign, k.line = v.theme.Dim, v.theme.Dim
		s, note := v.visible(r, v.left+width)
		return v.appendLine(appendSign(dst, '~', k, width), s, note, nil, k, v.left, width)
	}
	dst = appendSign(dst, '~', k, width)
	if width <= 0 {
		return dst
	}
	skip := v.left
	if skip == 0 {
		if n := commonBytes(l.Text, r.Text); n <= farthest {
			skip = v.skipTo(string(r.Text[:n]), width)
		}
	}
	s, spans := v.pieces(l, r, skip+width)
	return v.appendLine(dst, s, endNote(l, r), spans, k, skip, width)
}

// endNote says that one of two lines does not end in a newline, and the other does.
func endNote(l, r versions.Line) string {
	old, new := bytes.HasSuffix(l.Text, []byte("\n")), bytes.HasSuffix(r.Text, []byte("\n"))
	switch {
	case old && !new:
		return noNewline
	case new && !old:
		return " (a newline at the end is new)"
	}
	return ""
}

// pieces writes two lines as one, as much of it as so many columns can show.
func (v *View) pieces(l, r versions.Line, width int) (string, []text.Span) {
	var s []byte
	var spans []text.Span
	most := (width + 1) * 72 // one column takes few bytes
	for _, p := range versions.Pieces(v.ended(l.Text), v.ended(r.Text)) {
		from := len(s)
		s = append(s, pieceMarks[p.Kind][0]...)
		s = append(s, p.Text[:min(len(p.Text), most)]...)
		s = append(s, pieceMarks[p.Kind][1]...)
		switch p.Kind {
		case versions.Removed:
			spans = append(spans, text.Span{From: from, To: len(s), On: v.theme.RemovedWord.On})
		case versions.Added:
			spans = append(spans, text.Span{From: from, To: len(s), On: v.theme.AddedWord.On})
		}
		if len(s) > most {
			break
		}
	}
	return string(s), spans
}

// ended is a line without its end.
func (v *View) ended(line []byte) []byte {
	line, ended := bytes.CutSuffix(line, []byte("\n"))
	if ended && v.doc.hideCR {
		line = bytes.TrimSuffix(line, []byte("\r"))
	}
	return line
}
