package theme

import "strings"

// substitutes replace signs that a font or a screen reader may lack, column for column.
var substitutes = map[rune]rune{
	'·': '-', '…': '.', '→': '>', '←': '<', '↑': '^', '↓': 'v', '“': '"', '”': '"', '−': '-', '–': '-', '≈': '~', '×': 'x', '±': '&', '∅': '0',
	'›': '>', '‹': '<', '»': '>', '▸': '>', '▾': 'v', '▶': '>', '▼': 'v', '▲': '^', '↪': '>', '⋯': ':',
	'✓': '+', '✗': 'x', '●': '@', '◇': '%', '◆': '^', '○': 'o', '◌': '.', '•': '.', '◦': '.', '▪': '.', '☑': 'x', '☐': '.',
	'▌': '|', '▎': '|', '▏': '|', '▕': '|', '▍': '|', '▔': '=',
	'█': '#', '▇': '#', '▆': '=', '▅': '=', '▄': '-', '▃': ':', '▂': '.', '▁': '.', '░': '.', '═': '=',
}

// CutSign marks where a text is cut.
const CutSign = "…"

// Cut returns CutSign as the style draws it.
func (s Style) Cut() string {
	if s.ASCII {
		return "~"
	}
	return CutSign
}

// Signs returns a text of the program as the style draws it. Names in it, such as those of
// memories, get the same replacements; the text of memories is never changed.
func (s Style) Signs(text string) string {
	if !s.ASCII {
		return text
	}
	return strings.Map(func(r rune) rune {
		if in, ok := substitutes[r]; ok {
			return in
		}
		if across, ok := lineSigns[r]; ok {
			return across
		}
		return r
	}, text)
}

// lineSigns are the characters of lines, and their replacements.
var lineSigns = func() map[rune]rune {
	all := map[rune]rune{'┄': '-', '┌': '+', '└': '+', '┐': '+', '┘': '+', '┴': '+'}
	drawn, ascii := Drawn.list(), ASCII.list()
	for i, s := range drawn {
		all[[]rune(s)[0]] = []rune(ascii[i])[0]
	}
	return all
}()
