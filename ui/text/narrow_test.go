package text

import (
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

func TestNarrow_IsOneColumnInEveryTerminal(t *testing.T) {
	known := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		s := string(r)
		n := Narrow(s)
		if n == 0 {
			continue
		}
		known++
		if n != len(s) || unicode.IsControl(r) {
			t.Fatalf("%U is %d bytes of %d", r, n, len(s))
		}
		for _, m := range []ansi.Method{ansi.WcWidth, ansi.GraphemeWidth} {
			for _, after := range []string{"", "a", "─", "é"} {
				if got, cols := ansi.FirstGraphemeCluster(s+after, m); got != s || cols != 1 {
					t.Fatalf("%U before %q is %q in %d columns", r, after, got, cols)
				}
			}
		}
	}
	if known < 2000 {
		t.Fatalf("only %d characters are known", known)
	}
}

func TestNarrow_ExcludesJoiningCharacters(t *testing.T) {
	for _, s := range []string{"", "\t", "\x1b[m", "\x7f", "\u00a0", "\u00ad", "記", "👩", "\xff", "e\u0301", "─\u0301", "↔\ufe0f", "▶\u200d", "1\ufe0f\u20e3", "a\xff", "\u0301"} {
		if n := Narrow(s); n != 0 {
			t.Errorf("%q is said to be %d bytes in one column", s, n)
		}
	}
}

// Terminals that add up code points draw a vowel sign in a column of its own.
func TestCluster_HasRoomForTheMarksOfALetter(t *testing.T) {
	for s, want := range map[string]int{"हि": 2, "क्षि": 3, "กำ": 2, "e\u0301": 1, "א\u05b0": 1, "記": 2, "👨‍👩‍👧‍👦": 2, "🇩🇪": 2, "❤️": 2, "1\ufe0f\u20e3": 2} {
		if got, cols := Cluster(s + " end"); got != s || cols != want {
			t.Errorf("%q begins with %q in %d columns, want %d", s, got, cols, want)
		}
	}
}
