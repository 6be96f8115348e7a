package ui

import (
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/screen"
)

func TestAutoTheme_FollowsTheTerminal(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 80, 24, func(c *Config) { c.Background, c.ThemeDark, c.ThemeLight = Auto, "dusk", "contrast-light" })
	is := func(name string, colors theme.Colors) {
		t.Helper()
		if s.app.th.Name != name || s.app.th.Colors != colors {
			t.Errorf("the theme is %s with colours %d, want %s with %d", s.app.th.Name, s.app.th.Colors, name, colors)
		}
		if frame := s.app.View(); !strings.Contains(frame, s.app.th.Folder.On+"people") || !strings.Contains(frame, s.app.th.Dim.On) {
			t.Errorf("a pane does not have the theme %s:\n%q", name, frame)
		}
	}
	is("dusk", theme.Many)
	s.send(tea.ColorProfileMsg{Profile: colorprofile.ANSI})
	is("dusk", theme.Sixteen)
	s.send(tea.BackgroundColorMsg{Color: color.White})
	is("contrast-light", theme.Sixteen)
	s.app.chooseTheme("mono")
	is("mono", theme.Mono)
	s.send(tea.BackgroundColorMsg{Color: color.Black})
	s.send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	is("mono", theme.Mono)
	s.app.chooseTheme("auto") // the terminal's properties are still known
	is("dusk", theme.Many)
}

func TestNamedTheme_AsksTheTerminalOnlyForColours(t *testing.T) {
	t.Parallel()
	own, _ := theme.Set{}.Make(theme.Spec{Name: "mine", Base: "day"})
	s := newSim(t, sample(), 80, 24, func(c *Config) { c.Background, c.Theme, c.Themes = Auto, "mine", theme.Set{}.With(own) })
	s.send(tea.BackgroundColorMsg{Color: color.Black})
	if s.app.th.Name != "mine" || s.app.th.Colors != theme.Many {
		t.Errorf("the theme is %s", s.app.th.Name)
	}
	s = newSim(t, sample(), 80, 24, func(c *Config) { c.Theme, c.NoColor = "dusk", true })
	if s.app.th.Name != "dusk" || s.app.th.Colors != theme.Mono {
		t.Errorf("without colours the theme is %s with %d", s.app.th.Name, s.app.th.Colors)
	}
}

func TestASCII_DrawsNoLines(t *testing.T) {
	t.Parallel()
	for _, scene := range scenes {
		if scene.name == "history" {
			continue // it draws a diff
		}
		for _, ascii := range []bool{true, false} {
			s := newSim(t, sample(), 80, 24, func(c *Config) { c.ASCII = ascii })
			scene.play(s)
			drawn := strings.IndexFunc(s.screen(), func(r rune) bool { return r >= 0x2500 && r < 0x2580 }) >= 0
			if drawn == ascii {
				t.Errorf("%s with ASCII %v: drawn lines %v\n%s", scene.name, ascii, drawn, s.screen())
			}
		}
	}
}

func TestNoWrap_CutsLongLines(t *testing.T) {
	t.Parallel()
	for _, cuts := range []bool{true, false} {
		s := newSim(t, sample(), 80, 24, func(c *Config) { c.NoWrap = cuts })
		s.store.write(me, "long.md", strings.Repeat("long ", 30)+"end")
		s.deliver()
		s.send(screen.Open{Path: at("long.md")})
		if shown := strings.Contains(s.screen(), "long end"); shown == cuts {
			t.Errorf("with NoWrap %v the end of a long line is shown: %v\n%s", cuts, shown, s.screen())
		}
	}
}
