package ui

import (
	"strings"

	"charm.land/bubbles/v2/key"
)

// globalKeys work in every pane that does not take text.
type globalKeys struct {
	Help, Undo, Redo, Find, History, Next, Prev, Zoom, Messages, Sync, Suspend, Quit key.Binding
}

func defaultGlobalKeys() globalKeys {
	return globalKeys{
		Help:     bind("help", "?", "f1"),
		Undo:     bind("undo", "u"),
		Redo:     bind("redo", "ctrl+r"),
		Find:     bind("find", "ctrl+p"),
		History:  bind("history", "H"),
		Next:     bind("next pane", "tab"),
		Prev:     bind("last pane", "shift+tab"),
		Zoom:     bind("zoom", "z"),
		Messages: bind("messages", "M"),
		Sync:     bind("look for changes", "f5"),
		Suspend:  bind("suspend", "ctrl+z"),
		Quit:     bind("quit", "q", "ctrl+c"),
	}
}

func (k globalKeys) all() []key.Binding {
	return []key.Binding{k.Undo, k.Redo, k.Find, k.History, k.Next, k.Prev, k.Zoom, k.Messages, k.Sync, k.Suspend, k.Quit, k.Help}
}

// bind makes a binding whose help names its keys.
func bind(help string, keys ...string) key.Binding {
	shown := make([]string, len(keys))
	for i, k := range keys {
		shown[i] = keyName(k)
	}
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(strings.Join(shown, " "), help))
}

// keyName is how a key is written in hints and help.
func keyName(k string) string {
	switch k {
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	case "pgdown":
		return "PgDn"
	case "pgup":
		return "PgUp"
	case "f1", "f2", "f5":
		return strings.ToUpper(k)
	case "enter", "space", "esc", "home", "end", "tab", "delete":
		return strings.ToUpper(k[:1]) + k[1:]
	case "shift+tab":
		return "Shift+Tab"
	}
	if rest, ok := strings.CutPrefix(k, "ctrl+"); ok {
		return "^" + strings.ToUpper(rest)
	}
	return k
}

// firstKey is the key that a hint names: the first of the binding's.
func firstKey(b key.Binding) string {
	if len(b.Keys()) == 0 {
		return ""
	}
	if k, _, ok := strings.Cut(b.Help().Key, " "); ok {
		return k
	}
	return b.Help().Key
}

// hintKey is a key as the hints write it: short.
func hintKey(b key.Binding) string {
	k := firstKey(b)
	if rest, ok := strings.CutPrefix(k, "ctrl+"); ok {
		return "^" + strings.ToUpper(rest)
	}
	return k
}
