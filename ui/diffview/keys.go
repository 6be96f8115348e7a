package diffview

import "charm.land/bubbles/v2/key"

type action struct {
	key key.Binding
	do  func(*View)
}

type keyMap struct{ actions []action }

func bind(help, desc string, do func(*View), keys ...string) action {
	return action{key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, desc)), do}
}

func defaultKeys() keyMap {
	return keyMap{[]action{
		bind("j ↓", "down", func(v *View) { v.scroll(1) }, "j", "down"),
		bind("k ↑", "up", func(v *View) { v.scroll(-1) }, "k", "up"),
		bind("] n", "next hunk", func(v *View) { v.jump(1) }, "]", "n"),
		bind("[ p", "previous hunk", func(v *View) { v.jump(-1) }, "[", "p"),
		bind("s", "side by side", (*View).toggleLayout, "s"),
		bind("}", "more context", func(v *View) { v.changeContext(1) }, "}"),
		bind("{", "less context", func(v *View) { v.changeContext(-1) }, "{"),
		bind("l →", "scroll right", func(v *View) { v.sideways(columnStep) }, "l", "right"),
		bind("h ←", "scroll left", func(v *View) { v.sideways(-columnStep) }, "h", "left"),
		bind("PgDn ^F", "page down", func(v *View) { v.scroll(max(1, v.h-1)) }, "pgdown", "ctrl+f"),
		bind("PgUp ^B", "page up", func(v *View) { v.scroll(-max(1, v.h-1)) }, "pgup", "ctrl+b"),
		bind("^D", "half a page down", func(v *View) { v.scroll(max(1, v.h/2)) }, "ctrl+d"),
		bind("^U", "half a page up", func(v *View) { v.scroll(-max(1, v.h/2)) }, "ctrl+u"),
		bind("g Home", "beginning", func(v *View) { v.scroll(-v.top) }, "g", "home"),
		bind("G End", "end", func(v *View) { v.scroll(v.rows) }, "G", "end"),
	}}
}

// Keys are the keys that work, for the help.
func (v *View) Keys() []key.Binding {
	var out []key.Binding
	for _, a := range v.keys.actions {
		out = append(out, a.key)
	}
	return out
}
