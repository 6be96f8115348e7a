package units

import (
	"testing"
	"time"
)

func TestSpan_ParsesTimes(t *testing.T) {
	zone := time.FixedZone("here", 2*3600)
	now := time.Date(2026, 3, 14, 15, 0, 0, 0, zone)
	at := func(y int, m time.Month, d, h, minute int) time.Time {
		return time.Date(y, m, d, h, minute, 0, 0, zone)
	}
	day := func(y int, m time.Month, d int) time.Time { return at(y, m, d, 0, 0) }
	for text, want := range map[string][2]time.Time{
		"today":                {day(2026, 3, 14), last(day(2026, 3, 15))},
		"Yesterday":            {day(2026, 3, 13), last(day(2026, 3, 14))},
		"yesterday 10:30":      {at(2026, 3, 13, 10, 30), at(2026, 3, 13, 10, 30)},
		"today 16:00":          {at(2026, 3, 14, 16, 0), at(2026, 3, 14, 16, 0)},
		"10:30":                {at(2026, 3, 14, 10, 30), at(2026, 3, 14, 10, 30)},
		"16:00":                {at(2026, 3, 13, 16, 0), at(2026, 3, 13, 16, 0)}, // the latest occurrence
		"2026-03-01":           {day(2026, 3, 1), last(day(2026, 3, 2))},
		"2026-02":              {day(2026, 2, 1), last(day(2026, 3, 1))},
		"2025":                 {day(2025, 1, 1), last(day(2026, 1, 1))},
		"2026-03-01 15:04":     {at(2026, 3, 1, 15, 4), at(2026, 3, 1, 15, 4)},
		"2026-03-01T15:04":     {at(2026, 3, 1, 15, 4), at(2026, 3, 1, 15, 4)},
		"2026-03-01T13:04:00Z": {at(2026, 3, 1, 15, 4), at(2026, 3, 1, 15, 4)},
		"3h":                   {now.Add(-3 * time.Hour), now.Add(-3 * time.Hour)},
		"1h30m":                {now.Add(-90 * time.Minute), now.Add(-90 * time.Minute)},
		"2w":                   {day(2026, 2, 28).Add(15 * time.Hour), day(2026, 2, 28).Add(15 * time.Hour)},
		"1mo":                  {at(2026, 2, 14, 15, 0), at(2026, 2, 14, 15, 0)},
		"1y":                   {at(2025, 3, 14, 15, 0), at(2025, 3, 14, 15, 0)},
	} {
		from, to, ok := Span(text, now)
		if !ok || !from.Equal(want[0]) || !to.Equal(want[1]) {
			t.Errorf("%s is from %v to %v, %v", text, from, to, ok)
		}
	}
	for _, text := range []string{"", " ", "soon", "3q", "d", "-1d", "2026-13", "25:00", "tomorrow", "yesterday noon", "999999999999999999d", "1d2"} {
		if from, _, ok := Span(text, now); ok {
			t.Errorf("%q is %v", text, from)
		}
	}
	if _, _, ok := Span("2d", time.Time{}); ok {
		t.Error("without a clock there is a time")
	}
}

func TestParseSize_KnowsItsUnits(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "800": 800, "800B": 800, "100k": 102400, "100 k": -1, "2M": 2 << 20, "2MiB": 2 << 20, "1gb": 1 << 30, "k": -1, "": -1, "-1": -1, "1t": -1, "1.5k": -1, "99999999999": -1} {
		if n, ok := ParseSize(text); ok != (want >= 0) || ok && n != want {
			t.Errorf("%q is %d, %v", text, n, ok)
		}
	}
}
