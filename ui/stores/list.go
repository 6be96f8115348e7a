package stores

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// list is what the three lists have in common: looks, size, and where one is in them.
type list struct {
	env      screen.Env
	open     versions.StoreID // is shown now
	readOnly bool
	now      time.Time
	w, h     int
	cursor
}

func (l *list) SetTheme(th *theme.Theme) { l.env.Theme = th }
func (l *list) SetNow(now time.Time)     { l.now = now }

// moves are the actions that move the cursor of a list.
func moves[L interface {
	step(by int)
	listHeight() int
}]() []keys.Action[L] {
	const all = 1 << 30
	by := func(id, name string, rows func(l L, n int) int, seqs ...string) keys.Action[L] {
		return keys.Action[L]{ID: id, Name: name, Keys: seqs, Hide: true, Do: func(l L, n int) tea.Cmd {
			l.step(rows(l, max(n, 1)))
			return nil
		}}
	}
	return []keys.Action[L]{
		by("down", "down", func(_ L, n int) int { return n }, "j", "down"),
		by("up", "up", func(_ L, n int) int { return -n }, "k", "up"),
		by("page-down", "page down", func(l L, n int) int { return n * max(l.listHeight()-1, 1) }, "pgdown", "ctrl+f"),
		by("page-up", "page up", func(l L, n int) int { return -n * max(l.listHeight()-1, 1) }, "pgup", "ctrl+b"),
		by("top", "to the top", func(L, int) int { return -all }, "g g", "home"),
		by("bottom", "to the bottom", func(L, int) int { return all }, "G", "end"),
	}
}

// cursor is where one is in a list, and which of its rows show.
type cursor struct{ cur, top int }

// move goes some rows down in a list of n of which h show.
func (c *cursor) move(by, n, h int) {
	c.cur = min(max(c.cur+by, 0), max(n-1, 0))
	c.top = max(min(c.top, c.cur), c.cur-h+1)
	c.top = min(max(c.top, 0), max(n-h, 0))
}

// selected is where the row of the cursor begins, below so many rows.
func (c *cursor) selected(above, n, h int) (x, y int, ok bool) {
	y = c.cur - c.top
	return 0, above + y, c.cur < n && y >= 0 && y < h
}

// clicked is the row that was clicked.
func (c *cursor) clicked(msg tea.MouseClickMsg, above, n, h int) (i int, ok bool) {
	i = c.top + msg.Y - above
	return i, msg.Button == tea.MouseLeft && msg.Y >= above && msg.Y < above+h && i < n
}

// beginRow draws what row i begins with: the ground where the cursor is, and a sign
// where it is marked.
func (c *cursor) beginRow(dst []byte, q *draw.Pen, i int, sign string, marked bool, th *theme.Theme) []byte {
	if i == c.cur {
		q.Base = th.Selected.On
	}
	q.Plain = q.Base != ""
	dst = append(dst, q.Base...)
	dst = q.Space(dst, 1)
	if marked {
		return q.Put(dst, sign+" ", th.Marked)
	}
	return q.Space(dst, 2)
}

// endRow fills a row.
func endRow(dst []byte, q *draw.Pen) []byte {
	dst = q.Space(dst, q.W)
	if q.Base != "" {
		dst = append(dst, text.Reset...)
	}
	return dst
}

// wheeled is how many rows down a step of the wheel goes.
func wheeled(msg tea.MouseWheelMsg) int {
	switch msg.Button {
	case tea.MouseWheelDown:
		return 3
	case tea.MouseWheelUp:
		return -3
	}
	return 0
}

// words narrow a list down to what holds them all.
type words struct {
	input  draw.Input
	typing bool
}

// in reports whether a text holds all words, in small or large letters.
func (w *words) in(parts ...string) bool {
	all := strings.ToLower(strings.Join(parts, "\n"))
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(w.input.Value)), func(word string) bool { return !strings.Contains(all, word) })
}

// narrowed is a list that words are typed for.
type narrowed interface {
	narrow() *words
	filter() // lists what holds the words
	step(by int)
	enter() tea.Cmd // once they are typed
}

// filterKeys are what the words obey while they are typed; all other keys are text.
func filterKeys(enter string) *keys.Map[narrowed] {
	return keys.New("filter", nil, []keys.Action[narrowed]{
		{ID: "open", Name: enter, Keys: []string{"enter"}, Do: func(l narrowed, _ int) tea.Cmd { l.narrow().typing = false; return l.enter() }},
		{ID: "clear", Name: "show all", Keys: []string{"esc", "ctrl+c"}, Do: func(l narrowed, _ int) tea.Cmd { showAll(l); return nil }},
		{ID: "down", Name: "down", Keys: []string{"down", "ctrl+n"}, Do: func(l narrowed, _ int) tea.Cmd { l.step(1); return nil }},
		{ID: "up", Name: "up", Keys: []string{"up", "ctrl+p"}, Do: func(l narrowed, _ int) tea.Cmd { l.step(-1); return nil }},
	})
}

// typed takes what is typed.
func typed(l narrowed, m *keys.Map[narrowed], msg tea.Msg) tea.Cmd {
	w := l.narrow()
	if !w.typing {
		return nil
	}
	if k, ok := msg.(tea.KeyPressMsg); ok {
		if cmd, r := m.Press(l, []string{k.String()}, 0); r == keys.Done {
			return cmd
		}
	}
	if w.input.Update(msg) {
		l.filter()
	}
	return nil
}

// showAll ends the typing and takes the words away.
func showAll(l narrowed) {
	*l.narrow() = words{input: draw.NewInput("")}
	l.filter()
}
