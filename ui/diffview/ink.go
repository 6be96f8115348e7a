package diffview

import (
	"sort"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/diff"
)

// ink holds the styles of a cell.
type ink struct {
	sign             string
	mark, line, word theme.Style // the sign, the line, the changed words
	plain            bool        // without the colours of its language
}

// inkOf returns the ink of a cell; one that differs only in white space is dimmed, if white
// space is ignored.
func (v *View) inkOf(c *cell, at marking) ink {
	th := v.theme
	k := ink{sign: " "}
	switch c.l.Kind {
	case diff.Removed:
		k = ink{sign: "-", mark: th.Removed, line: th.RemovedLine, word: th.RemovedWord}
	case diff.Added:
		k = ink{sign: "+", mark: th.Added, line: th.AddedLine, word: th.AddedWord}
	}
	// Without tints, the colour of the text marks the line.
	k.plain = k.line.On != "" && th.Colors != theme.Many && th.Colors != theme.Some
	if v.lenient && v.blankLine(*c) {
		k.mark, k.line, k.word, k.plain = th.Dim, th.Dim, th.Dim, true
	}
	if at.selected {
		k.line = th.Selection
	}
	return k
}

// blankLine reports whether a line differs from the one beside it only in white space, and
// white space is ignored.
func (v *View) blankLine(c cell) bool {
	if !v.lenient || c.l.Kind == diff.Same {
		return false
	}
	old, new, ok := v.pairOf(c.l)
	return ok && diff.SameButBlanks(old.Text, new.Text)
}

// pairOf returns a removed or added line with the line of the same edit beside it.
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

// languageStyles returns the colours of languages without those that have a meaning in a
// diff: among sixteen, code may have the colour of added lines.
func languageStyles(th *theme.Theme) *syntax.Styles {
	styles := syntax.NewStyles(th)
	for i, on := range styles {
		if th.Colors == theme.Sixteen && (on == th.AddedLine.On || on == th.RemovedLine.On) {
			styles[i] = ""
		}
	}
	return styles
}

// lexer colours the lines of a frame. It holds the state after the last line on each side.
type lexer struct {
	next  [2]int
	state [2]syntax.State
	buf   []text.Span
}

// spans returns the colours of a cell's language.
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
	return c.inText(x.buf)
}

// changed returns the changed words of a cell, and the notes about what is left out.
func (v *View) changed(c *cell, k ink) []text.Span {
	var spans []text.Span
	for _, w := range v.doc.diff.Words(c.l) {
		spans = append(spans, text.Span{From: w.Start, To: w.End, On: k.word.On})
	}
	spans = c.inText(spans)
	if len(c.cuts) == 0 {
		return spans
	}
	for _, s := range c.cuts {
		s.On = v.theme.Hunk.On
		spans = append(spans, s)
	}
	sort.Slice(spans, func(i, k int) bool { return spans[i].From < spans[k].From })
	return spans
}
