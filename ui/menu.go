package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/fuzzy"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/text"
)

// menu lists actions with their keys; typing filters them, and taking one runs
// it. Help and the palette are menus.
type menu struct {
	name  string
	all   []menuRow
	names []fuzzy.Candidate
	input draw.Input
	rows  []int // of all, that match what is typed
	cur   int
	top   int
	h     int // rows of the list
	room  tea.WindowSizeMsg

	moved func(*menuRow)         // is told which row the cursor is on; nil when nobody looks on
	left  func()                 // is told that none was taken
	does  *keys.Map[*dialogList] // menuKeys when nil
	keys  int                    // columns of the keys and of the signs
	signs int                    // columns of the signs
}

// menuRow is an action, or a heading, or a sign and what it means.
type menuRow struct {
	heading string
	group   string // of an action, to be found by
	entry   keys.Entry
	sign    string // instead of an entry
	text    string
}

var menuKeys, keepKeys = listKeys("run"), listKeys("keep")

func (m *menu) takes() *keys.Map[*dialogList] {
	if m.does != nil {
		return m.does
	}
	return menuKeys
}

func newMenu(name string, rows []menuRow) *menu {
	m := &menu{name: name, all: rows, names: make([]fuzzy.Candidate, len(rows))}
	for i, r := range rows {
		m.names[i] = fuzzy.New(strings.TrimSpace(r.sign + " " + r.entry.Name + " " + r.group + r.text))
		m.signs = min(max(m.signs, text.Width(r.sign)+2), menuKeyCols)
		m.keys = min(max(m.keys, m.signs, text.Width(r.entry.Label())+2), menuKeyCols)
	}
	m.filter()
	return m
}

func (m *menu) Entries() []keys.Entry { return m.takes().Entries(&dialogList{lister: m}) }
func (m *menu) title() string         { return m.name }

// place leaves a quarter of the screen to what is behind it, where there is room,
// and takes no more rows than there are matches, whichever of them is the current one.
func (m *menu) place(w, h int) rect {
	full := min(len(m.all)+1, max(h*3/4, 16))
	rows, more := min(max(len(m.rows)+1, 2), full), 0
	for i := 0; i < len(m.rows) && len(m.rows) < full; i++ {
		more = max(more, len(m.lines(i, m.cols(w)))-1)
	}
	return centred(menuCols, rows+more, full, w, h)
}

// cols is how many columns the menu has within its border on a screen of w.
func (m *menu) cols(w int) int {
	most, _ := inside(w, 0)
	return min(menuCols, most)
}

// filter shows what matches the text that is typed: all in order while there is
// none, else the best first.
func (m *menu) filter() {
	m.rows = m.rows[:0]
	q := strings.TrimSpace(m.input.Value)
	if q == "" {
		for i := range m.all {
			m.rows = append(m.rows, i)
		}
	} else {
		for _, hit := range fuzzy.Find(m.names, q) {
			if m.all[hit.Index].heading == "" {
				m.rows = append(m.rows, hit.Index)
			}
		}
	}
	m.cur, m.top = 0, 0
	m.skip(1)
	m.fit()
}

// skip moves off a heading.
func (m *menu) skip(d int) {
	for m.cur >= 0 && m.cur < len(m.rows) && m.all[m.rows[m.cur]].heading != "" {
		m.cur += d
	}
	if m.cur < 0 {
		m.cur = 0
		m.skip(1)
	}
}

func (m *menu) step(d int) {
	m.cur = min(max(m.cur+d, 0), max(len(m.rows)-1, 0))
	m.skip(max(min(d, 1), -1))
	more := m.more(m.room.Width)
	m.top = max(min(m.top, m.cur, len(m.rows)+more-m.h), min(m.cur, m.cur+more-m.h+1), 0)
	if m.moved != nil && m.cur < len(m.rows) {
		m.moved(&m.all[m.rows[m.cur]])
	}
	if m.cur == 1 {
		m.top = 0 // its heading shows with it
	}
}

func (m *menu) turn(d int)    { m.step(d * max(m.h-1, 1)) }
func (m *menu) take() closing { return m.takeAt(m.cur) }
func (m *menu) leave() closing {
	if m.left != nil {
		m.left()
	}
	return closing{over: true}
}

// takeAt closes the menu and runs an action. One that cannot be run now says why.
func (m *menu) takeAt(i int) closing {
	if i < 0 || i >= len(m.rows) {
		return closing{}
	}
	r := &m.all[m.rows[i]]
	if r.entry.Run == nil {
		return closing{}
	}
	return closing{r.entry.Run(0), true}
}

func (m *menu) Update(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if end, known := pressList(m.takes(), m, msg.String()); known {
			return end.cmd, end.over
		}
	case tea.WindowSizeMsg:
		m.room = msg
		m.fit()
	case tea.MouseWheelMsg:
		if msg.Button == tea.MouseWheelDown {
			m.step(1)
		} else if msg.Button == tea.MouseWheelUp {
			m.step(-1)
		}
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft && msg.Y > 0 {
			end := m.takeAt(m.at(msg.Y - 1))
			return end.cmd, end.over
		}
	}
	if m.input.Update(msg) {
		m.filter()
	}
	return nil, false
}

// fit takes the rows that its place gives it.
func (m *menu) fit() {
	m.h = max(m.place(m.room.Width, m.room.Height).h-3, 1)
	m.step(0)
}

const (
	menuCols    = 76
	menuKeyCols = 20

	narrowMenu    = 50 // columns of one below which
	narrowKeyCols = 7  // the keys have so many: "Enter", and two blanks
)

func (m *menu) view(th *theme.Theme, w, h int) ([]string, *point) {
	out := make([]string, 0, h)
	head := append(th.HintKey.Append(text.Spaces(nil, 1), "›"), ' ')
	head, x := m.input.Append(head, max(w-4, 1), th.Input)
	out = append(out, string(text.Spaces(head, 1)))
	for i := m.top; len(out) < h; i++ {
		if i == m.cur && i < len(m.rows) {
			out = m.current(out, th, w)
			continue
		}
		out = append(out, m.row(th, i, w))
	}
	return out[:h], &point{3 + x, 0}
}

// wholeKeys is as many keys of an action as w columns hold, the first of them at
// least, and where there is room for it a sign that there are more.
func wholeKeys(e keys.Entry, w int) string {
	label := e.Label()
	for len(e.Keys) > 1 && text.Width(label) > w {
		e.Keys = e.Keys[:len(e.Keys)-1]
		label = e.Label() + " …"
	}
	if text.Width(label) > w {
		return e.Hint()
	}
	return label
}

// at is the row that is drawn y rows below the top: the current one may take several.
func (m *menu) at(y int) int {
	i := m.top + y
	if i <= m.cur {
		return i
	}
	return max(i-m.more(m.room.Width), m.cur)
}

// keyCols is how many columns of w the keys or the sign of a row have, with the blank
// behind them. In a narrow one the keys beside the first give way to the names, and a
// long one moves its own name only.
func (m *menu) keyCols(r *menuRow, w int) int {
	narrow := w < narrowMenu
	switch {
	case r.sign != "" && (narrow || m.all[0].sign != ""): // names, not keys
		return min(m.signs, w/2)
	case narrow:
		return min(max(narrowKeyCols, text.Width(r.entry.Hint())+2), w/3)
	}
	return min(m.keys, w/3)
}

// told is what a row says behind its keys: what it does, and why that can't be done
// now or where it belongs.
func (m *menu) told(r *menuRow) (name, aside string) {
	name = r.entry.Name
	if r.sign != "" {
		name = r.text
	}
	switch {
	case r.entry.Why != "":
		return name, " · " + r.entry.Why
	case r.group != "" && m.input.Value != "":
		return name, " · " + r.group
	}
	return name, ""
}

// maxMenuRows is how many rows the current entry takes at most.
const maxMenuRows = 6

// lines are the rows of what an entry says while it is the current one, in a dialog of
// w columns inside: then it shows whole.
func (m *menu) lines(i, w int) []string {
	if i >= len(m.rows) {
		return nil
	}
	r := &m.all[m.rows[i]]
	name, aside := m.told(r)
	return text.Rows(name+aside, max(w-m.keyCols(r, w)-2, 1), maxMenuRows)
}

// more is how many rows the current entry takes beside its first, on a screen of so
// many columns.
func (m *menu) more(screen int) int {
	return max(len(m.lines(m.cur, m.cols(screen)))-1, 0)
}

func (m *menu) row(th *theme.Theme, i, w int) string {
	p := draw.Pen{W: w}
	if i >= len(m.rows) {
		if i == 0 {
			return string(p.Space(p.Put(nil, " nothing is called that", th.Dim), w))
		}
		return string(p.Space(nil, w))
	}
	r := &m.all[m.rows[i]]
	if r.heading != "" {
		dst := p.Put(p.Space(nil, 1), r.heading, th.Heading)
		return string(p.Space(dst, w))
	}
	style, keyStyle := th.Text, th.HintKey
	if r.entry.Why != "" {
		style, keyStyle = th.Dim, th.Dim
	}
	cols := m.keyCols(r, w)
	dst := p.Space(nil, 1)
	dst = p.Clip(dst, m.label(r, w), cols-1, keyStyle)
	dst = p.Space(dst, cols+1-p.Used)
	name, aside := m.told(r)
	dst = p.Put(dst, name, style)
	whole := p.Used+text.Width(aside) < w // else where it belongs is for the current one to tell
	if aside != "" && (whole || r.entry.Why != "") {
		dst = p.Put(dst, aside, th.Dim)
	}
	return string(p.Space(dst, w))
}

func (m *menu) label(r *menuRow, w int) string {
	if r.sign != "" {
		return r.sign
	}
	return wholeKeys(r.entry, m.keyCols(r, w)-1)
}

// current draws the rows of the current entry.
func (m *menu) current(out []string, th *theme.Theme, w int) []string {
	r := &m.all[m.rows[m.cur]]
	label, cols := m.label(r, w), m.keyCols(r, w)
	for _, line := range m.lines(m.cur, w) {
		p := draw.Pen{W: w, Base: th.Selected.On, Plain: th.Selected.On != ""}
		dst := p.Space(append([]byte(nil), p.Base...), 1)
		dst = p.Clip(dst, label, cols-1, th.HintKey)
		dst = p.Space(dst, cols+1-p.Used)
		dst = p.Space(p.Put(dst, line, th.Text), w)
		if p.Base != "" {
			dst = append(dst, text.Reset...)
		}
		out, label = append(out, string(dst)), ""
	}
	return out
}
