package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/keys"
)

// autoTheme is the name of the theme that depends on the terminal.
const autoTheme = "auto"

// theme returns the selected theme for a terminal.
func (c *Config) theme(dark bool, colors theme.Colors) *theme.Theme {
	if c.Background != Auto {
		dark = c.Background == Dark
	}
	if c.NoColor {
		colors = theme.Mono
	}
	name, pair := c.Theme, c.ThemeLight
	if dark {
		pair = c.ThemeDark
	}
	if name == "" || name == autoTheme {
		name = pair
	}
	th := theme.New(dark, colors)
	if d, ok := c.Themes.Find(name); ok {
		th = d.Theme(colors)
	}
	if c.ASCII {
		th = th.WithLines(theme.ASCII)
	}
	return th
}

// setTheme stores the properties of the terminal and applies the theme for them to all panes.
func (a *App) setTheme(dark bool, colors theme.Colors) {
	a.dark, a.colors = dark, colors
	th := a.cfg.theme(dark, colors)
	if th.Name == a.th.Name && th.Colors == a.th.Colors {
		return
	}
	a.th = th
	for _, p := range a.panes() {
		p.SetTheme(a.th)
	}
}

// chooseTheme switches to a theme of the set, or to "auto".
func (a *App) chooseTheme(name string) {
	a.cfg.Theme = name
	a.setTheme(a.dark, a.colors)
}

// themes returns the menu of themes. The one under the cursor is applied immediately; leaving
// the menu restores the previous one.
func (a *App) themes() *dialog.Menu {
	was := a.cfg.Theme
	if was == "" {
		was = autoTheme
	}
	row := func(name, description string) dialog.Row {
		return dialog.Row{Sign: name, Text: description, Entry: keys.Entry{Do: func(int) tea.Cmd {
			a.chooseTheme(name)
			return a.say("theme "+name+" until you leave · theme = \""+name+"\" in config.toml keeps it", false)
		}}}
	}
	rows := []dialog.Row{row(autoTheme, "what goes with the terminal")}
	for _, c := range a.cfg.Themes.List() {
		rows = append(rows, row(c.Name, c.Description))
	}
	m := dialog.NewMenu("theme", rows)
	m.Select(slices.IndexFunc(rows, func(r dialog.Row) bool { return r.Sign == was }))
	m.Moved = func(r *dialog.Row) { a.chooseTheme(r.Sign) }
	m.Keep = true
	m.Left = func() { a.chooseTheme(was) }
	return m
}
