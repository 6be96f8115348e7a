package editor

import (
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/ui/text"
)

// highlighter holds the lexer states of the lines up to the last one shown. An edit drops
// those of the lines below it; only lines that are shown are lexed again.
type highlighter struct {
	language syntax.Language
	styles   *syntax.Styles
	states   []syntax.State // of the first lines
}

// SetLanguage sets the language for highlighting.
func (e *Editor) SetLanguage(l syntax.Language) {
	e.light = highlighter{language: l, styles: syntax.NewStyles(e.env.Theme)}
	e.lex()
}

// lex computes the states up to the last visible line.
func (e *Editor) lex() {
	h := &e.light
	if h.language == syntax.Plain {
		return
	}
	if len(h.states) == 0 {
		h.states = append(h.states, 0)
	}
	last := min(e.top.line+e.rows(), len(e.text.lines)-1)
	for k := len(h.states) - 1; k < last; k++ {
		line := e.lineText(k)
		h.states = append(h.states, h.language.Next(line[:min(len(line), longLine)], h.states[k]))
	}
}

// forgetFrom drops the states of the lines below line k.
func (h *highlighter) forgetFrom(k int) { h.states = h.states[:min(len(h.states), k+1)] }

// colours returns the styles of line k, unless it is long.
func (e *Editor) colours(k int, s string) []text.Span {
	h := &e.light
	if h.language == syntax.Plain || k >= len(h.states) || len(s) > longLine {
		return nil
	}
	spans, _ := h.styles.Spans(nil, h.language, s, h.states[k])
	return spans
}
