package draw

import (
	"testing"
	"time"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestLabels_FitTheirColumns(t *testing.T) {
	for n, want := range map[int64]string{0: "0B", 999: "999B", 1000: "1.0K", 1023: "1.0K", 10_239: "10K", 1_022_975: "999K", 1_023_500: "1.0M", 104_857_600: "100M"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
	for n := int64(1); n > 0 && n < 1<<60; n += n/8 + 1 {
		if len(Bytes(n)) > 4 {
			t.Fatalf("%d bytes are %q", n, Bytes(n))
		}
	}
	for d := time.Duration(0); d < 40*365*24*time.Hour; d += d/8 + time.Second {
		if got := Age(now, now.Add(-d)); got == "" || len(got) > 4 {
			t.Fatalf("%v ago is %q", d, got)
		}
	}
	if Age(now, time.Time{}) != "" {
		t.Error("a time that is not known has an age")
	}
}

func TestTokens_HaveAUnitThatFits(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0", 3999: "999", 4000: "1.0k", 4 * 999_949: "999.9k", 4 * 999_950: "1.0M", 100_000_000: "25.0M"} {
		if got := Tokens(bytes); got != want {
			t.Errorf("%d bytes: %q, want %q", bytes, got, want)
		}
	}
	for bytes, want := range map[int64]string{4: "≈1 token", 8: "≈2 tokens", 0: "≈0 tokens"} {
		if got := TokenCount(bytes); got != want {
			t.Errorf("%d bytes: %q, want %q", bytes, got, want)
		}
	}
}
