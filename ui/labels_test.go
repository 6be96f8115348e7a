package ui

import (
	"testing"
	"time"
)

func TestLabels_FitTheirColumns(t *testing.T) {
	for n, want := range map[int64]string{0: "0B", 999: "999B", 1000: "1.0K", 1023: "1.0K", 10_239: "10K", 1_022_975: "999K", 1_023_500: "1.0M", 104_857_600: "100M"} {
		if got := bytesLabel(n); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
	for n := int64(1); n > 0 && n < 1<<60; n += n/8 + 1 {
		if len(bytesLabel(n)) > sizeCols {
			t.Fatalf("%d bytes are %q", n, bytesLabel(n))
		}
	}
	for d := time.Duration(0); d < 40*365*24*time.Hour; d += d/8 + time.Second {
		if got := age(clock, clock.Add(-d)); got == "" || len(got) > ageCols {
			t.Fatalf("%v ago is %q", d, got)
		}
	}
	if age(clock, time.Time{}) != "" {
		t.Error("a time that is not known has an age")
	}
}
