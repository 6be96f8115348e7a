package editor

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// action is a key and what it does. The first group moves; with shift, the
// same keys select.
type action struct {
	key  key.Binding
	with key.Binding // the same with shift; disabled for what is no move
	do   func(e *Editor, extend bool) tea.Cmd
}

type keyMap struct {
	actions []action
	// In the prompt for a search or a line.
	accept, cancel, next, prev key.Binding
}

func bind(help, desc string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, desc))
}

// move is an action that selects when shift is held.
func move(help, desc string, do func(*Editor, bool), keys ...string) action {
	var shifted []string
	for _, k := range keys {
		shifted = append(shifted, withShift(k))
	}
	return action{
		bind(help, desc, keys...),
		key.NewBinding(key.WithKeys(shifted...)),
		func(e *Editor, extend bool) tea.Cmd { do(e, extend); return nil },
	}
}

// withShift writes modifiers in the order that key messages have them.
func withShift(k string) string {
	for _, p := range []string{"ctrl+alt+", "ctrl+", "alt+"} {
		if len(k) > len(p) && k[:len(p)] == p {
			return p + "shift+" + k[len(p):]
		}
	}
	return "shift+" + k
}

func act(help, desc string, do func(*Editor), keys ...string) action {
	return action{key: bind(help, desc, keys...), do: func(e *Editor, _ bool) tea.Cmd { do(e); return nil }}
}

func ask(help, desc string, do func(*Editor) tea.Cmd, keys ...string) action {
	return action{key: bind(help, desc, keys...), do: func(e *Editor, _ bool) tea.Cmd { return do(e) }}
}

func defaultKeys() keyMap {
	return keyMap{
		actions: []action{
			ask("^S", "save", (*Editor).save, "ctrl+s"),
			ask("Esc", "close", (*Editor).escape, "esc"),
			ask("^Q", "close", (*Editor).close, "ctrl+q"),
			act("^Z", "undo", (*Editor).undoStep, "ctrl+z"),
			act("^Y", "redo", (*Editor).redoStep, "ctrl+y", "ctrl+shift+z"),
			ask("^F", "find", (*Editor).openFind, "ctrl+f"),
			act("^N", "next hit", func(e *Editor) { e.findNext(1) }, "ctrl+n", "f3"),
			act("^P", "previous hit", func(e *Editor) { e.findNext(-1) }, "ctrl+p", "shift+f3"),
			ask("^G", "go to line", (*Editor).openGoTo, "ctrl+g", "ctrl+l"),
			ask("^X", "cut, or the line", (*Editor).cut, "ctrl+x"),
			ask("^C", "copy, or the line", (*Editor).copyText, "ctrl+c"),
			ask("^V", "paste", (*Editor).pasteOwn, "ctrl+v"),
			act("^A", "select all", (*Editor).selectAll, "ctrl+a"),
			act("^D", "duplicate", (*Editor).duplicate, "ctrl+d"),
			ask("^K", "cut the line", (*Editor).cutLine, "ctrl+k"),
			act("Alt+↑", "move line up", func(e *Editor) { e.shift(-1) }, "alt+up"),
			act("Alt+↓", "move line down", func(e *Editor) { e.shift(1) }, "alt+down"),
			act("Tab", "indent", (*Editor).tabKey, "tab"),
			act("Shift+Tab", "indent less", (*Editor).outdent, "shift+tab"),
			act("Enter", "new line", (*Editor).newline, "enter", "shift+enter"),
			act("Backspace", "erase to the left", (*Editor).backspace, "backspace", "shift+backspace", "ctrl+h"),
			act("Delete", "erase to the right", func(e *Editor) { e.erase(e.next(e.cursor)) }, "delete"),
			act("Alt+Backspace", "erase the word", func(e *Editor) { e.erase(e.wordLeft(e.cursor)) }, "alt+backspace", "ctrl+backspace", "ctrl+w"),
			act("Ctrl+Delete", "erase the next word", func(e *Editor) { e.erase(e.wordRight(e.cursor)) }, "ctrl+delete", "alt+delete", "alt+d"),
			move("←", "left", (*Editor).toLeft, "left"),
			move("→", "right", (*Editor).toRight, "right"),
			move("↑", "up", func(e *Editor, x bool) { e.byLines(-1, x) }, "up"),
			move("↓", "down", func(e *Editor, x bool) { e.byLines(1, x) }, "down"),
			move("Ctrl+←", "word left", (*Editor).toWordLeft, "ctrl+left", "alt+b"),
			move("Ctrl+→", "word right", (*Editor).toWordRight, "ctrl+right", "alt+f"),
			move("Home", "start of line", (*Editor).toHome, "home", "alt+left"),
			move("End", "end of line", (*Editor).toEnd, "end", "ctrl+e", "alt+right"),
			move("PgUp", "page up", func(e *Editor, x bool) { e.byPages(-1, x) }, "pgup"),
			move("PgDn", "page down", func(e *Editor, x bool) { e.byPages(1, x) }, "pgdown"),
			move("Ctrl+Home", "start of text", func(e *Editor, x bool) { e.moveTo(0, x) }, "ctrl+home", "ctrl+up"),
			move("Ctrl+End", "end of text", func(e *Editor, x bool) { e.moveTo(e.text.len(), x) }, "ctrl+end", "ctrl+down"),
		},
		accept: bind("Enter", "go there", "enter"),
		cancel: bind("Esc", "back", "esc", "ctrl+q"),
		next:   bind("↓", "next hit", "down", "ctrl+n", "f3"),
		prev:   bind("↑", "previous hit", "up", "ctrl+p", "shift+f3"),
	}
}

// Keys are the keys that work now, for the help.
func (e *Editor) Keys() []key.Binding {
	if e.prompt != nil {
		if e.prompt.kind == findPrompt {
			return []key.Binding{e.keys.accept, e.keys.cancel, e.keys.next, e.keys.prev}
		}
		return []key.Binding{e.keys.accept, e.keys.cancel}
	}
	var out []key.Binding
	for _, a := range e.keys.actions {
		out = append(out, a.key)
	}
	return out
}

// press runs the action of a key, or types it.
func (e *Editor) press(msg tea.KeyPressMsg) tea.Cmd {
	for _, a := range e.keys.actions {
		if key.Matches(msg, a.key) {
			return a.do(e, false)
		}
		if key.Matches(msg, a.with) {
			return a.do(e, true)
		}
	}
	if msg.Text != "" && msg.Mod&(tea.ModCtrl|tea.ModAlt) == 0 {
		e.insert(msg.Text)
	}
	return nil
}

// escape leaves what is going on, one thing at a time: the lit hits of a search,
// a selection, the editor.
func (e *Editor) escape() tea.Cmd {
	_, _, selected := e.selection()
	switch {
	case e.find.lit:
		e.find.lit = false
		if selected {
			e.anchor = -1
		}
	case selected:
		e.anchor = -1
	default:
		return e.close()
	}
	return nil
}

func (e *Editor) cutLine() tea.Cmd {
	first, _ := e.touched()
	from, to := e.text.lineStart(first), e.text.lineStart(first+1)
	cmd := e.toClipboard(slices.Clone(e.text.appendTo(nil, from, to)))
	e.anchor = -1
	e.deleteLine()
	return cmd
}
