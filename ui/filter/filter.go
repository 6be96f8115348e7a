// Package filter reads what people type to filter a list: letters, and words that
// begin with the name of a field ("by:claude since:2d").
package filter

import (
	"slices"
	"strings"
	"time"
)

// Word is one word of a filter.
type Word struct {
	Field string // "by" of "by:claude"; empty for letters
	Value string // in lower case
	Typed string // as it was typed
	Not   bool   // a ! stood before it: it must not hold
}

// Split takes a filter apart, as one types it: a field without a value is none yet,
// and so is a ! alone. fields are those that there are: "by:". What looks like
// another one is letters.
func Split(s string, fields []string) (out []Word) {
	for _, w := range strings.Fields(s) {
		w, not := strings.CutPrefix(w, inverse)
		name, value, ok := strings.Cut(w, ":")
		if !ok || !slices.Contains(fields, name+":") {
			name, value = "", w
		}
		if value != "" {
			out = append(out, Word{name, strings.ToLower(value), value, not})
		}
	}
	return out
}

// inverse before a word turns it round.
const inverse = "!"

// Span is the time that a word names, from its first moment to its last.
func Span(s string, now time.Time) (from, to time.Time, ok bool) {
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	last := func(from, next time.Time) (time.Time, time.Time, bool) {
		return from, next.Add(-time.Microsecond), true
	}
	switch strings.ToLower(s) {
	case "today":
		return last(day, day.AddDate(0, 0, 1))
	case "yesterday":
		return last(day.AddDate(0, 0, -1), day)
	}
	for _, l := range []struct {
		layout              string
		years, months, days int
	}{{"2006-01-02", 0, 0, 1}, {"2006-01", 0, 1, 0}, {"2006", 1, 0, 0}} {
		if t, err := time.ParseInLocation(l.layout, s, now.Location()); err == nil {
			return last(t, t.AddDate(l.years, l.months, l.days))
		}
	}
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05", time.RFC3339} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, t, true
		}
	}
	t, ok := back(s, now)
	return t, t, ok
}

// back is the moment a span before now: 30m, 3h, 2d, 1w.
func back(s string, now time.Time) (time.Time, bool) {
	n, i := 0, 0
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9' && n < 100_000; i++ {
		n = n*10 + int(s[i]-'0')
	}
	if i == 0 || now.IsZero() {
		return time.Time{}, false
	}
	switch s[i:] {
	case "m":
		return now.Add(-time.Duration(n) * time.Minute), true
	case "h":
		return now.Add(-time.Duration(n) * time.Hour), true
	case "d":
		return now.AddDate(0, 0, -n), true
	case "w":
		return now.AddDate(0, 0, -7*n), true
	}
	return time.Time{}, false
}

// Starting are the words that begin with some letters, in whatever case.
func Starting(words []string, with string) []string {
	var out []string
	for _, w := range words {
		if strings.HasPrefix(strings.ToLower(w), strings.ToLower(with)) {
			out = append(out, w)
		}
	}
	return out
}

// LastWord is what is being typed: the word after the last blank.
func LastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

// WrongTime says what a time can be.
const WrongTime = "takes 2d, 3h, today, 2026-03 or 2026-03-01"
