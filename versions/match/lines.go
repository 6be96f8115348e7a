package match

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"
)

// Line is a line with matches, or one around such a line.
type Line struct {
	Number int    // from 1
	Text   string // without the line's end; of a long line the part around the first match
	Offset int    // offset of Text in the memory, in bytes
	Before bool   // the line has more text before Text
	After  bool   // the line has more text after Text
	Spans  []Span // the matches as byte ranges of Text, in order, not touching; none for a line around a match
}

// All returns every match of every term, in order; matches that overlap or touch are joined.
func All(terms []Term, text []byte) (all []Span) {
	var f Finder
	for i := range terms {
		f.Start(&terms[i], text)
		for {
			sp, ok := f.Next()
			if !ok {
				break
			}
			all = append(all, sp)
		}
	}
	if len(terms) > 1 {
		slices.SortFunc(all, func(a, b Span) int { return a.Start - b.Start })
	}
	return joined(all)
}

// joined joins spans that overlap or touch. They are in order.
func joined(spans []Span) []Span {
	out := spans[:0]
	for _, sp := range spans {
		if n := len(out); n > 0 && sp.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, sp.End)
		} else {
			out = append(out, sp)
		}
	}
	return out
}

// place is the byte range of a line, its number, and the range of the spans in it.
type place struct{ start, end, number, from, to int }

// Excerpt selects the lines of a text to show.
type Excerpt struct {
	Lines int // maximum number of lines with matches, preferring those with the most terms; 0: all
	Width int // maximum bytes of a line; 0: DefaultWidth
}

// DefaultWidth is the default maximum length of a line in an excerpt, in bytes.
const DefaultWidth = 240

// Of returns the lines of a text that contain spans.
func (x Excerpt) Of(terms []Term, text []byte, spans []Span) []Line {
	places := placesOf(text, spans)
	if x.Lines > 0 && len(places) > x.Lines {
		places = bestPlaces(terms, text, places, x.Lines)
	}
	width := cmp.Or(x.Width, DefaultWidth)
	out := make([]Line, len(places))
	for i, p := range places {
		out[i] = cutLine(text, p.start, p.end, spans[p.from:p.to], width)
		out[i].Number = p.number
	}
	return out
}

func placesOf(text []byte, spans []Span) []place {
	var places []place
	number, counted := 1, 0
	for i := 0; i < len(spans); {
		start := bytes.LastIndexByte(text[:spans[i].Start], '\n') + 1
		end := len(text)
		if n := bytes.IndexByte(text[spans[i].Start:], '\n'); n >= 0 {
			end = spans[i].Start + n
		}
		number += bytes.Count(text[counted:start], []byte("\n"))
		counted = start
		p := place{start: start, end: end, number: number, from: i}
		for i++; i < len(spans) && spans[i].Start < end; i++ {
		}
		p.to = i
		places = append(places, p)
	}
	return places
}

// bestPlaces returns the lines with the most different terms; of equals the first.
func bestPlaces(terms []Term, text []byte, places []place, most int) []place {
	distinct := make([]int, len(places))
	order := make([]int, len(places))
	var f Finder
	for i, p := range places {
		order[i] = i
		for k := range terms {
			f.Start(&terms[k], text[p.start:p.end])
			if _, ok := f.Next(); ok {
				distinct[i]++
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return distinct[b] - distinct[a] })
	order = order[:most]
	slices.Sort(order)
	out := make([]place, most)
	for i, k := range order {
		out[i] = places[k]
	}
	return out
}

// cutLine returns the line from start to end, cut to width bytes, with a quarter of them before the first match.
func cutLine(text []byte, start, end int, spans []Span, width int) Line {
	if end > start && text[end-1] == '\r' && end < len(text) {
		end--
	}
	l := Line{}
	if end-start > width {
		first := start
		if len(spans) > 0 {
			first = spans[0].Start
		}
		from := runeStart(text, max(start, min(first-width/4, end-width)))
		to := runeStart(text, min(end, from+width))
		l.Before, l.After = from > start, to < end
		start, end = from, to
	}
	l.Offset, l.Text = start, string(text[start:end])
	for _, sp := range spans {
		if sp.Start < end {
			l.Spans = append(l.Spans, Span{sp.Start - start, min(sp.End, end) - start})
		}
	}
	return l
}

// runeStart returns the beginning of the character at i, or i if there is none.
func runeStart(text []byte, i int) int {
	for back := range min(utf8.UTFMax, i+1) {
		if i == len(text) || utf8.RuneStart(text[i-back]) {
			return i - back
		}
	}
	return i
}
