package dialog

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/fuzzy"
	"github.com/memend/memend/ui/geometry"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/text"
)

// Menu lists actions with their keys. Typing filters the list, and selecting a row runs its
// action. Help and the palette are menus.
type Menu struct {
	Name    string
	All     []Row // all rows, before filtering
	names   []fuzzy.Candidate
	Input   draw.Input
	Matches []int // indexes of All that match the input
	Cur     int
	top     int
	Height  int // rows of the list
	room    tea.WindowSizeMsg

	Moved func(*Row) // called with the row that the cursor moves to; may be nil
	Left  func()     // called when it is closed without a selection; may be nil
	Keep  bool       // Enter closes it with the current row instead of running the row's action
	keys  int        // columns of the keys and of the signs
	signs int        // columns of the signs
}

// Row is an action, a heading, or a sign and its meaning.
type Row struct {
	Heading string
	Group   string // of an action; filtering finds it too
	Entry   keys.Entry
	Far     bool   // the action works in a place that is not open
	Sign    string // instead of an entry
	Text    string
}

var menuKeys, keepKeys = listKeys("run"), listKeys("keep")

func (m *Menu) selectKeys() *keys.Map[*dialogList] {
	if m.Keep {
		return keepKeys
	}
	return menuKeys
}

// NewMenu returns a menu of rows, with the cursor on the first one that is not a heading.
func NewMenu(name string, rows []Row) *Menu {
	m := &Menu{Name: name, All: rows, names: make([]fuzzy.Candidate, len(rows))}
	for i, r := range rows {
		m.names[i] = fuzzy.New(strings.TrimSpace(r.Sign + " " + r.Entry.Name + " " + r.Group + r.Text))
		m.signs = min(max(m.signs, text.Width(r.Sign)+2), menuKeyCols)
		m.keys = min(max(m.keys, m.signs, text.Width(r.Entry.Label())+2), menuKeyCols)
	}
	m.Filter()
	return m
}

func (m *Menu) Entries() []keys.Entry { return m.selectKeys().Entries(&dialogList{lister: m}) }
func (m *Menu) Title() string         { return m.Name }

// Place leaves a quarter of the screen free if there is room. It takes no more rows than there
// are matches, independent of which row is current.
func (m *Menu) Place(w, h int) geometry.Rect {
	full := min(len(m.All)+1, max(h*3/4, 16))
	rows, more := min(max(len(m.Matches)+1, 2), full), 0
	for i := 0; i < len(m.Matches) && len(m.Matches) < full; i++ {
		more = max(more, len(m.Lines(i, m.Cols(w)))-1)
	}
	return centred(menuCols, rows+more, full, w, h)
}

// Cols returns the columns inside the border on a screen of w columns.
func (m *Menu) Cols(w int) int {
	most, _ := inside(w, 0)
	return min(menuCols, most)
}

// Filter shows the rows that contain the words of the input as typed, or else their letters, best
// matches first; without input, it shows all rows in order.
func (m *Menu) Filter() {
	m.Matches = m.Matches[:0]
	q := strings.TrimSpace(m.Input.Value)
	if q == "" {
		for i := range m.All {
			m.Matches = append(m.Matches, i)
		}
	} else {
		m.match("'" + strings.Join(strings.Fields(q), " '"))
		if len(m.Matches) == 0 {
			m.match(q)
		}
		slices.SortStableFunc(m.Matches, func(a, b int) int { return cmp.Compare(m.All[a].rank(q), m.All[b].rank(q)) })
	}
	m.Cur, m.top = 0, 0
	m.fit()
}

func (m *Menu) match(query string) {
	for _, hit := range fuzzy.Find(m.names, query) {
		if m.All[hit.Index].Heading == "" {
			m.Matches = append(m.Matches, hit.Index)
		}
	}
}

// rank orders the rows that match an input: first those whose name begins with it, and those that
// can be run before the others. Rows of the same rank keep the order of their matches.
func (r *Row) rank(input string) int {
	n := 0
	if !strings.HasPrefix(strings.ToLower(r.Entry.Name), strings.ToLower(input)) {
		n = 3
	}
	switch {
	case r.Far:
		n += 2
	case r.Entry.Why != "":
		n++
	}
	return n
}

func (m *Menu) isHeading(i int) bool { return m.All[m.Matches[i]].Heading != "" }

// Select puts the cursor on a row.
func (m *Menu) Select(i int) { m.step(i - m.Cur) }

func (m *Menu) step(d int) {
	m.Cur = draw.Step(len(m.Matches), m.Cur, d, m.isHeading)
	more := m.more(m.room.Width)
	m.top = max(min(m.top, m.Cur, len(m.Matches)+more-m.Height), min(m.Cur, m.Cur+more-m.Height+1), 0)
	if m.Moved != nil && m.Cur < len(m.Matches) {
		m.Moved(&m.All[m.Matches[m.Cur]])
	}
	if m.Cur == 1 {
		m.top = 0 // show its heading too
	}
}

func (m *Menu) pageBy(d int)           { m.step(d * max(m.Height-1, 1)) }
func (m *Menu) selectCurrent() closing { return m.selectAt(m.Cur) }
func (m *Menu) leave() closing {
	if m.Left != nil {
		m.Left()
	}
	return closing{over: true}
}

// selectAt closes the menu and runs an action. If the action is disabled, it shows why.
func (m *Menu) selectAt(i int) closing {
	if i < 0 || i >= len(m.Matches) {
		return closing{}
	}
	r := &m.All[m.Matches[i]]
	if r.Entry.Do == nil {
		return closing{}
	}
	return closing{r.Entry.Do(0), true}
}

func (m *Menu) Update(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if end, known := pressList(m.selectKeys(), m, msg.String()); known {
			return end.cmd, end.over
		}
	case tea.WindowSizeMsg:
		m.room = msg
		m.fit()
	case tea.MouseWheelMsg:
		m.step(list.Wheel(msg) / list.WheelRows)
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft && msg.Y > 0 {
			end := m.selectAt(m.at(msg.Y - 1))
			return end.cmd, end.over
		}
	}
	if m.Input.Update(msg) {
		m.Filter()
	}
	return nil, false
}

// fit resizes the list to its place.
func (m *Menu) fit() {
	m.Height = max(m.Place(m.room.Width, m.room.Height).H-3, 1)
	m.step(0)
}

const (
	menuCols    = 76
	menuKeyCols = 20

	narrowMenu    = 50 // width below which a menu is narrow
	narrowKeyCols = 7  // columns of the keys in it: "Enter" and two blanks
)

func (m *Menu) View(th *theme.Theme, w, h int) ([]string, *geometry.Point) {
	out := make([]string, 0, h)
	head := append(th.HintKey.Append(text.Spaces(nil, 1), "›"), ' ')
	head, x := m.Input.Append(head, max(w-4, 1), th.Input)
	out = append(out, string(text.Spaces(head, 1)))
	for i := m.top; len(out) < h; i++ {
		if i == m.Cur && i < len(m.Matches) {
			out = m.current(out, th, w)
			continue
		}
		out = append(out, m.DrawRow(th, i, w))
	}
	return out[:h], &geometry.Point{X: 3 + x}
}

// wholeKeys returns as many keys of an action as fit in w columns, at least the first one and,
// if there is room, a sign that there are more.
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

// at returns the row that is drawn y rows below the top; the current row may take several rows
// of the screen.
func (m *Menu) at(y int) int {
	i := m.top + y
	if i <= m.Cur {
		return i
	}
	return max(i-m.more(m.room.Width), m.Cur)
}

// keyCols returns how many of w columns the keys or the sign of a row have, including the
// blank after them. In a narrow menu, keys other than the first are hidden in favor of names,
// and a long key moves only the name in its own row.
func (m *Menu) keyCols(r *Row, w int) int {
	narrow := w < narrowMenu
	switch {
	case r.Sign != "" && (narrow || m.All[0].Sign != ""): // the sign column contains names, not keys
		return min(m.signs, w/2)
	case narrow:
		return min(max(narrowKeyCols, text.Width(r.Entry.Hint())+2), w/3)
	}
	return min(m.keys, w/3)
}

// describe returns the name of a row's action, and why it is disabled or which group it belongs
// to.
func (m *Menu) describe(r *Row) (name, aside string) {
	name = r.Entry.Name
	if r.Sign != "" {
		name = r.Text
	}
	switch {
	case r.Entry.Why != "":
		return name, " · " + r.Entry.Why
	case r.Group != "" && m.Input.Value != "":
		return name, " · " + r.Group
	}
	return name, ""
}

// minAside is how many columns of a reason are worth showing.
const minAside = 8

// MaxMenuRows is the maximum number of rows of the current entry.
const MaxMenuRows = 6

// Lines returns the text of an entry, in full, when it is the current one, wrapped to the
// width w inside the border.
func (m *Menu) Lines(i, w int) []string {
	if i >= len(m.Matches) {
		return nil
	}
	r := &m.All[m.Matches[i]]
	name, aside := m.describe(r)
	return text.Rows(name+aside, max(w-m.keyCols(r, w)-2, 1), MaxMenuRows)
}

// more returns how many rows the current entry takes in addition to its first, on a screen
// that is that wide.
func (m *Menu) more(screen int) int {
	return max(len(m.Lines(m.Cur, m.Cols(screen)))-1, 0)
}

// DrawRow draws the match i in w columns.
func (m *Menu) DrawRow(th *theme.Theme, i, w int) string {
	p := draw.NewRow(nil, w)
	if i >= len(m.Matches) {
		if i == 0 {
			p.Put(" nothing is called that", th.Dim)
			return string(p.End())
		}
		return string(p.End())
	}
	r := &m.All[m.Matches[i]]
	if r.Heading != "" {
		p.Space(1)
		p.Put(r.Heading, th.Heading)
		return string(p.End())
	}
	style, keyStyle := th.Text, th.HintKey
	if r.Entry.Why != "" {
		style, keyStyle = th.Dim, th.Dim
	}
	cols := m.keyCols(r, w)
	p.Space(1)
	p.Clip(m.label(r, w), cols-1, keyStyle)
	p.Space(cols + 1 - p.Used)
	name, aside := m.describe(r)
	p.Put(name, style)
	left := w - p.Used
	whole := text.Width(aside) < left // otherwise only the current row shows the group
	if aside != "" && (whole || r.Entry.Why != "" && left >= minAside) {
		p.Put(aside, th.Dim)
	}
	return string(p.End())
}

func (m *Menu) label(r *Row, w int) string {
	if r.Sign != "" {
		return r.Sign
	}
	return wholeKeys(r.Entry, m.keyCols(r, w)-1)
}

// current draws the rows of the current entry.
func (m *Menu) current(out []string, th *theme.Theme, w int) []string {
	r := &m.All[m.Matches[m.Cur]]
	label, cols := m.label(r, w), m.keyCols(r, w)
	for _, line := range m.Lines(m.Cur, w) {
		p := draw.StyledRow(nil, w, th.Selected)
		p.Space(1)
		p.Clip(label, cols-1, th.HintKey)
		p.To(cols + 1)
		p.Put(line, th.Text)
		out, label = append(out, string(p.End())), ""
	}
	return out
}
