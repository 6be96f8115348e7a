// Package units reads the times, spans and sizes that people type: on the command line, in
// the filters of lists, where the time line asks for a moment. It has no clock: who calls
// says what time it is, and where.
package units

import (
	"strconv"
	"strings"
	"time"
)

// Times says what Span reads.
const Times = `2d, 3h, 10:30, yesterday, 2026-03, 2026-03-01 or "2026-03-01 15:04"`

// Span is the time that a text names, from its first moment to its last: a day, a month or
// a year is all of it, any other time is one moment. It reads today, yesterday, 2026-03-01,
// 2026-03, 2026, RFC 3339, 2026-03-01 15:04, a time of day (the last one there was), yesterday
// 10:30, and an Age before now.
func Span(s string, now time.Time) (from, to time.Time, ok bool) {
	s = strings.TrimSpace(s)
	if now.IsZero() {
		return from, to, false
	}
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	word, rest, more := strings.Cut(s, " ")
	named := map[string]time.Time{"today": day, "yesterday": day.AddDate(0, 0, -1)}
	switch at, known := named[strings.ToLower(word)]; {
	case known && more:
		t, ok := clock(rest, at)
		return t, t, ok
	case known:
		return at, last(at.AddDate(0, 0, 1)), true
	}
	for _, l := range []struct {
		layout              string
		years, months, days int
	}{{"2006-01-02", 0, 0, 1}, {"2006-01", 0, 1, 0}, {"2006", 1, 0, 0}} {
		if t, err := time.ParseInLocation(l.layout, s, now.Location()); err == nil {
			return t, last(t.AddDate(l.years, l.months, l.days)), true
		}
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02 15:04:05"} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, t, true
		}
	}
	if t, ok := clock(s, day); ok {
		if t.After(now) {
			t, _ = clock(s, day.AddDate(0, 0, -1))
		}
		return t, t, true
	}
	age, ok := ParseAge(s)
	t := age.Before(now)
	return t, t, ok
}

// last is the last moment before the next: times are kept in microseconds.
func last(next time.Time) time.Time { return next.Add(-time.Microsecond) }

// clock is a time of a day.
func clock(s string, day time.Time) (time.Time, bool) {
	for _, layout := range []string{"15:04", "15:04:05"} {
		if t, err := time.ParseInLocation(layout, s, day.Location()); err == nil {
			return time.Date(day.Year(), day.Month(), day.Day(), t.Hour(), t.Minute(), t.Second(), 0, day.Location()), true
		}
	}
	return time.Time{}, false
}

// Age is how long ago something was. Days, months and years are those of the calendar.
type Age struct {
	Years, Months, Days int
	Rest                time.Duration
}

// ParseAge reads 90m, 12h, 3d, 2w, 6mo, 1y, and several of them: 1d12h.
func ParseAge(s string) (a Age, ok bool) {
	for ; s != ""; ok = true {
		num := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
		s = s[len(num):]
		unit := s[:len(s)-len(strings.TrimLeft(s, "abcdefghijklmnopqrstuvwxyzµ"))]
		s = s[len(unit):]
		n, err := strconv.Atoi(num)
		if err != nil || n > 100_000 {
			return Age{}, false
		}
		switch unit {
		case "y":
			a.Years += n
		case "mo":
			a.Months += n
		case "w":
			a.Days += 7 * n
		case "d":
			a.Days += n
		default:
			d, err := time.ParseDuration(num + unit)
			if err != nil {
				return Age{}, false
			}
			a.Rest += d
		}
	}
	return a, ok
}

// Before is the moment that is so long before another.
func (a Age) Before(t time.Time) time.Time {
	return t.AddDate(-a.Years, -a.Months, -a.Days).Add(-a.Rest)
}

// Duration is an age in days of 24 hours, a month of 30 and a year of 365.
func (a Age) Duration() time.Duration {
	return time.Duration(365*a.Years+30*a.Months+a.Days)*24*time.Hour + a.Rest
}

// ParseSize reads a number of bytes or of anything else: 800, 10k, 2M, 1G; a k is 1024. A
// B or iB after it changes nothing.
func ParseSize(s string) (int64, bool) {
	num := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
	shift, ok := map[string]int{"": 0, "b": 0, "k": 10, "kb": 10, "kib": 10, "m": 20, "mb": 20, "mib": 20, "g": 30, "gb": 30, "gib": 30}[strings.ToLower(s[len(num):])]
	n, err := strconv.ParseUint(num, 10, 31)
	return int64(n) << shift, ok && err == nil
}
