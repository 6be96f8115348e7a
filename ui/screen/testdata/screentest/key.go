package screentest

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

var codes = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "backspace": tea.KeyBackspace,
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "home": tea.KeyHome, "end": tea.KeyEnd,
	"f1": tea.KeyF1, "f5": tea.KeyF5, "space": ' ',
}

// Key returns the message of a key named as in bindings: "enter", "ctrl+r", "g".
func Key(name string) tea.KeyPressMsg {
	var mod tea.KeyMod
	for prefix, m := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			name, mod = rest, m
			break
		}
	}
	code, special := codes[name]
	if !special {
		code = []rune(name)[0]
	}
	k := tea.KeyPressMsg{Code: code, Mod: mod}
	switch {
	case mod != 0:
	case name == "space":
		k.Text = " "
	case !special:
		k.Text = name
	}
	return k
}
