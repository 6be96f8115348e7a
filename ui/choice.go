package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/text"
)

// option is one answer of a choice.
type option struct {
	key   string
	label string
	then  func() tea.Cmd // nil changes nothing
}

// choice asks a question with a few answers. Esc is always the last answer,
// which changes nothing.
type choice struct {
	name    string
	body    string
	options []option
	cur     int
}

var choiceKeys = struct{ Down, Up, Take, Leave key.Binding }{
	bind("down", "down", "j", "tab"), bind("up", "up", "k", "shift+tab"), bind("choose", "enter"), bind("leave", "esc", "ctrl+c"),
}

func (c *choice) Keys() []key.Binding {
	return []key.Binding{choiceKeys.Take, choiceKeys.Down, choiceKeys.Up, choiceKeys.Leave}
}

func (c *choice) title() string { return c.name }

func (c *choice) size(w, h int) (int, int) {
	cols := text.Width(c.body) + 2
	for _, o := range c.options {
		cols = max(cols, text.Width(o.label)+8)
	}
	cols = min(max(cols, text.Width(c.name)+6), w, 72)
	return cols, min(len(c.wrapped(cols))+len(c.options)+3, h)
}

func (c *choice) wrapped(w int) []int { return text.Wrap(nil, c.body, max(w-2, 1), 0, 12) }

func (c *choice) take(i int) (tea.Cmd, bool) {
	if then := c.options[i].then; then != nil {
		return then(), true
	}
	return nil, true
}

func (c *choice) Update(msg tea.Msg) (tea.Cmd, bool) {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	for i, o := range c.options {
		if k.String() == o.key {
			return c.take(i)
		}
	}
	switch {
	case key.Matches(k, choiceKeys.Down):
		c.cur = (c.cur + 1) % len(c.options)
	case key.Matches(k, choiceKeys.Up):
		c.cur = (c.cur + len(c.options) - 1) % len(c.options)
	case key.Matches(k, choiceKeys.Take):
		return c.take(c.cur)
	case key.Matches(k, choiceKeys.Leave):
		return c.take(len(c.options) - 1)
	}
	return nil, false
}

func (c *choice) view(th *theme.Theme, w, h int) ([]string, *point) {
	var out []string
	line := func(s string, st theme.Style, key string) {
		p := rowPen{w: w, base: st.On, plain: st.On != ""}
		dst := append([]byte(nil), st.On...)
		dst = p.space(dst, 1)
		if key != "" {
			dst = p.put(dst, " "+key, th.HintKey)
			dst = p.space(dst, 2)
		}
		dst = p.put(dst, s, theme.Style{})
		dst = p.space(dst, w-p.used)
		out = append(out, string(append(dst, st.Off...)))
	}
	rows := c.wrapped(w)
	if room := h - len(c.options); len(rows)+2 > room { // answers before words
		rows = rows[:min(len(rows), max(room, 0))]
	} else {
		line("", theme.Style{}, "")
	}
	for i, from := range rows {
		to := len(c.body)
		if i+1 < len(rows) {
			to = rows[i+1]
		}
		line(c.body[from:to], theme.Style{}, "")
	}
	if len(out)+len(c.options) < h {
		line("", theme.Style{}, "")
	}
	for i, o := range c.options {
		st := theme.Style{}
		if i == c.cur {
			st = th.Selected
		}
		line(o.label, st, o.key)
	}
	for len(out) < h {
		line("", theme.Style{}, "")
	}
	return out[:h], nil
}
