package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
)

// choice asks a question with a few answers. Esc is always the last answer,
// which changes nothing.
type choice struct {
	name    string
	body    string
	options []screen.Option
	cur     int
	arrows  bool // letters do nothing: a text that is typed ahead can't answer
	first   int  // row of the first option
}

var choiceKeys = listKeys("choose")

func (c *choice) Entries() []keys.Entry { return choiceKeys.Entries(&dialogList{lister: c}) }

func (c *choice) title() string { return c.name }

func (c *choice) place(w, h int) rect {
	mw, _ := inside(w, h)
	cols := text.Width(c.body) + 2
	for _, o := range c.options {
		cols = max(cols, text.Width(o.Label)+8)
	}
	cols = min(max(cols, text.Width(c.name)+6), mw, 72)
	rows := len(c.wrapped(cols)) + len(c.options) + 3
	return centred(cols, rows, rows, w, h)
}

func (c *choice) wrapped(w int) []int { return text.Wrap(nil, c.body, max(w-2, 1), 0, 12) }

func (c *choice) step(d int)     { c.cur = (c.cur + d + len(c.options)) % len(c.options) }
func (c *choice) turn(d int)     { c.cur = max(0, d*(len(c.options)-1)) }
func (c *choice) take() closing  { return c.takeAt(c.cur) }
func (c *choice) leave() closing { return c.takeAt(len(c.options) - 1) }

func (c *choice) takeAt(i int) closing {
	if then := c.options[i].Then; then != nil {
		return closing{then(), true}
	}
	return closing{over: true}
}

func (c *choice) Update(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		k := msg.String()
		if c.arrows && msg.Text != "" {
			return nil, false
		}
		for i, o := range c.options {
			if k == o.Key {
				end := c.takeAt(i)
				return end.cmd, end.over
			}
		}
		switch k {
		case "j":
			c.step(1)
		case "k":
			c.step(-1)
		default:
			end, _ := pressList(choiceKeys, c, k)
			return end.cmd, end.over
		}
	case tea.MouseClickMsg:
		if i := msg.Y - c.first; msg.Button == tea.MouseLeft && i >= 0 && i < len(c.options) {
			end := c.takeAt(i)
			return end.cmd, end.over
		}
	case tea.WindowSizeMsg:
		r := c.place(msg.Width, msg.Height)
		c.first = c.optionsFrom(r.w-2, r.h-2)
	}
	return nil, false
}

// optionsFrom is the row of the first option.
func (c *choice) optionsFrom(w, h int) int {
	rows := len(c.wrapped(w))
	if room := h - len(c.options); rows+2 > room {
		rows = min(rows, max(room, 0))
	} else {
		rows++
	}
	if rows+len(c.options) < h {
		rows++
	}
	return rows
}

func (c *choice) view(th *theme.Theme, w, h int) ([]string, *point) {
	var out []string
	line := func(s string, st theme.Style, key string) {
		p := draw.Pen{W: w, Base: st.On, Plain: st.On != ""}
		dst := append([]byte(nil), st.On...)
		dst = p.Space(dst, 1)
		if key != "" {
			dst = p.Put(dst, " "+key, th.HintKey)
			dst = p.Space(dst, 2)
		}
		dst = p.Put(dst, s, theme.Style{})
		dst = p.Space(dst, w-p.Used)
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
		line(o.Label, st, o.Key)
	}
	for len(out) < h {
		line("", theme.Style{}, "")
	}
	return out[:h], nil
}
