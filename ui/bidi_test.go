package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/terminal"
	"github.com/memend/memend/ui/text"
)

// inHebrew returns a store with right-to-left names and texts, with a memory open.
func inHebrew(t *testing.T, reorders bool) *sim {
	f := sample()
	f.write(agent, "שלום.md", "# עולם 12 x\n\nשורה של טקסט\n")
	s := newSim(t, f, 100, 24)
	s.app.cfg.Reorders = reorders
	s.send(screen.Open{Path: at("שלום.md")})
	return s
}

func TestRightToLeft_IsShownAsStored(t *testing.T) {
	t.Parallel()
	s := inHebrew(t, false)
	frame := s.app.View()
	if bad := foreign(frame); bad != "" {
		t.Errorf("a bidi control is in the frame: %q", bad)
	}
	if strings.Contains(frame, "RTL") || !strings.Contains(frame, "שלום.md") {
		t.Errorf("the frame is\n%s", ansi.Strip(frame))
	}
	checkSize(t, "as stored", s.app)
}

func TestRightToLeft_IsIsolatedForATerminalThatReorders(t *testing.T) {
	t.Parallel()
	s := inHebrew(t, true)
	frame := s.app.View()
	for _, want := range []string{"\u2068שלום.md\u2069", "\u2068שורה של טקסט\u2069"} {
		if !strings.Contains(frame, want) {
			t.Errorf("no %q in\n%q", want, frame)
		}
	}
	for i, row := range strings.Split(frame, "\n") {
		if strings.Count(row, "\u2068") != strings.Count(row, "\u2069") {
			t.Errorf("row %d leaves an isolate open: %q", i, row)
		}
	}
	if bad := foreign(string(text.WithoutIsolates([]byte(frame)))); bad != "" {
		t.Errorf("besides there is %q", bad)
	}
	checkSize(t, "kept apart", s.app)
	s.keys("?") // it covers a part of them
	for i, row := range strings.Split(s.app.View(), "\n") {
		if strings.Count(row, "\u2068") != strings.Count(row, "\u2069") {
			t.Errorf("below the help, row %d leaves an isolate open: %q", i, row)
		}
	}
	s.keys("esc")
	sent := string(terminal.Frame((&teaModel{app: s.app}).View(), 100, 24))
	if n := strings.Count(sent, "\u2068"); n == 0 || n != strings.Count(sent, "\u2069") {
		t.Errorf("the terminal is sent %d isolates and %d ends", n, strings.Count(sent, "\u2069"))
	}
}

// Bidi controls in a text are shown, not executed, in this case too.
func TestRightToLeft_ControlsOfATextAreShownForATerminalThatReorders(t *testing.T) {
	t.Parallel()
	f := sample()
	f.write(agent, "evil.md", "\u2068ש\u2069\u202e\u2066 שלום\n")
	s := newSim(t, f, 100, 24)
	s.app.cfg.Reorders = true
	s.send(screen.Open{Path: at("evil.md")})
	frame := s.app.View()
	if bad := foreign(string(text.WithoutIsolates([]byte(frame)))); bad != "" || !strings.Contains(ansi.Strip(frame), "<U+2068>") {
		t.Errorf("%q gets through:\n%s", bad, ansi.Strip(frame))
	}
}
