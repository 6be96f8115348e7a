package diffview

import (
	"sort"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/diff"
)

// ink is what a cell is drawn with.
type ink struct {
	sign             string
	mark, line, word theme.Style // the sign, the line, the words that changed
	plain            bool        // without the colours of its language
}

// inkOf is the ink of a cell; of one that differs in white space only it tells
// little, when that does not count.
func (v *View) inkOf(c *cell, at place) ink {
	th := v.theme
	k := ink{sign: " "}
	switch {
	case c.joined:
		k.sign, k.mark = "~", th.Warn
	case c.moved && c.l.Kind == diff.Removed:
		k = ink{sign: "<", mark: th.Moved, line: th.MovedLine}
	case c.moved:
		k = ink{sign: ">", mark: th.Moved, line: th.MovedLine}
	case c.l.Kind == diff.Removed:
		k = ink{sign: "-", mark: th.Removed, line: th.RemovedLine, word: th.RemovedWord}
	case c.l.Kind == diff.Added:
		k = ink{sign: "+", mark: th.Added, line: th.AddedLine, word: th.AddedWord}
	}
	// Where there are no tints, the colour of a line is what marks it.
	k.plain = k.line.On != "" && th.Colors != theme.Many && th.Colors != theme.Some
	if v.lenient && v.blankLine(*c) {
		k.mark, k.line, k.word, k.plain = th.Dim, th.Dim, th.Dim, true
	}
	if at.selected {
		k.line = th.Selection
	}
	return k
}

// blankLine reports whether a line differs from the one that it stands beside in
// white space only, when that does not count.
func (v *View) blankLine(c cell) bool {
	switch {
	case !v.lenient || c.l.Kind == diff.Same:
		return false
	case c.joined:
		return sameButBlanks(c.old.Text, c.l.Text)
	}
	old, new, ok := v.pairOf(c.l)
	return ok && sameButBlanks(old.Text, new.Text)
}

// pairOf is a removed or added line with the one of the same edit that stands
// beside it.
func (v *View) pairOf(l diff.Line) (old, new diff.Line, ok bool) {
	edits := v.doc.diff.Edits()
	i := sort.Search(len(edits), func(i int) bool {
		if l.Kind == diff.Removed {
			return edits[i].Old+edits[i].OldLines >= l.Old
		}
		return edits[i].New+edits[i].NewLines >= l.New
	})
	at := l.New - 1 - edits[i].New
	if l.Kind == diff.Removed {
		at = l.Old - 1 - edits[i].Old
	}
	if at >= min(edits[i].OldLines, edits[i].NewLines) {
		return old, new, false
	}
	old, new = v.doc.diff.Split(edits[i].Split() + at)
	return old, new, true
}

// languageStyles are the colours of languages but those that mean something else
// here: of sixteen, code may have that of what was added.
func languageStyles(th *theme.Theme) *syntax.Styles {
	styles := syntax.NewStyles(th)
	for i, on := range styles {
		if th.Colors == theme.Sixteen && (on == th.AddedLine.On || on == th.RemovedLine.On || on == th.MovedLine.On) {
			styles[i] = ""
		}
	}
	return styles
}

// lexer gives the lines of a frame their colours. It knows the state that the line
// after the last one begins in, on each side.
type lexer struct {
	next  [2]int
	state [2]syntax.State
	buf   []text.Span
}

// spans are the colours of a cell's language.
func (x *lexer) spans(v *View, c *cell) []text.Span {
	d := v.doc
	side, i, line := 1, c.l.New-1, d.newLine
	if c.left {
		side, i, line = 0, c.l.Old-1, d.oldLine
	}
	if d.lang == syntax.Plain || i < 0 {
		return nil
	}
	st := x.state[side]
	if x.next[side] != i || i == 0 {
		st = d.starts[side].At(i, line)
	}
	s := line(i)
	x.buf, st = v.styles.Spans(x.buf[:0], d.lang, s, st)
	x.next[side], x.state[side] = i+1, st
	if c.pieces != nil {
		return v.carry(nil, x.buf, c.pieces)
	}
	for k := range x.buf { // what is drawn of a long line may be less
		x.buf[k].From, x.buf[k].To = min(x.buf[k].From, len(c.s)), min(x.buf[k].To, len(c.s))
	}
	return x.buf
}

// changed are the words of a cell that changed.
func (v *View) changed(c *cell, k ink) []text.Span {
	if c.joined {
		return c.marks
	}
	if c.moved || c.l.Kind == diff.Same {
		return nil
	}
	var spans []text.Span
	for _, w := range v.doc.diff.Words(c.l) {
		if w.Start < len(c.s) {
			spans = append(spans, text.Span{From: w.Start, To: min(w.End, len(c.s)), On: k.word.On})
		}
	}
	return spans
}
