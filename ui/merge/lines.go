package merge

import "bytes"

// lines is a text and the offsets of its lines, with one offset more than lines.
type lines struct {
	text  []byte
	drawn string // the same: a frame must not copy a line for each of its rows
	start []int
}

func newLines(text []byte) *lines {
	l := &lines{text: text, drawn: string(text), start: make([]int, 1, bytes.Count(text, []byte("\n"))+2)}
	for at := 0; at < len(text); {
		n := bytes.IndexByte(text[at:], '\n') + 1
		if n == 0 {
			n = len(text) - at
		}
		at += n
		l.start = append(l.start, at)
	}
	return l
}

func (l *lines) count() int { return len(l.start) - 1 }

// line returns line i with its end.
func (l *lines) line(i int) string { return l.drawn[l.start[i]:l.start[i+1]] }

func (l *lines) between(r run) []byte { return l.text[l.start[r.from]:l.start[r.to]] }

// run is a range of consecutive lines.
type run struct{ from, to int }

func (r run) len() int { return r.to - r.from }

// crlf reports whether the first line end of a text is CRLF.
func crlf(text []byte) bool {
	i := bytes.IndexByte(text, '\n')
	return i > 0 && text[i-1] == '\r'
}
