package theme

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestSigns_AreASCIIWhereverLinesAre(t *testing.T) {
	for _, all := range []map[rune]rune{substitutes, lineSigns} {
		for sign, in := range all {
			if in <= ' ' || in > '~' || ansi.StringWidth(string(sign)) != 1 {
				t.Errorf("%c, %d columns, is drawn as %q", sign, ansi.StringWidth(string(sign)), in)
			}
		}
	}
	th := New(true, Many)
	ascii := th.WithLines(ASCII)
	for _, r := range roles(ascii, palette{}) {
		if !r.style.ASCII {
			t.Errorf("%s has signs of its own", r.name)
		}
	}
	const text = "é a → b · ✓ │…"
	if got := ascii.Dim.Signs(text); got != "é a > b - + |." {
		t.Errorf("drawn is %q", got)
	}
	if got := ascii.WithLines(Drawn).Dim.Signs(text); got != text || th.Dim.ASCII {
		t.Errorf("with drawn lines %q", got)
	}
}
