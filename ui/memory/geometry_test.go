package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/versions"
)

const hostile = "---\n\u202ename: \x1b[31mx\n---\n# a\u200b\x1b]0;t\a \u009b31m\n\n\x9b\xff👩‍👩‍👧‍👦 क्षि ❤️ 🇩🇪 日本語日本語日本語日本語日本語 [\u202elink](x\x1b.md) [[\u2066]]\n\n| a | b |\n|---|---|\n| \x1b[2J | \u202e |\n\n\t- \t\tx\n```\n\x1b[0m\n```\n" +
	"https://e.x/\u202e\n"

// states returns the pane in all its states.
func states(t *testing.T) map[string]*sim {
	f := sample()
	f.write("MEMORY.md", hostile+strings.Repeat("- an item of many words, to be wrapped 日本語 somewhere\n", 230))
	f.write("raw.bin", "\x00"+hostile)
	f.write("big.log", numbered(200_000))
	f.write("empty.md", "")
	f.write("ann.md", planted)
	f.write("evil.txt", hostile)
	f.write("line.txt", strings.Repeat("日本 words \x1b\u202e and more, ", 3000))
	f.errors[at("pipe")] = memfs.ErrNotRegular
	hostileActor := versions.Actor{Kind: versions.Agent, Name: "evil\u202e\x1b[31m"}
	v := versions.Version{ID: "memver_1", Memory: "mem_1", Number: 1, Actor: hostileActor, Session: "s\x1b\u202eession-of-some-length", ToolUse: "t\a\nool", Time: clock}
	f.versions[at("MEMORY.md")] = []versions.Version{v}
	f.versions[at("projects/plan.md")] = []versions.Version{v}
	gone := v
	gone.Operation = versions.Deleted
	f.versions[at("gone\u202e.md")] = []versions.Version{gone}
	f.blames["memver_1"] = &versions.Blame{Content: []byte("x\n"), Runs: []versions.BlameRun{{Start: 1, Lines: 1, By: &v}}}
	out := map[string]*sim{}
	for name, play := range map[string]struct{ open, keys, find string }{
		"raw": {"MEMORY.md", "", ""}, "cut": {"MEMORY.md", "2 1 0 G", "item"}, "unwrapped": {"MEMORY.md", "w l", ""},
		"rendered": {"MEMORY.md", "m", "item"}, "rendered end": {"MEMORY.md", "m 2 1 0 G", ""},
		"blame": {"MEMORY.md", "B j", ""}, "rendered blame": {"projects/plan.md", "m B j j", ""}, "selected": {"MEMORY.md", "V j j", "item"},
		"link": {"projects/plan.md", "} }", ""}, "rendered link": {"projects/plan.md", "m }", ""}, "bytes": {"raw.bin", "G", ""},
		"line": {"line.txt", "G", "more"}, "unwrapped line": {"line.txt", "w G", "more"},
		"big": {"big.log", "1 0 0 0 0 0 G", ""}, "empty": {"empty.md", "", ""}, "evil": {"evil.txt", "G", "x"}, "pipe": {"pipe", "", ""}, "findings": {"ann.md", "] f", ""},
		"gone": {"gone\u202e.md", "", ""}, "none": {"", "", ""},
	} {
		s := newSim(t, f, 80, 20)
		if play.open != "" {
			s.open(play.open)
		}
		if play.find != "" {
			s.keys("/")
			s.answers(play.find)
		}
		s.keys(play.keys)
		out[name] = s
	}
	return out
}

func checkView(t *testing.T, what string, s *sim, w, h int) {
	t.Helper()
	view := s.pane.View()
	rows := strings.Split(view, "\n")
	if h > 0 && len(rows) != h {
		t.Fatalf("%s at %dx%d: %d rows", what, w, h, len(rows))
	}
	for y, row := range rows {
		if cols := drawtest.Width(row); cols != w {
			t.Fatalf("%s at %dx%d: row %d has %d columns: %q", what, w, h, y, cols, ansi.Strip(row))
		}
	}
	for _, r := range ansi.Strip(view) {
		if r != '\n' && r != '\u200d' && r != '\ufe0f' && (r < 0x20 || memfs.HiddenRune(r)) {
			t.Fatalf("%s at %dx%d lets %U through", what, w, h, r)
		}
	}
}

func TestView_FitsEverySizeInEveryState(t *testing.T) {
	widths := []int{1, 2, 3, 5, 8, 13, 19, 23, 24, 25, 31, 40, 55, 56, 64, 71, 72, 80, 100, 131}
	for name, s := range states(t) {
		for _, w := range widths {
			for _, h := range []int{1, 2, 3, 4, 7, 12, 33} {
				s.pane.SetSize(w, h)
				checkView(t, name, s, w, h)
			}
		}
	}
}

func TestView_FitsAfterEveryKey(t *testing.T) {
	var all []string
	for _, e := range newSim(t, newFake(), 10, 10).pane.Entries() {
		all = append(all, e.Keys...)
	}
	for name, s := range states(t) {
		for _, w := range []int{38, 77} {
			s.pane.SetSize(w, 7)
			for _, k := range all {
				s.seq = nil
				cmd, _ := s.pane.Press(strings.Fields(k), 0)
				s.run(cmd)
				checkView(t, fmt.Sprintf("%s after %s", name, k), s, w, 7)
			}
		}
	}
}

func TestMouse_ClickAnywhereFits(t *testing.T) {
	for name, s := range states(t) {
		s.pane.SetSize(40, 9)
		for y := -2; y < 11; y++ {
			for x := -1; x < 42; x += 3 {
				s.mouse(press(x, y), dragged(x+2, y+1), dragged(x, 20), release(x, y))
				s.mouse(press(x, y), release(x, y))
			}
			checkView(t, name, s, 40, 9)
		}
	}
}

func TestView_HasNoSideEffects(t *testing.T) {
	for name, s := range states(t) {
		before := fmt.Sprintf("%+v", *s.pane)
		a := s.pane.View()
		if b := s.pane.View(); a != b {
			t.Errorf("%s: two views of one state differ", name)
		}
		if after := fmt.Sprintf("%+v", *s.pane); after != before {
			t.Errorf("%s: a view changes something", name)
		}
	}
}
