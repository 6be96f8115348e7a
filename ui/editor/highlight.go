package editor

import (
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/ui/text"
)

// highlighter holds the lexer states of the lines up to the last one shown. After an edit only
// the lines from there on are lexed again, and only those that are shown.
type highlighter struct {
	language syntax.Language
	styles   *syntax.Styles
	of       *buffer
	states   []syntax.State // of the first lines of that text
}

// lex computes the states of a text up to a line.
func (h *highlighter) lex(b *buffer, last int) {
	if h.language == syntax.Plain {
		return
	}
	if len(h.states) == 0 {
		h.states, h.of = append(h.states, syntax.Body), b
	}
	if h.of != b {
		k := 0
		for k < min(len(h.states)-1, len(b.lines)-1) && h.of.lines[k] == b.lines[k] {
			k++
		}
		h.states, h.of = h.states[:k+1], b
	}
	for k := len(h.states) - 1; k < min(last, len(b.lines)-1); k++ {
		line := b.lineText(k)
		h.states = append(h.states, h.language.Next(line[:min(len(line), longLine)], h.states[k]))
	}
}

// colours returns the styles of line k, which is s, unless it is long.
func (h *highlighter) colours(k int, s string) []text.Span {
	if h.language == syntax.Plain || k >= len(h.states) || len(s) > longLine {
		return nil
	}
	spans, _ := h.styles.Spans(nil, h.language, s, h.states[k])
	return spans
}
