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

// owner is one of the three lists. It has the rows, and what is above and below them.
type owner interface {
	count() int
	row(dst []byte, i int) []byte
	heads() int // rows above
	head(dst []byte, i int) []byte
	notice() []styled  // instead of the rows of an empty list
	note() []styled    // an error, below the rows
	details() []styled // about the row under the cursor, at most detailRows
	again() tea.Cmd    // for a click on the row under the cursor
}

// common is the common part of the three lists: theme, size, cursor, mouse and filter.
type common struct {
	screen.Plain
	env      screen.Env
	open     versions.StoreID // the current store
	readOnly bool
	now      time.Time
	w, h     int
	list.List
	words
	owner owner
}

func (l *common) SetTheme(th *theme.Theme) { l.env.Theme = th }
func (l *common) SetNow(now time.Time)     { l.now = now }

// SetSize sets the columns and rows of View.
func (l *common) SetSize(w, h int) {
	l.w, l.h = max(w, 0), max(h, 0)
	l.step(0)
}

// Selected returns where the row of the cursor begins.
func (l *common) Selected() (x, y int, ok bool) {
	return l.Cell(l.owner.heads(), l.owner.count(), l.listHeight())
}

func (l *common) step(by int) { l.Step(by, l.owner.count(), l.listHeight(), nil) }

func (l *common) listHeight() int {
	return max(l.h-l.owner.heads()-len(l.owner.note())-l.filterRows()-l.detailRows(), 0)
}

// Update handles mouse events and, while the filter is typed, keys.
func (l *common) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		return l.typed(msg)
	case tea.MouseWheelMsg:
		l.Scroll(list.Wheel(msg), l.owner.count(), l.listHeight())
	case tea.MouseClickMsg:
		i, ok := l.Clicked(msg, l.owner.heads(), l.owner.count(), l.listHeight())
		switch {
		case ok && i == l.Cur:
			return l.owner.again()
		case ok:
			l.step(i - l.Cur)
		}
	}
	return nil
}

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

// View returns exactly the rows and columns of SetSize. The filter is the last row.
func (l *common) View() string {
	if l.w <= 0 || l.h <= 0 {
		return ""
	}
	dst := make([]byte, 0, l.h*(l.w*2+32))
	heads, n, height, end := l.owner.heads(), l.owner.count(), l.listHeight(), l.h-l.filterRows()
	notice, note, details := l.owner.notice(), l.owner.note(), l.owner.details()
	for y := range l.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		i := y - heads
		switch {
		case y >= end:
			dst = filterRow(dst, l.w, &l.input, l.env.Theme)
		case i < 0:
			dst = l.owner.head(dst, y)
		case y >= end-len(note):
			dst = styledRow(dst, l.w, note, y-(end-len(note)), l.env.Theme)
		case i >= height:
			dst = styledRow(dst, l.w, details, i-height, l.env.Theme)
		case n == 0:
			dst = styledRow(dst, l.w, notice, i, l.env.Theme)
		case l.Top+i < n:
			dst = l.owner.row(dst, l.Top+i)
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

// moves returns the actions that move the cursor of a list.
func moves[L interface {
	step(by int)
	listHeight() int
}]() []keys.Action[L] {
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
	keys   *keys.Map[*words] // while it is typed; nil without a filter
	filter func()            // applies it
}

// newWords returns a filter. Enter accepts it, which is called enter in the hints.
func newWords(filter func(), enter string, accept func() tea.Cmd, step func(by int)) words {
	return words{filter: filter, keys: keys.New("filter", nil, []keys.Action[*words]{
		{ID: "field.accept", Name: enter, Do: func(w *words, _ int) tea.Cmd { w.typing = false; return accept() }},
		{ID: "field.leave", Name: "show all", Do: func(w *words, _ int) tea.Cmd { w.showAll(); return nil }},
		{ID: "field.down", Do: func(*words, int) tea.Cmd { step(1); return nil }},
		{ID: "field.up", Do: func(*words, int) tea.Cmd { step(-1); return nil }},
	})}
}

// TakesText reports whether the filter is being typed.
func (l *common) TakesText() bool { return l.typing }

// in reports whether the parts contain all words, ignoring case.
func (w *words) in(parts ...string) bool {
	all := strings.ToLower(strings.Join(parts, "\n"))
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(w.input.Value)), func(word string) bool { return !strings.Contains(all, word) })
}

// typed handles a key while the filter is typed; every key that is bound to nothing is text.
func (w *words) typed(msg tea.Msg) tea.Cmd {
	if !w.typing {
		return nil
	}
	if k, ok := msg.(tea.KeyPressMsg); ok {
		if cmd, r := w.keys.Press(w, []string{k.String()}, 0); r == keys.Done {
			return cmd
		}
	}
	if w.input.Update(msg) {
		w.filter()
	}
	return nil
}

// showAll leaves and clears the filter.
func (w *words) showAll() {
	w.input, w.typing = draw.NewInput(""), false
	w.filter()
}
