package ui

import (
	"charm.land/bubbles/v2/key"
)

// help shows every key that works where the person is, made from the same
// bindings that obey them.
func (a *App) help() *pager {
	p := &pager{name: "keys"}
	add := func(name string, keys []key.Binding) {
		if len(p.rows) > 0 {
			p.rows = append(p.rows, pagerRow{})
		}
		p.rows = append(p.rows, pagerRow{text: name, heading: true})
		for _, b := range keys {
			if b.Enabled() && b.Help().Desc != "" {
				p.rows = append(p.rows, pagerRow{key: b.Help().Key, text: b.Help().Desc})
			}
		}
	}
	name := slotNames[a.focus]
	if a.takesText() {
		name = "editor"
	}
	add(name, a.pane(a.focus).Keys())
	if !a.takesText() {
		add("everywhere", a.keys.all())
	}
	if a.cfg.Mouse {
		p.rows = append(p.rows, pagerRow{},
			pagerRow{text: "mouse", heading: true},
			pagerRow{key: "Click", text: "choose and open; on a folder, fold it"},
			pagerRow{key: "Wheel", text: "scroll what is under it"},
			pagerRow{key: "Shift+Drag", text: "select text with the terminal itself"})
	}
	p.rows = append(p.rows, pagerRow{},
		pagerRow{text: "marks", heading: true},
		pagerRow{key: "●", text: "changed by others and not opened since"},
		pagerRow{key: "!3", text: "holds 3 characters that a terminal would not show"},
		pagerRow{key: "▌ ▔", text: "lines changed, or removed, while it was open"},
		pagerRow{key: "<U+202E> ^[ <9F>", text: "a hidden character, a control character, a stray byte"})
	return p
}

// log shows the messages of this session, newest first.
func (a *App) log() *pager {
	p := &pager{name: "messages"}
	for i := len(a.toasts) - 1; i >= 0; i-- {
		t := a.toasts[i]
		s := t.text
		if !t.when.IsZero() {
			s = t.when.Format("15:04") + "  " + s
		}
		p.rows = append(p.rows, pagerRow{text: s, bad: t.bad})
	}
	if len(p.rows) == 0 {
		p.rows = []pagerRow{{text: "nothing yet"}}
	}
	return p
}
