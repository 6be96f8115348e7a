package dialog

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/geometry"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
)

// Choice asks a question with a few answers. Esc always selects the last answer, which changes
// nothing.
type Choice struct {
	Name    string
	Body    string
	Options []screen.Option
	Cur     int
	Arrows  bool   // letters are ignored, so that text typed ahead can't answer
	Stuck   string // this key is ignored until another one is pressed: it may be held down
	first   int    // row of the first option
}

var choiceKeys = listKeys("choose")

func (c *Choice) Entries() []keys.Entry { return choiceKeys.Entries(&dialogList{lister: c}) }

func (c *Choice) Title() string { return c.Name }

func (c *Choice) Place(w, h int) geometry.Rect {
	mw, _ := inside(w, h)
	cols := text.Width(c.Body) + 2
	for _, o := range c.Options {
		cols = max(cols, text.Width(o.About)+2, text.Width(o.Label)+c.keyCols()+6)
	}
	cols = min(max(cols, text.Width(c.Name)+6), mw, 72)
	rows := len(c.Options)
	if n := len(c.wrapped(cols)); n > 0 { // with a blank row around each part
		rows += n + 3
	}
	return centred(cols, rows, rows, w, h)
}

const maxBodyRows = 12

// wrapped returns the rows of the text, and below it what explains the option under the cursor; there are none without a text.
func (c *Choice) wrapped(w int) []string {
	if c.Body == "" {
		return nil
	}
	w = max(w-2, 1)
	out, most := rowsOf(c.Body, w), 0
	for _, o := range c.Options {
		most = max(most, len(rowsOf(o.About, w)))
	}
	about := rowsOf(c.Options[c.Cur].About, w)
	for i := range most { // the dialog keeps its height
		row := ""
		if i < len(about) {
			row = about[i]
		}
		out = append(out, row)
	}
	return out[:min(len(out), maxBodyRows)]
}

// rowsOf returns a text in rows of w columns.
func rowsOf(s string, w int) []string {
	if s == "" {
		return nil
	}
	return text.Rows(s, w, maxBodyRows)
}

// keyCols returns the columns of the keys before the labels.
func (c *Choice) keyCols() (n int) {
	for _, o := range c.Options {
		n = max(n, text.Width(keys.Label(o.Key)))
	}
	return n
}

func (c *Choice) step(d int)             { c.Cur = (c.Cur + d + len(c.Options)) % len(c.Options) }
func (c *Choice) pageBy(d int)           { c.Cur = max(0, d*(len(c.Options)-1)) }
func (c *Choice) selectCurrent() closing { return c.selectAt(c.Cur) }
func (c *Choice) leave() closing         { return c.selectAt(len(c.Options) - 1) }

func (c *Choice) selectAt(i int) closing {
	if then := c.Options[i].Then; then != nil {
		return closing{then(), true}
	}
	return closing{over: true}
}

func (c *Choice) Update(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		k := msg.String()
		if k == c.Stuck {
			return nil, false
		}
		c.Stuck = ""
		if c.Arrows && msg.Text != "" {
			return nil, false
		}
		for i, o := range c.Options {
			if k == o.Key {
				end := c.selectAt(i)
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
		if i := msg.Y - c.first; msg.Button == tea.MouseLeft && i >= 0 && i < len(c.Options) {
			end := c.selectAt(i)
			return end.cmd, end.over
		}
	case tea.WindowSizeMsg:
		r := c.Place(msg.Width, msg.Height)
		c.first = c.OptionsFrom(r.W-2, r.H-2)
	}
	return nil, false
}

// OptionsFrom returns the row of the first option.
func (c *Choice) OptionsFrom(w, h int) int {
	rows := len(c.wrapped(w))
	if rows == 0 {
		return 0
	}
	if room := h - len(c.Options); rows+2 > room {
		rows = min(rows, max(room, 0))
	} else {
		rows++
	}
	if rows+len(c.Options) < h {
		rows++
	}
	return rows
}

func (c *Choice) View(th *theme.Theme, w, h int) ([]string, *geometry.Point) {
	var out []string
	keyCols := c.keyCols()
	line := func(s string, st theme.Style, key string, keyCols int) {
		p := draw.StyledRow(nil, w, st)
		p.Space(1)
		if keyCols > 0 {
			p.Space(1)
			p.Put(keys.Label(key), th.HintKey)
			p.To(2 + keyCols + 2)
		}
		p.Put(s, theme.Style{ASCII: th.Text.ASCII})
		out = append(out, string(p.End()))
	}
	blank := func() { line("", theme.Style{}, "", 0) }
	rows := c.wrapped(w)
	switch room := h - len(c.Options); {
	case len(rows)+2 > room: // options take precedence over the text
		rows = rows[:min(len(rows), max(room, 0))]
	case len(rows) > 0:
		blank()
	}
	for _, row := range rows {
		line(row, theme.Style{}, "", 0)
	}
	if len(rows) > 0 && len(out)+len(c.Options) < h {
		blank()
	}
	for i, o := range c.Options {
		st := theme.Style{}
		if i == c.Cur {
			st = th.Selected
		}
		line(o.Label, st, o.Key, keyCols)
	}
	for len(out) < h {
		blank()
	}
	return out[:h], nil
}
