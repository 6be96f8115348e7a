package draw

import (
	"testing"
	"time"

	"github.com/memend/memend/versions"
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

func TestActor_NamesKeysWithoutWhatAllOfThemBeginWith(t *testing.T) {
	for name, want := range map[string]string{"apikey_ou4byqks": "key ou4byqks", "apikey_": "apikey_", "apikey_local": "key local", "robot": "robot"} {
		if got := Actor(versions.Actor{Kind: versions.APIKey, Name: name}); got != want {
			t.Errorf("%s is called %q, not %q", name, got, want)
		}
	}
	who := versions.Actor{Kind: versions.Agent, Name: "apikey_x"}
	if got := Actor(who); got != "apikey_x" {
		t.Errorf("an agent is called %q", got)
	}
	if got := ActorInferred(who, true); got != "≈apikey_x" {
		t.Errorf("inferred: %q", got)
	}
}

func TestTokens_HaveAUnitThatFits(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0", 3999: "999", 4000: "1.0k", 4 * 999_949: "999.9k", 4 * 999_950: "1.0M", 100_000_000: "25.0M"} {
		if got := Tokens(bytes); got != want {
			t.Errorf("%d bytes: %q, want %q", bytes, got, want)
		}
	}
}

func TestHowFar_CountsOneAndMany(t *testing.T) {
	for want, p := range map[string]versions.Progress{
		"12 of 300 memories sent": {Done: 12, Total: 300, Of: versions.MemoriesSent},
		"0 of 1 memory sent":      {Total: 1, Of: versions.MemoriesSent},
		"120 versions found":      {Done: 120, Of: versions.VersionsFound},
		"1 version found":         {Done: 1, Of: versions.VersionsFound},
		"1 of 9 versions read":    {Done: 1, Total: 9, Of: versions.VersionsRead},
	} {
		if got := HowFar(p); got != want {
			t.Errorf("%+v is written %q, want %q", p, got, want)
		}
	}
}

func TestAgentsAreFoundByTitleAndByName(t *testing.T) {
	claude := versions.Actor{Kind: versions.Agent, Name: "claude-code 2.1.330"}
	if got := Signed(claude); got != "◇ Claude Code 2.1.330" {
		t.Errorf("shown as %q", got)
	}
	for word, want := range map[string]bool{"claudecode2": true, "claude-code": true, "code": true, "codex": false} {
		if Called(claude, word) != want {
			t.Errorf("%q finds it: %v", word, !want)
		}
	}
	if person := (versions.Actor{Kind: versions.Person, Name: "codex"}); Actor(person) != "codex" {
		t.Errorf("a person is shown as %q", Actor(person))
	}
}
