package cli

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// runIn runs a command of p in the store of a folder.
func runIn(t *testing.T, p *program, home, folder string, args ...string) {
	t.Helper()
	root := rootCommand(p)
	root.SetArgs(append([]string{"--home", filepath.Join(home, "h"), "--store", folder}, args...))
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := p.out.Flush(); err != nil {
		t.Fatal(err)
	}
}

// onTerminal returns what a command prints on a terminal, in a store with one memory.
func onTerminal(t *testing.T, content string, args ...string) string {
	t.Helper()
	home, folder := t.TempDir(), t.TempDir()
	var out bytes.Buffer
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	runIn(t, newProgram(console{in: strings.NewReader("plain\n"), out: bufio.NewWriter(&bytes.Buffer{}), now: time.Now}), home, folder, "write", "näme.md", "--actor", "agent:ro\x1b[2Jbot")
	if err := os.WriteFile(filepath.Join(folder, "näme.md"), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	runIn(t, newProgram(console{out: bufio.NewWriter(&out), now: time.Now, terminal: true}), home, folder, args...)
	return out.String()
}

var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

const hostileText = "plain\n\x1b[2J\x1b]0;title\x07 needle\u202e \x9b31m Né\u0301EDLE needlé\xff\x00 ne\xcdedle\r\nlast needle"

func TestSearch_OnATerminalShowsLinesAndEscapesThem(t *testing.T) {
	for _, args := range [][]string{{"search", "needle"}, {"search", "--history", "needle"}, {"blame", "näme.md"}} {
		got := colour.ReplaceAllString(onTerminal(t, hostileText, args...), "")
		for _, r := range strings.ReplaceAll(got, "\n", "") {
			if memfs.HiddenRune(r) || r == '\r' {
				t.Errorf("%v: %q reaches the terminal in %q", args, r, got)
			}
		}
		if !strings.Contains(got, "last needle\n") {
			t.Errorf("%v: %q", args, got)
		}
	}
}

func TestSearch_OnATerminalHighlightsHits(t *testing.T) {
	match := styles().Match.On
	got := onTerminal(t, "one\n日本 NEEDLE and needle\n", "search", "needle")
	want := []string{"/memories/näme.md\n", "2:日本 NEEDLE and needle\n"}
	if plain := colour.ReplaceAllString(got, ""); plain != strings.Join(want, "") {
		t.Errorf("printed %q", plain)
	}
	for _, highlighted := range []string{match + "NEEDLE\x1b", match + "needle\x1b"} {
		if !strings.Contains(got, highlighted) {
			t.Errorf("%q is not in %q", highlighted, got)
		}
	}
	if got := onTerminal(t, "x", "search", "äm"); !strings.Contains(got, match+"äm\x1b") {
		t.Errorf("in the path: %q", got)
	}
}

func TestBlame_ReadsRangesOfLines(t *testing.T) {
	t.Parallel()
	for s, want := range map[string][2]int{"": {1, 0}, "10,20": {10, 20}, "10": {10, 10}, "10,": {10, 0}, ",20": {1, 20}, "10,+5": {10, 14}, "3,+1": {3, 3}, ",": {1, 0}} {
		from, to, err := lineRange(s)
		if err != nil || [2]int{from, to} != want {
			t.Errorf("%q: %d,%d, %v; want %v", s, from, to, err, want)
		}
	}
	for _, s := range []string{"0", "-1", "x", "5,3", "5,+0", "1,2,3", "5,x"} {
		if from, to, err := lineRange(s); err == nil {
			t.Errorf("%q: %d,%d", s, from, to)
		}
	}
	if n := blameNumber(versions.BlameRun{By: &versions.Version{Number: 6}, Since: 4, Coarse: true}); n != "~@4-6" {
		t.Errorf("number %q", n)
	}
}
