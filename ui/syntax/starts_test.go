package syntax

import (
	"fmt"
	"strings"
	"testing"
)

func TestStarts_HaveTheStateOfEveryLine(t *testing.T) {
	lines := []string{"---", "a: 1", "---", "# text", ""}
	for i := range 20_000 {
		switch {
		case i%97 == 5:
			lines = append(lines, "```")
		default:
			lines = append(lines, fmt.Sprint("# line ", i))
		}
	}
	line := func(i int) string { return lines[i] }
	for _, l := range []Language{Plain, Markdown, JSON, YAML} {
		s := l.Starts(len(lines), line, func() bool { return false })
		st := State(0)
		for i, text := range lines {
			if got := s.At(i, line); got != st {
				t.Fatalf("language %d: line %d begins in %d, want %d", l, i, got, st)
			}
			_, st = l.Line(nil, text, st)
		}
	}
	late := Markdown.Starts(len(lines), line, func() bool { return true })
	if got := late.At(1, line); got != frontMatter {
		t.Errorf("what was read in time begins in %d", got)
	}
	if got := late.At(19_000, line); got != Body {
		t.Errorf("what was not begins in %d", got)
	}
}

func TestStarts_ScanFewLines(t *testing.T) {
	n := 0
	line := func(int) string { n++; return strings.Repeat("x", 10) }
	s := Markdown.Starts(100_000, line, func() bool { return false })
	n = 0
	s.At(99_999, line)
	if n >= startEvery {
		t.Errorf("%d lines were read for the state of one", n)
	}
}
