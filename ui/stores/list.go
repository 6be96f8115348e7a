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
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// owner is one of the three lists.
type owner interface {
	Rows() int
	row(r draw.Row, i int) draw.Row
	sign(i int) string // in front of a row; empty for none
	RowsAbove() int
	AppendAbove(dst []byte, i, cols int) []byte
	notices() facts // instead of an empty list
	note() string   // a problem, shown below the list and the detail
	about() facts   // the row under the cursor
	DetailTitle() string
	again() tea.Cmd // for a click on the row under the cursor
}

// common is the common part of the three lists: they stand on split, and have a filter below.
type common struct {
	screen.Plain
	env      screen.Env
	open     versions.StoreID // the current store
	readOnly bool
	now      time.Time
	w, h     int
	*split.Split
	text *split.Text // the detail
	words
	owner
}

// stand lays out a list.
func (l *common) stand(owner owner) {
	l.owner = owner
	l.text = split.NewText(l.env.Keys, func() []split.Fact { return owner.about() })
	l.Split = split.With(l.env.Theme, l.text, l)
	l.Above = owner
	l.Beside, l.Below = 1<<30, belowFrom // never beside: the columns need the width
	l.Share = func(h int) int { return h - min(maxText, h/3) }
}

const (
	belowFrom = 12 // rows from which the text about a row is visible
	maxText   = 10 // rows of it, unless the list leaves more
	maxNote   = 4
)

// Cols, Heading and Facts implement split.Owner: a list is as wide as the screen.
func (l *common) Cols() int           { return l.w }
func (l *common) Heading(int) bool    { return false }
func (l *common) Facts() []split.Fact { return nil }

// titleRows returns the rows of the column titles: none where the text has all the room.
func (l *common) titleRows() int {
	if l.InDetail && l.H < l.Whole {
		return 0
	}
	return 1
}

// Moved shows the beginning of the text about another row.
func (l *common) Moved() tea.Cmd {
	l.text.Top()
	return nil
}

func (l *common) SetTheme(th *theme.Theme) {
	l.env.Theme = th
	l.Split.SetTheme(th)
}

func (l *common) SetNow(now time.Time) { l.now = now }

// SetSize sets the columns and rows of View.
func (l *common) SetSize(w, h int) {
	l.w, l.h = max(w, 0), max(h, 0)
	l.fit()
}

// fit leaves room for the note and the filter.
func (l *common) fit() {
	l.Split.SetSize(l.w, l.h-len(l.noteRows())-l.filterRows())
	l.Resize()
}

// step moves the cursor.
func (l *common) step(by int) {
	l.fit()
	l.MoveBy(by)
}

// Update handles mouse events and, while the filter is typed, keys.
func (l *common) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		return l.typed(msg)
	case tea.MouseClickMsg:
		if i, ok := l.RowAt(msg); ok && i == l.Cur && !l.InDetail {
			return l.again()
		}
	}
	return l.Split.Update(msg)
}

// noteRows returns the note in rows: more of them if the list leaves room.
func (l *common) noteRows() []string {
	note := l.note()
	if note == "" || l.h < 5 {
		return nil
	}
	free := l.h - l.RowsAbove() - l.filterRows() - max(l.Rows(), 1)
	return text.Rows(text.Field(note), l.w-2, max(l.h/8, min(free, maxNote), 1))
}

// filterRows returns the number of rows of the filter.
func (l *common) filterRows() int {
	if l.h > 3 && (l.typing || l.input.Value != "") {
		return 1
	}
	return 0
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
	l.fit()
	view := l.Split.View
	if l.Rows() == 0 {
		view = func() string { return l.Notices(l.notices()...) }
	}
	dst := []byte(view())
	for _, row := range l.noteRows() {
		dst = line(append(dst, '\n'), l.w, row, l.env.Theme.Warn)
	}
	if l.filterRows() > 0 {
		dst = filterRow(append(dst, '\n'), l.w, &l.input, l.env.Theme)
	}
	return string(dst)
}

// AppendRow draws row i of the list.
func (l *common) AppendRow(dst []byte, i, cols int) []byte {
	r, ok := l.Split.Row(dst, i, cols)
	if !ok {
		return r.End()
	}
	r.Space(1)
	if sign := l.sign(i); sign != "" {
		r.Put(sign+" ", l.env.Theme.Marked)
	}
	r.To(markCols)
	r = l.row(r, i)
	return r.End()
}

// facts are lines about a row.
type facts []split.Fact

// add adds the lines of a text, unless it is empty.
func (f *facts) add(s string, st theme.Style) {
	if s == "" {
		return
	}
	for line := range strings.SplitSeq(s, "\n") {
		*f = append(*f, split.Fact{Text: line, Style: st})
	}
}

// archived describes when a store was archived; it is empty if it was not.
func (l *common) archived(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return "archived " + at.In(l.now.Location()).Format("2006-01-02") + ": nothing is written to it any more"
}

// metadata returns the metadata of a store in one line.
func metadata(m map[string]string) string {
	var pairs []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		pairs = append(pairs, k+"="+m[k])
	}
	return strings.Join(pairs, "  ")
}

// mover is one of the three lists.
type mover interface {
	MoveBy(int) tea.Cmd
	Page() int
	Focus(detail bool)
}

// moves returns the actions that move the cursor of a list, or the focus.
func moves[L mover]() []keys.Action[L] {
	in := keys.Action[L]{ID: "list.in", Name: "to the text about it", Hide: true, Do: func(l L, _ int) tea.Cmd { l.Focus(true); return nil }}
	return append(list.Moves(L.MoveBy, L.Page), in)
}

// chosenSign is the sign of a row that may be chosen.
func chosenSign(chosen bool) string {
	if chosen {
		return "✓"
	}
	return ""
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

// list returns those of n stores whose text contains all words, ignoring case, archived ones last. It reuses dst.
func (w *words) list(dst []int, n int, store func(i int) (archived bool, text []string)) []int {
	dst = dst[:0]
	var last []int
	for i := range n {
		archived, text := store(i)
		all := strings.ToLower(strings.Join(text, "\n"))
		switch {
		case slices.ContainsFunc(strings.Fields(strings.ToLower(w.input.Value)), func(word string) bool { return !strings.Contains(all, word) }):
		case archived:
			last = append(last, i)
		default:
			dst = append(dst, i)
		}
	}
	return append(dst, last...)
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
