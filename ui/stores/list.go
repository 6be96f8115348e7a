package stores

import (
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// common is what the three lists have in common: looks, size, and where one is in them.
type common struct {
	screen.Plain
	env      screen.Env
	open     versions.StoreID // is shown now
	readOnly bool
	now      time.Time
	w, h     int
	list.List
	words
}

func (l *common) SetTheme(th *theme.Theme) { l.env.Theme = th }
func (l *common) SetNow(now time.Time)     { l.now = now }

// filterRows is the row where words are typed.
func (l *common) filterRows() int {
	if l.h > 3 && (l.typing || l.input.Value != "") {
		return 1
	}
	return 0
}

// detailRows are below the list: what is known of the row of the cursor.
func (l *common) detailRows() int {
	if l.h < 12 {
		return 0
	}
	return min(maxDetails, l.h/3)
}

// Cursor is where words are typed.
func (l *common) Cursor() (x, y int, ok bool) {
	if !l.typing || l.w < 1 || l.filterRows() == 0 {
		return 0, 0, false
	}
	_, x = l.input.Append(nil, max(l.w-4, 1), l.env.Theme.Input)
	return min(3+x, max(l.w-1, 0)), l.h - 1, true
}

func (l *common) narrow() *words { return &l.words }

// TakesText reports whether words are typed.
func (l *common) TakesText() bool { return l.typing }

// parts are what a screen shows, from above to below; the words are the last row.
type parts struct {
	heads   []func(dst []byte) []byte
	n       int // rows of the list
	row     func(dst []byte, i int) []byte
	notice  []styled // where nothing is listed
	details []styled
	note    []styled // that something went wrong
}

// frame draws a list: exactly the rows and columns of SetSize.
func (l *common) frame(p parts) string {
	if l.w <= 0 || l.h <= 0 {
		return ""
	}
	dst := make([]byte, 0, l.h*(l.w*2+32))
	end := l.h - l.filterRows()
	rows := max(end-len(p.note)-len(p.heads)-l.detailRows(), 0)
	for y := range l.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		i := y - len(p.heads)
		switch {
		case y >= end:
			dst = filterRow(dst, l.w, &l.input, l.env.Theme)
		case y < len(p.heads):
			dst = p.heads[y](dst)
		case y >= end-len(p.note):
			dst = styledRow(dst, l.w, p.note, y-(end-len(p.note)), l.env.Theme)
		case i >= rows:
			dst = styledRow(dst, l.w, p.details, i-rows, l.env.Theme)
		case p.n == 0:
			dst = styledRow(dst, l.w, p.notice, i, l.env.Theme)
		case l.Top+i < p.n:
			dst = p.row(dst, l.Top+i)
		default:
			dst = text.Spaces(dst, l.w)
		}
	}
	return string(dst)
}

// styledRow is row i of some, blank behind them.
func styledRow(dst []byte, w int, rows []styled, i int, th *theme.Theme) []byte {
	if i < len(rows) {
		return line(dst, w, rows[i].text, rows[i].style)
	}
	return line(dst, w, "", th.Text)
}

// archived says that nothing is written to a store any more; nothing of one that is not
// archived.
func (l *common) archived(at time.Time) []styled {
	if at.IsZero() {
		return nil
	}
	return []styled{{"archived " + at.In(l.now.Location()).Format("2006-01-02") + ": nothing is written to it any more", l.env.Theme.Warn}}
}

// metadata is that of a store, in one line.
func (l *common) metadata(m map[string]string) []styled {
	if len(m) == 0 {
		return nil
	}
	var pairs []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		pairs = append(pairs, k+"="+m[k])
	}
	return []styled{{strings.Join(pairs, "  "), l.env.Theme.Dim}}
}

// lister is a list whose cursor moves.
type lister interface {
	step(by int)
	listHeight() int
}

// moves are the actions that move the cursor of a list.
func moves[L lister]() []keys.Action[L] {
	return list.Moves(func(l L, by int) tea.Cmd { l.step(by); return nil }, L.listHeight)
}

// beginRow draws what row i begins with: the ground where the cursor is, and a sign
// where it is marked.
func (l *common) beginRow(dst []byte, q *draw.Pen, i int, sign string, marked bool, th *theme.Theme) []byte {
	if i == l.Cur {
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
