package theme

import "strings"

// standIns stand for signs of ours where the terminal's font or a screen reader has
// none of them, column for column.
var standIns = map[rune]rune{
	'·': '-', '…': '.', '→': '>', '←': '<', '↑': '^', '↓': 'v', '“': '"', '”': '"', '−': '-', '–': '-', '≈': '~', '×': 'x', '±': '&', '∅': '0',
	'›': '>', '‹': '<', '»': '>', '▸': '>', '▾': 'v', '▶': '>', '▼': 'v', '▲': '^', '↪': '>', '⋯': ':',
	'✓': '+', '✗': 'x', '●': '@', '◇': '%', '◆': '^', '○': 'o', '◌': '.', '•': '.', '◦': '.', '▪': '.', '☑': 'x', '☐': '.',
	'▌': '|', '▎': '|', '▏': '|', '▕': '|', '▍': '|', '▔': '=',
	'█': '#', '▇': '#', '▆': '=', '▅': '=', '▄': '-', '▃': ':', '▂': '.', '▁': '.', '░': '.', '═': '=',
}

// CutSign ends or begins a text of which something is left out.
const CutSign = "…"

// Cut is that sign as the style draws it.
func (s Style) Cut() string {
	if s.ASCII {
		return "~"
	}
	return CutSign
}

// Signs is a text of ours as the style draws it. A name in it, of a memory say, has the
// same stand-ins; the text of memories is never changed.
func (s Style) Signs(text string) string {
	if !s.ASCII {
		return text
	}
	return strings.Map(func(r rune) rune {
		if in, ok := standIns[r]; ok {
			return in
		}
		if across, ok := lineSigns[r]; ok {
			return across
		}
		return r
	}, text)
}

// lineSigns are the characters that lines are drawn with, and what stands for them.
var lineSigns = func() map[rune]rune {
	all := map[rune]rune{'┄': '-', '┌': '+', '└': '+', '┐': '+', '┘': '+', '┴': '+'}
	drawn, ascii := Drawn.list(), ASCII.list()
	for i, s := range drawn {
		all[[]rune(s)[0]] = []rune(ascii[i])[0]
	}
	return all
}()
