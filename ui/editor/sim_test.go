package editor

import (
	"context"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/versions"
)

var codes = map[string]rune{
	"enter": tea.KeyEnter, "tab": tea.KeyTab, "esc": tea.KeyEscape, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
	"left": tea.KeyLeft, "right": tea.KeyRight, "up": tea.KeyUp, "down": tea.KeyDown,
	"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "f3": tea.KeyF3,
}

// keyMsg returns the message of a key by its name: "ctrl+s", "shift+left", "x", "space".
func keyMsg(name string) tea.KeyPressMsg {
	k := tea.Key{}
	rest := name
	for {
		mod, after, ok := strings.Cut(rest, "+")
		if !ok || after == "" {
			break
		}
		k.Mod |= map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[mod]
		rest = after
	}
	if code, ok := codes[rest]; ok {
		k.Code = code
	} else {
		if rest == "space" {
			rest = " "
		}
		k.Code, _ = utf8.DecodeRuneInString(rest)
		if k.Mod&^tea.ModShift == 0 {
			k.Text = rest
		}
	}
	return tea.KeyPressMsg(k)
}

func newEditor(content string) *Editor {
	e := New(screentest.Env(context.Background()), []byte(content), versions.Hash{1}, nil)
	e.SetSize(60, 12)
	return e
}

// press presses keys by name, separated by blanks; a word in quotes is typed.
func press(e *Editor, names string) []tea.Msg {
	var out []tea.Msg
	for i, part := range strings.Split(names, "'") {
		if i%2 == 1 {
			for _, r := range part {
				if cmd := e.Update(keyMsg(string(r))); cmd != nil {
					out = append(out, cmd())
				}
			}
			continue
		}
		for _, name := range strings.Fields(part) {
			if cmd := e.Update(keyMsg(name)); cmd != nil {
				out = append(out, cmd())
			}
		}
	}
	return out
}

// forTerminal returns the messages that the editor has for the terminal.
func forTerminal(e *Editor) (out []tea.Msg) {
	for _, request := range screentest.Requests(e.env) {
		if t, ok := request.(screen.Terminal); ok {
			out = append(out, t.Do())
		}
	}
	return out
}

func (e *Editor) shown() string { return ansi.Strip(e.View()) }
