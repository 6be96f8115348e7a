package talk

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/text"
)

func TestInlineDiff_HighlightsTheQuery(t *testing.T) {
	t.Parallel()
	th := theme.New(true, theme.Many)
	d := compare([]byte("one\nthe limit is 50 euros\n"), []byte("one\nthe limit is 500 pounds\n"))
	query := find{text: "500 po"}
	rows := ""
	for i := range d.rows {
		rows += string(d.append(nil, i, 60, open, th, func(dst []text.Span, s string) []text.Span { return query.hits(dst, s, th.Match.On, 0) }))
	}
	if n := strings.Count(rows, th.Match.On+"500 po"); n != 1 {
		t.Errorf("it is lit %d times in %q", n, rows)
	}
}

func TestHits_OverrideChangedWords(t *testing.T) {
	t.Parallel()
	word := func(from, to int) text.Span { return text.Span{From: from, To: to, On: "w"} }
	hit := func(from, to int) text.Span { return text.Span{From: from, To: to, On: "h"} }
	for _, c := range []struct{ words, hits, want []text.Span }{
		{nil, nil, nil},
		{[]text.Span{word(2, 4)}, nil, []text.Span{word(2, 4)}},
		{[]text.Span{word(2, 4)}, []text.Span{hit(6, 8)}, []text.Span{word(2, 4), hit(6, 8)}},
		{[]text.Span{word(2, 9)}, []text.Span{hit(4, 6)}, []text.Span{word(2, 4), hit(4, 6), word(6, 9)}},
		{[]text.Span{word(2, 4), word(6, 8)}, []text.Span{hit(3, 7)}, []text.Span{word(2, 3), hit(3, 7), word(7, 8)}},
		{[]text.Span{word(2, 4)}, []text.Span{hit(0, 2), hit(2, 4)}, []text.Span{hit(0, 2), hit(2, 4)}},
	} {
		if got := mergeSpans(c.words, c.hits); !slices.Equal(got, c.want) {
			t.Errorf("%v on %v is %v, want %v", c.hits, c.words, got, c.want)
		}
	}
}

// An edit far in a long line is in the few rows that are shown of a diff.
func TestInlineDiff_BeginsAtTheDifference(t *testing.T) {
	line := strings.Repeat("wörds that are the same ", 4000)
	d := compare([]byte(line+"needs review "+line+"\n"), []byte(line+"without review "+line+"\n"))
	for i, want := range []string{"needs", "without"} {
		r := d.rows[i]
		at := strings.Index(r.text, want)
		if at < 0 || at > maxLead || !strings.HasPrefix(r.text, "…") || !strings.HasSuffix(r.text, "…") || len(r.text) > lineBytes+10 {
			t.Fatalf("%q is at %d of %d bytes: %.60q", want, at, len(r.text), r.text)
		}
		if len(r.spans) != 1 || r.text[r.spans[0].Start:r.spans[0].End] != want {
			t.Errorf("marked are %v in %.300q", r.spans, r.text)
		}
	}
}

// A long line is cut between characters.
func TestCompare_CutsLongLinesBetweenCharacters(t *testing.T) {
	t.Parallel()
	for _, line := range []string{strings.Repeat("佐", lineBytes), "x" + strings.Repeat("佐", lineBytes), strings.Repeat("é", lineBytes)} {
		if got := compare(nil, []byte(line)).rows[0].text; !utf8.ValidString(got) || !strings.HasSuffix(got, "…") {
			t.Errorf("the row ends with %q", got[len(got)-8:])
		}
	}
}
