// Package split is what the screens share that have a list and show a detail of the row under the
// cursor, mostly the diff of a change: beside the list, or below it where there is little room. It
// has the layout, the focus, the mouse, and decides which of the two parts a key belongs to. Its
// owner has the rows, and may have rows of its own above both, such as a query.
package split

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
)

// Owner has the rows of the list, and knows what is beside them.
type Owner interface {
	Rows() int
	Cols() int                                  // that the widest row needs; asked for each frame
	Heading(row int) bool                       // the cursor skips it
	AppendRow(dst []byte, row, cols int) []byte // exactly cols columns; a row past the end is empty
	Facts() []Fact                              // about the row under the cursor, the most important first
	DiffTitle() string
	Moved() tea.Cmd // shows the detail of the row that the cursor has moved to
}

// Above is the rows above the list and the detail.
type Above interface {
	RowsAbove() int
	AppendAbove(dst []byte, row, cols int) []byte // exactly cols columns
}

// Fact is a line about the row under the cursor. It is wrapped if there is room.
type Fact struct {
	Text   string
	Style  theme.Style
	OneRow bool                // of its parts, each after " · ", the last ones are left out if they do not fit
	Put    func(row *draw.Row) // draws the fact in one row, instead of Text
}

// Detail is what is shown about the row under the cursor: a diff, or a text.
type Detail interface {
	SetSize(w, h int)
	SetFocused(bool)
	SetTheme(*theme.Theme)
	SetWrap(bool)
	View() string // exactly the rows and columns of SetSize
	Update(tea.Msg) tea.Cmd
	Press(seq []string, n int) (tea.Cmd, keys.Result)
	Entries() []keys.Entry
}

// Split is the list and the detail. New returns one with a diff.
type Split struct {
	*list.List                // an owner with several lists replaces it with that of the one it shows
	Diff       *diffview.View // nil if the detail is something else
	InDiff     bool           // the detail has the focus
	Beside     int            // columns from which the detail is beside the list
	Below      int            // rows from which a detail below the list is visible without the focus
	Above      Above          // nil for none
	Marks      func() []Fact  // after DiffTitle; nil for none
	Back       string         // the key that returns from the detail, shown where no list is visible
	W, H       int            // as in SetSize

	detail  Detail
	th      *theme.Theme
	owner   Owner
	blurred bool // another pane has the focus
	border  border
}

// border is the line between the list and the detail.
type border struct {
	cols, rows int  // of the list, where the line was dragged to; 0 where it was not
	held       bool // it is being dragged
}

// New returns the parts of an owner whose detail is a diff.
func New(th *theme.Theme, bindings keys.Bindings, owner Owner) *Split {
	diff := diffview.New(th, bindings)
	s := With(th, diff, owner)
	s.Diff = diff
	return s
}

// With returns the parts of an owner with another detail.
func With(th *theme.Theme, detail Detail, owner Owner) *Split {
	return &Split{List: &list.List{}, Beside: besideFrom, Below: minToDivide, detail: detail, th: th, owner: owner}
}

// SetDetail replaces the detail.
func (s *Split) SetDetail(d Detail) {
	s.detail = d
	s.SetTheme(s.th)
	s.Fit()
}

// SetTheme changes the theme.
func (s *Split) SetTheme(th *theme.Theme) {
	s.th = th
	s.detail.SetTheme(th)
}

// SetWrap sets whether long lines of the detail are wrapped.
func (s *Split) SetWrap(on bool) { s.detail.SetWrap(on) }

// SetFocused sets whether the list or the detail has the focus, and not another pane.
func (s *Split) SetFocused(on bool) {
	s.blurred = !on
	s.Resize()
}

// SetSize sets the columns and rows of View.
func (s *Split) SetSize(w, h int) {
	if w, h = max(w, 0), max(h, 0); w != s.W || h != s.H {
		s.W, s.H = w, h
		s.Fit()
	}
}

// Step moves the cursor down by rows and skips headings.
func (s *Split) Step(by int) {
	if n := s.owner.Rows(); n > 0 {
		s.List.Step(by, n, s.places().list.H, s.heading)
	}
	s.Fit()
}

// MoveBy moves the cursor down by rows, to another detail.
func (s *Split) MoveBy(n int) tea.Cmd {
	was := s.Cur
	if s.Step(n); s.Cur == was {
		return nil
	}
	return s.owner.Moved()
}

// Page returns how many rows of the list are visible.
func (s *Split) Page() int { return s.places().list.H }

// Fit resizes the parts and scrolls to the cursor. It must be called when the rows or the facts
// have changed.
func (s *Split) Fit() {
	s.Resize()
	s.List.Fit(s.owner.Rows(), s.Page(), s.heading)
}

// Resize resizes the parts, and scrolls only if the list became shorter.
func (s *Split) Resize() {
	at := s.places()
	s.detail.SetSize(at.diff.W, at.diff.H)
	s.detail.SetFocused(s.InDiff && !s.blurred)
	s.Clamp(s.owner.Rows(), at.list.H)
}

func (s *Split) heading(i int) bool { return i < s.owner.Rows() && s.owner.Heading(i) }

// Focus moves the focus to the diff, or back to the list.
func (s *Split) Focus(diff bool) {
	s.InDiff = diff
	if !diff && s.Diff != nil {
		s.Diff.Deselect()
	}
	s.Fit()
}

// Selected returns where the row of the cursor begins, in the list or in a diff with the focus.
func (s *Split) Selected() (x, y int, ok bool) {
	at := s.places()
	if s.InDiff && s.Diff != nil {
		x, y, ok = s.Diff.Selected()
		return at.diff.X + x, at.diff.Y + y, ok && at.diff.H > 0
	}
	return s.Cell(at.list.Y, s.owner.Rows(), at.list.H)
}

// Update handles mouse events.
func (s *Split) Update(msg tea.Msg) tea.Cmd {
	at := s.places()
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft {
			return s.click(msg, at)
		}
	case tea.MouseMotionMsg:
		switch {
		case s.border.held && at.beside:
			s.border.cols = max(msg.X, 1)
			s.Fit()
		case s.border.held:
			s.border.rows = max(msg.Y-at.list.Y, 1)
			s.Fit()
		case s.InDiff:
			return s.detail.Update(tea.MouseMotionMsg(at.inDetail(msg.Mouse())))
		}
	case tea.MouseReleaseMsg:
		s.border.held = false
		return s.detail.Update(tea.MouseReleaseMsg(at.inDetail(msg.Mouse())))
	case tea.MouseWheelMsg:
		if at.diff.Holds(msg.X, msg.Y) {
			return s.detail.Update(tea.MouseWheelMsg(at.inDetail(msg.Mouse())))
		}
		s.Scroll(list.Wheel(msg), s.owner.Rows(), at.list.H)
	}
	return nil
}

// click selects a row, clicks in the detail, or begins to drag the border. Where no list is
// visible, a click above the detail returns to it.
func (s *Split) click(msg tea.MouseClickMsg, at places) tea.Cmd {
	switch {
	case at.list.Holds(msg.X, msg.Y):
		s.Focus(false)
		if i, ok := s.RowAt(msg); ok && !s.heading(i) {
			return s.MoveBy(i - s.Cur)
		}
	case at.diff.Holds(msg.X, msg.Y):
		s.Focus(true)
		return s.detail.Update(tea.MouseClickMsg(at.inDetail(msg.Mouse())))
	case at.beside && msg.X == at.list.W, !at.beside && at.list.H > 0 && at.head.Holds(msg.X, msg.Y):
		s.border.held = true
	case at.head.Holds(msg.X, msg.Y) && at.list.H == 0:
		s.Focus(false)
	}
	return nil
}

// Beyond reports whether the mouse is dragged above or below the detail.
func (s *Split) Beyond() bool {
	d, ok := s.detail.(screen.Dragger)
	return ok && s.InDiff && !s.border.held && d.Beyond()
}

// RowAt returns the row of the list that was clicked.
func (s *Split) RowAt(msg tea.MouseClickMsg) (i int, ok bool) {
	at := s.places().list
	if !at.Holds(msg.X, msg.Y) {
		return 0, false
	}
	return s.Clicked(msg, at.Y, s.owner.Rows(), at.H)
}

// through are the actions of the diff that also work in the list.
var through = []string{
	"list.next", "list.previous", "diff.more-context", "diff.less-context", "diff.whole", "diff.side-by-side", "text.wrap",
	"move.half-down", "move.half-up",
}

// moves reports whether a key moves in the list, or to the diff: in the diff such keys belong to
// the diff. All other keys of the owner act on the row, wherever the focus is.
func moves(e keys.Entry) bool {
	return strings.HasPrefix(e.ID, "move.") || strings.HasPrefix(e.ID, "list.range") || e.ID == "list.open" || e.ID == "list.in"
}

// Press handles a sequence of keys with the owner's keys and those of the diff. The owner's
// list.open and list.in move the focus to the diff.
func Press[P any](s *Split, owner P, own *keys.Map[P], seq []string, n int) (tea.Cmd, keys.Result) {
	entries := own.Entries(owner)
	acts := slices.ContainsFunc(entries, func(e keys.Entry) bool { return !moves(e) && keys.Bound(entries, []string{e.ID}, seq) })
	if s.InDiff && !acts {
		if cmd, r := s.detail.Press(seq, n); r != keys.None {
			return cmd, r
		}
	}
	if cmd, r := own.Press(owner, seq, n); r != keys.None {
		return cmd, r
	}
	if keys.Bound(s.detail.Entries(), through, seq) {
		return s.detail.Press(seq, n)
	}
	return nil, keys.None
}

// Entries returns the actions that are available now: the owner's, and those of the diff without
// the keys that the owner takes.
func (s *Split) Entries(own []keys.Entry) []keys.Entry {
	out := slices.DeleteFunc(slices.Clone(own), func(e keys.Entry) bool { return s.InDiff && moves(e) })
	for _, e := range s.detail.Entries() {
		if !s.InDiff && !slices.Contains(through, e.ID) {
			continue
		}
		e.Keys = slices.DeleteFunc(slices.Clone(e.Keys), func(key string) bool {
			return slices.ContainsFunc(own, func(o keys.Entry) bool { return (!s.InDiff || !moves(o)) && slices.Contains(o.Keys, key) })
		})
		out = append(out, e)
	}
	return out
}

// places holds the boxes of the parts: the list, the facts about the row under the cursor, the
// line above its diff, and the diff.
type places struct {
	list, facts, head, diff draw.Box
	beside                  bool
}

const (
	besideFrom  = 100 // columns from which the detail is beside the list, if the owner does not say
	wholeFrom   = 14  // rows from which the list stays visible while the diff has the focus
	minToDivide = 8   // rows from which the list and the detail below it are both visible, if the owner does not say
	minCols     = 24  // of a part beside the dragged border
	minRows     = 3
)

// above returns how many rows are above the list and the detail.
func (s *Split) above() int {
	if s.Above == nil {
		return 0
	}
	return min(s.Above.RowsAbove(), s.H)
}

func (s *Split) places() places {
	y := s.above()
	w, h := s.W, s.H-y
	switch {
	case s.InDiff && h < wholeFrom: // the diff gets all the room
		return s.divided(draw.At(0, y, 0, 0), draw.At(0, y, w, h), false)
	case w >= s.Beside && h >= minRows:
		left := max(min(max(w*9/20, 44), 72), min(s.owner.Cols(), w*11/20))
		if s.border.cols > 0 {
			left = max(min(s.border.cols, w-minCols-1), minCols)
		}
		return s.divided(draw.At(0, y, left, h), draw.At(left+1, y, w-left-1, h), true)
	case h >= s.Below:
		top := min(max(h*2/5, minRows), max(s.owner.Rows(), minRows))
		if s.border.rows > 0 {
			top = max(min(s.border.rows, h-minRows-1), minRows)
		}
		return s.divided(draw.At(0, y, w, top), draw.At(0, y+top, w, h-top), false)
	}
	return places{list: draw.At(0, y, w, h)}
}

// divided divides the detail: below the list, a line separates it.
func (s *Split) divided(rows, detail draw.Box, beside bool) places {
	at := places{list: rows, beside: beside}
	if !beside {
		at.head = detail.CutTop(min(1, detail.H))
	}
	at.facts = detail.CutTop(min(len(s.factRows(detail.W, detail.H)), detail.H))
	if beside {
		at.head = detail.CutTop(min(1, detail.H))
	}
	at.diff = detail
	return at
}

// inDetail returns where the mouse is in the detail.
func (at places) inDetail(m tea.Mouse) tea.Mouse {
	m.X, m.Y = m.X-at.diff.X, m.Y-at.diff.Y
	return m
}

// factRows returns the facts in rows of w columns, for a detail of h rows: at least half of them
// are left for the diff.
func (s *Split) factRows(w, h int) (out []Fact) {
	most := h / 2
	facts := s.owner.Facts()
	for i, f := range facts {
		room := most - len(out) - (len(facts) - 1 - i) // a row for each of the rest
		switch {
		case f.Put != nil:
			if len(out) < most {
				out = append(out, f)
			}
			continue
		case f.OneRow:
			if len(out) < most {
				row, _ := text.ClipMore(nil, text.WholeParts(text.Field(f.Text), max(w-2, 1)), max(w-2, 1))
				out = append(out, Fact{Text: string(row), Style: f.Style})
			}
			continue
		}
		for _, row := range text.Rows(text.Field(f.Text), max(w-2, 1), max(room, 1)) {
			if len(out) < most {
				out = append(out, Fact{Text: row, Style: f.Style})
			}
		}
	}
	return out
}

// View returns exactly the rows and columns of SetSize.
func (s *Split) View() string {
	at := s.places()
	diff, facts := strings.Split(s.detail.View(), "\n"), s.factRows(at.facts.W, s.detailHeight(at))
	return s.frame(func(dst []byte, y int) []byte {
		if at.list.Holds(0, y) {
			dst = s.owner.AppendRow(dst, s.Top+y-at.list.Y, at.list.W)
		}
		if at.beside {
			dst = s.th.Border.Append(dst, s.th.Lines.Down)
		}
		switch {
		case at.facts.H > 0 && y >= at.facts.Y && y < at.facts.Y+at.facts.H:
			row, f := draw.NewRow(dst, at.facts.W), facts[y-at.facts.Y]
			row.Space(1)
			if f.Put != nil {
				f.Put(&row)
			} else {
				row.Put(f.Text, f.Style)
			}
			return row.End()
		case at.head.H > 0 && y == at.head.Y:
			return s.appendHead(dst, at)
		case s.heading(s.Cur): // there is nothing to show
			return text.Spaces(dst, at.diff.W)
		case y >= at.diff.Y && y-at.diff.Y < min(at.diff.H, len(diff)):
			return append(dst, diff[y-at.diff.Y]...)
		}
		return dst
	})
}

// frame draws the rows above, and below them those that row draws.
func (s *Split) frame(row func(dst []byte, y int) []byte) string {
	if s.W <= 0 || s.H <= 0 {
		return ""
	}
	above := s.above()
	dst := make([]byte, 0, s.H*(s.W+48))
	for y := range s.H {
		if y > 0 {
			dst = append(dst, '\n')
		}
		if y < above {
			dst = s.Above.AppendAbove(dst, y, s.W)
		} else {
			dst = row(dst, y)
		}
	}
	return string(dst)
}

// detailHeight returns the rows of the detail, as divided gave them to factRows.
func (s *Split) detailHeight(at places) int {
	h := at.facts.H + at.diff.H
	if at.beside {
		h += at.head.H
	}
	return h
}

// appendHead draws the line above the diff.
func (s *Split) appendHead(dst []byte, at places) []byte {
	border, title := s.th.Border, s.th.Dim
	if s.InDiff && !s.blurred {
		border, title = s.th.BorderFocused, s.th.TitleFocused
	}
	pen := draw.NewRow(dst, at.head.W)
	if at.list.H > 0 {
		pen.Put(strings.Repeat(s.th.Lines.Across, 2)+" ", border)
	} else { // a click returns to the list
		pen.Put("‹ "+s.Back+" ", s.th.HintKey)
	}
	var marks []Fact
	room := pen.Left() - 1
	if s.Marks != nil {
		marks = s.Marks()
	}
	for _, f := range marks {
		room -= text.Width(f.Text) + 1
	}
	pen.Path(text.Field(s.owner.DiffTitle()), max(room, minTitle), title)
	pen.Space(1)
	for _, f := range marks {
		pen.Put(f.Text+" ", f.Style)
	}
	pen.Put(strings.Repeat(s.th.Lines.Across, max(pen.Left(), 0)), border)
	return pen.End()
}

const minTitle = 12

// Row begins a row of the list, in the style of the cursor if it is there. Past the end it
// returns an empty row and false.
func (s *Split) Row(dst []byte, i, w int) (draw.Row, bool) {
	switch {
	case i >= s.owner.Rows():
		return draw.NewRow(dst, w), false
	case i == s.Cur && (s.InDiff || s.blurred):
		return draw.StyledRow(dst, w, s.th.SelectedDim), true
	case i == s.Cur:
		return draw.StyledRow(dst, w, s.th.Selected), true
	}
	return draw.NewRow(dst, w), true
}

// Notice returns a text that is shown instead of the list and the detail.
func (s *Split) Notice(notice string, st theme.Style) string {
	above := s.above()
	rows := text.Rows(text.Field(notice), max(s.W-4, 1), max(s.H-above, 1))
	return s.frame(func(dst []byte, y int) []byte {
		row := draw.NewRow(dst, s.W)
		if i := y - above - min(1, s.H-above-1); i >= 0 && i < len(rows) {
			row.Space(2)
			row.Put(rows[i], st)
		}
		return row.End()
	})
}
