package cli

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestCommandsReadTheClockOfTheirProgram(t *testing.T) {
	t.Parallel()
	home, folder := t.TempDir(), t.TempDir()
	now := time.Date(2041, 3, 1, 12, 0, 0, 0, time.UTC)
	run := func(at time.Time, in string, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		p := newProgram(console{in: strings.NewReader(in), out: bufio.NewWriter(&out), err: &out, now: func() time.Time { return at }})
		runIn(t, p, home, folder, args...)
		return out.String()
	}
	for _, name := range []string{"a.md", "b.md", "c.md"} {
		run(now, "text\n", "write", name)
	}
	if got := run(now, "", "log", "--json"); !strings.Contains(got, `"2041-03-01T`) {
		t.Errorf("a change has another time: %s", got)
	}
	run(now, "", "rm", "a.md", "b.md", "c.md", "--actor", "agent:bot")
	const lost = `"mass_deletions"`
	if got := run(now, "", "status", "--json"); !strings.Contains(got, lost) {
		t.Errorf("status doesn't report a mass deletion: %s", got)
	}
	if got := run(now.AddDate(0, 0, 8), "", "status", "--json"); strings.Contains(got, lost) {
		t.Errorf("status reports a mass deletion of the week before: %s", got)
	}
}
