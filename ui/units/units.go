// Package units parses the times, spans and sizes that people type: on the command line, in
// the filters of lists, in the timeline. It also formats sizes. It has no clock: callers
// pass the current time with its location.
package units

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Times describes what Span accepts.
const Times = `2d, 3h, 10:30, yesterday, 2026-03, 2026-03-01 or "2026-03-01 15:04"`

// Span returns the first and the last moment of the time that a text names: a day, a month
// or a year is all of it, any other time is one moment. It accepts today, yesterday,
// 2026-03-01, 2026-03, 2026, RFC 3339, 2026-03-01 15:04, a time of day (its latest
// occurrence), yesterday 10:30, and an Age before now.
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

// last returns the last moment before next: times have microseconds.
func last(next time.Time) time.Time { return next.Add(-time.Microsecond) }

// clock parses a time of day.
func clock(s string, day time.Time) (time.Time, bool) {
	for _, layout := range []string{"15:04", "15:04:05"} {
		if t, err := time.ParseInLocation(layout, s, day.Location()); err == nil {
			return time.Date(day.Year(), day.Month(), day.Day(), t.Hour(), t.Minute(), t.Second(), 0, day.Location()), true
		}
	}
	return time.Time{}, false
}

// Age is a duration before now. Days, months and years are those of the calendar.
type Age struct {
	Years, Months, Days int
	Rest                time.Duration
}

// ParseAge parses 90m, 12h, 3d, 2w, 6mo, 1y, and combinations: 1d12h.
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

// Before returns the moment an age before t.
func (a Age) Before(t time.Time) time.Time {
	return t.AddDate(-a.Years, -a.Months, -a.Days).Add(-a.Rest)
}

// Duration converts an age with days of 24 hours, months of 30 days and years of 365.
func (a Age) Duration() time.Duration {
	return time.Duration(365*a.Years+30*a.Months+a.Days)*24*time.Hour + a.Rest
}

// ParseSize parses a number of bytes or of other things: 800, 10k, 2M, 1G; a k is 1024. A B
// or iB after it is ignored.
func ParseSize(s string) (int64, bool) {
	num := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
	shift, ok := map[string]int{"": 0, "b": 0, "k": 10, "kb": 10, "kib": 10, "m": 20, "mb": 20, "mib": 20, "g": 30, "gb": 30, "gib": 30}[strings.ToLower(s[len(num):])]
	n, err := strconv.ParseUint(num, 10, 31)
	return int64(n) << shift, ok && err == nil
}

// Bytes writes a number of bytes in a few characters: 800 B, 1.2 MB. A k is 1000.
func Bytes(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n)/1000, 0
	for f >= 999.5 && unit < len(sizeUnits)-1 {
		f /= 1000
		unit++
	}
	if f < 9.95 {
		return fmt.Sprintf("%.1f %s", f, sizeUnits[unit])
	}
	return fmt.Sprintf("%.0f %s", f, sizeUnits[unit])
}

var sizeUnits = []string{"kB", "MB", "GB", "TB"}
