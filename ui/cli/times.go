package cli

import (
	"fmt"
	"time"

	"github.com/memend/memend/ui/units"
)

// parseTime returns the first and the last moment of the time that a text names, or zero
// times for an empty text. what is the flag with that value.
func parseTime(what, s string, now time.Time) (from, to time.Time, err error) {
	if s == "" {
		return from, to, nil
	}
	from, to, ok := units.Span(s, now.Local())
	if !ok {
		return from, to, fmt.Errorf("%s %s: not a time; write %s", what, s, units.Times)
	}
	return from, to, nil
}

// parseSpan parses 90d or 12h.
func parseSpan(s string) (time.Duration, error) {
	age, ok := units.ParseAge(s)
	if !ok || age.Duration() <= 0 {
		return 0, fmt.Errorf("%q: not a span of time; write 90d, 2w or 12h", s)
	}
	return age.Duration(), nil
}
