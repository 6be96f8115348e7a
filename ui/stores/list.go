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

// common is the common part of the three lists: theme, size, cursor and filter.
type common struct {
	screen.Plain
	env      screen.Env
	open     versions.StoreID // the current store
	readOnly bool
	now      time.Time
	w, h     int
	list.List
	words
}

func (l *common) SetTheme(th *theme.Theme) { l.env.Theme = th }
func (l *common) SetNow(now time.Time)     { l.now = now }

// filterRows returns the number of rows of the filter.
func (l *common) filterRows() int {
	if l.h > 3 && (l.typing || l.input.Value != "") {
		return 1
	}
	return 0
}

// detailRows returns the number of rows below the list that describe the row under the cursor.
func (l *common) detailRows() int {
	if l.h < 12 {
		return 0
	}
	return min(maxDetails, l.h/3)
}

// Cursor returns the place of the cursor in the filter.
func (l *common) Cursor() (x, y int, ok bool) {
	if !l.typing || l.w < 1 || l.filterRows() == 0 {
		return 0, 0, false
	}
	_, x = l.input.Append(nil, max(l.w-4, 1), l.env.Theme.Input)
	return min(3+x, max(l.w-1, 0)), l.h - 1, true
}

func (l *common) narrow() *words { return &l.words }

// TakesText reports whether the filter is being typed.
func (l *common) TakesText() bool { return l.typing }

// parts are the parts of a screen from top to bottom; the filter is the last row.
type parts struct {
	heads   []func(dst []byte) []byte
	n       int // rows of the list
	row     func(dst []byte, i int) []byte
	notice  []styled // text of an empty list
	details []styled
	note    []styled // an error
}

// frame draws a list in exactly the rows and columns of SetSize.
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

// styledRow draws row i of rows, padded with blanks.
func styledRow(dst []byte, w int, rows []styled, i int, th *theme.Theme) []byte {
	if i < len(rows) {
		return line(dst, w, rows[i].text, rows[i].style)
	}
	return line(dst, w, "", th.Text)
}

// archived describes when a store was archived; it is empty if it was not.
func (l *common) archived(at time.Time) []styled {
	if at.IsZero() {
		return nil
	}
	return []styled{{"archived " + at.In(l.now.Location()).Format("2006-01-02") + ": nothing is written to it any more", l.env.Theme.Warn}}
}

// metadata returns the metadata of a store in one line.
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

// lister is a list with a cursor.
type lister interface {
	step(by int)
	listHeight() int
}

// moves returns the actions that move the cursor of a list.
func moves[L lister]() []keys.Action[L] {
	return list.Moves(func(l L, by int) tea.Cmd { l.step(by); return nil }, L.listHeight)
}

// beginRow begins row i, with a sign if it is marked.
func (l *common) beginRow(dst []byte, i int, sign string, marked bool) draw.Row {
	st := theme.Style{}
	if i == l.Cur {
		st = l.env.Theme.Selected
	}
	r := draw.StyledRow(dst, l.w, st)
	r.Space(1)
	if marked {
		r.Put(sign+" ", l.env.Theme.Marked)
	}
	r.To(markCols)
	return r
}

// markCols is how many columns precede the first column.
const markCols = 3

// words is a filter: a list of words that must all be found.
type words struct {
	input  draw.Input
	typing bool
}

// in reports whether the parts contain all words, ignoring case.
func (w *words) in(parts ...string) bool {
	all := strings.ToLower(strings.Join(parts, "\n"))
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(w.input.Value)), func(word string) bool { return !strings.Contains(all, word) })
}

// narrowed is a list with a filter.
type narrowed interface {
	narrow() *words
	filter() // applies the filter
	step(by int)
	enter() tea.Cmd // accepts the filter
}

// filterKeys returns the keys that work while the filter is typed; every other key is text.
func filterKeys(enter string) *keys.Map[narrowed] {
	return keys.New("filter", nil, []keys.Action[narrowed]{
		{ID: "field.accept", Name: enter, Do: func(l narrowed, _ int) tea.Cmd { l.narrow().typing = false; return l.enter() }},
		{ID: "field.leave", Name: "show all", Do: func(l narrowed, _ int) tea.Cmd { showAll(l); return nil }},
		{ID: "field.down", Do: func(l narrowed, _ int) tea.Cmd { l.step(1); return nil }},
		{ID: "field.up", Do: func(l narrowed, _ int) tea.Cmd { l.step(-1); return nil }},
	})
}

// typed handles a key while the filter is typed.
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

// showAll leaves and clears the filter.
func showAll(l narrowed) {
	*l.narrow() = words{input: draw.NewInput("")}
	l.filter()
}
