package diffview

import (
	"bytes"

	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/diff"
)

// pieceMarks surround words that only one text has, as in git's word diff.
var pieceMarks = [...][2]string{diff.Same: {"", ""}, diff.Removed: {"[-", "-]"}, diff.Added: {"{+", "+}"}}

// endNote says that one of two lines ends in a newline, and the other does not.
func endNote(l, r diff.Line) string {
	old, new := bytes.HasSuffix(l.Text, []byte("\n")), bytes.HasSuffix(r.Text, []byte("\n"))
	switch {
	case old && !new:
		return noNewline
	case new && !old:
		return " (a newline at the end is new)"
	}
	return ""
}

// written merges two lines into one, up to a number of bytes.
func (v *View) written(pieces []diff.Piece, most int) (string, []text.Span) {
	var s []byte
	var spans []text.Span
	for _, p := range pieces {
		b := v.ended(p.Text)
		if len(b) == 0 {
			continue
		}
		from := len(s)
		s = append(s, pieceMarks[p.Kind][0]...)
		s = append(s, b[:min(len(b), most)]...)
		s = append(s, pieceMarks[p.Kind][1]...)
		switch p.Kind {
		case diff.Removed:
			spans = append(spans, text.Span{From: from, To: len(s), On: v.theme.RemovedWord.On})
		case diff.Added:
			spans = append(spans, text.Span{From: from, To: len(s), On: v.theme.AddedWord.On})
		}
		if len(s) > most {
			break
		}
	}
	return string(s), spans
}

// shiftSpans shifts the spans of the new line to where its pieces are in the merged line.
func (v *View) shiftSpans(dst, spans []text.Span, pieces []diff.Piece) []text.Span {
	from, at := 0, 0 // in the new line, and in the merged line
	for _, p := range pieces {
		n := len(v.ended(p.Text))
		if n == 0 {
			continue
		}
		if p.Kind != diff.Removed {
			for len(spans) > 0 && spans[0].From < from+n {
				s := spans[0]
				if p.Kind == diff.Same { // changed words have their own colour
					dst = append(dst, text.Span{From: max(s.From, from) - from + at, To: min(s.To, from+n) - from + at, On: s.On})
				}
				if s.To > from+n {
					break // it continues in the next piece
				}
				spans = spans[1:]
			}
			from += n
		}
		at += len(pieceMarks[p.Kind][0]) + n + len(pieceMarks[p.Kind][1])
	}
	return dst
}
