package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// rowUnderCursor returns the text of the frame from the terminal's cursor on.
func rowUnderCursor(t *testing.T, s *sim) string {
	t.Helper()
	m := &teaModel{app: s.app}
	c := m.View().Cursor
	if c == nil {
		return ""
	}
	if c.Shape != tea.CursorBar || c.Blink {
		t.Errorf("the cursor looks like one of a field: %+v", c)
	}
	row := strings.Split(s.screen(), "\n")[c.Y]
	return ansi.Cut(row, c.X, ansi.StringWidth(row))
}

func TestCursorOnTheRow_IsOnTheSelection(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		play func(s *sim)
		want string
	}{
		"tree":           {func(s *sim) { s.on("safe.md") }, "safe.md"},
		"tree, one down": {func(s *sim) { s.on("moved.md"); s.keys("j") }, "probe.md"},
		"memory":         {func(s *sim) { s.on("safe.md"); s.keys("enter enter") }, "a safe line"},
		"line of a memory": {func(s *sim) {
			s.send(screen.Open{Path: at("d/x")})
			s.keys("B j j")
		}, "x"},
		"history": {func(s *sim) { s.send(screen.Open{Path: at("safe.md")}); s.keys("H") }, "v1 "},
		"agents":  {func(s *sim) { s.keys("A") }, "r /d/x"},
		"question": {func(s *sim) {
			s.send(screen.Choose{Title: "t", Text: "why?", Options: []screen.Option{{Key: "y", Label: "yes, do"}, {Key: "n", Label: "no, leave"}}})
		}, "no, leave"},
		"plan":      {func(s *sim) { s.send(screen.RestoreAt{At: versions.Moment{Change: 2}}) }, "d/x"},
		"stores":    {func(s *sim) { s.keys("@") }, "notes"},
		"discovery": {func(s *sim) { s.keys("@ f j") }, "x-serena"},
		"connect":   {func(s *sim) { s.keys("@ c j") }, "x (connected as x)"},
		"time":      {func(s *sim) { s.keys("t left") }, "d"},
	} {
		t.Run(name, func(t *testing.T) {
			s := engineSim(t, "x", 120, 36)
			s.app.cfg.CursorRow = true
			c.play(s)
			got := rowUnderCursor(t, s)
			if got == "" || !strings.Contains(got, c.want) {
				t.Errorf("the cursor stands before %q, want %q in\n%s", got, c.want, s.screen())
			}
			s.app.cfg.CursorRow = false
			if got := rowUnderCursor(t, s); got != "" {
				t.Errorf("the cursor stands there unasked: %q", got)
			}
		})
	}
}

func TestCursorOnTheRow_KeepsTheCursorOfFields(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30, func(c *Config) { c.CursorRow = true })
	s.keys("/")
	s.typed("dana")
	m := &teaModel{app: s.app}
	if c := m.View().Cursor; c == nil || c.Shape == tea.CursorBar {
		t.Errorf("while one types the cursor is %+v", c)
	}
}
