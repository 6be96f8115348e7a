// Package split is what the screens share that have a list and show a detail of the row under the
// cursor, mostly the diff of a change: beside the list, or below it where there is little room. It
// has the layout, the focus, the mouse, and decides which of the two parts a key belongs to. Its
// owner has the rows.
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

// Fact is a line about the row under the cursor. It is wrapped if there is room.
type Fact struct {
	Text   string
	Style  theme.Style
	OneRow bool // of its parts, each after " · ", the last ones are left out if they do not fit
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
	list.List
	Diff   *diffview.View // nil if the detail is something else
	InDiff bool           // the detail has the focus
	Below  int            // rows from which a detail below the list is visible without the focus

	detail Detail
	th     *theme.Theme
	owner  Owner
	w, h   int
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
	return &Split{Below: minToDivide, detail: detail, th: th, owner: owner}
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

// SetSize sets the columns and rows of View.
func (s *Split) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.Fit()
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
	at := s.places()
	s.detail.SetSize(at.diff.W, at.diff.H)
	s.detail.SetFocused(s.InDiff)
	s.List.Fit(s.owner.Rows(), at.list.H, s.heading)
}

func (s *Split) heading(i int) bool { return i < s.owner.Rows() && s.owner.Heading(i) }

// Focus moves the focus to the diff, or back to the list.
func (s *Split) Focus(diff bool) {
	s.InDiff = diff
	s.Fit()
}

// Selected returns where the row of the cursor begins.
func (s *Split) Selected() (x, y int, ok bool) {
	at := s.places()
	x, y, ok = s.Cell(at.list.Y, s.owner.Rows(), at.list.H)
	return at.list.X + x, y, ok
}

// Update handles mouse events.
func (s *Split) Update(msg tea.Msg) tea.Cmd {
	at := s.places()
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		switch {
		case msg.Button != tea.MouseLeft:
		case at.list.Holds(msg.X, msg.Y):
			s.Focus(false)
			if i, ok := s.RowAt(msg); ok && !s.heading(i) {
				return s.MoveBy(i - s.Cur)
			}
		case at.diff.Holds(msg.X, msg.Y):
			s.Focus(true)
		}
	case tea.MouseWheelMsg:
		if at.diff.Holds(msg.X, msg.Y) {
			return s.detail.Update(msg)
		}
		s.Scroll(list.Wheel(msg), s.owner.Rows(), at.list.H)
	}
	return nil
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
var through = []string{"list.next", "list.previous", "diff.more-context", "diff.less-context", "move.half-down", "move.half-up"}

// moves reports whether a key moves in the list, or to the diff: in the diff such keys belong to
// the diff. All other keys of the owner act on the row, wherever the focus is.
func moves(e keys.Entry) bool {
	return strings.HasPrefix(e.ID, "move.") || e.ID == "list.open" || e.ID == "list.in"
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
	besideFrom  = 100 // columns from which the detail is beside the list
	wholeFrom   = 14  // rows from which the list stays visible while the diff has the focus
	minToDivide = 8   // rows from which the list and the detail below it are both visible, if the owner does not say
)

func (s *Split) places() places {
	w, h := s.w, s.h
	switch {
	case s.InDiff && h < wholeFrom: // the diff gets all the room
		return s.divided(draw.At(0, 0, 0, 0), draw.At(0, 0, w, h), false)
	case w >= besideFrom && h >= 3:
		left := max(min(max(w*9/20, 44), 72), min(s.owner.Cols(), w*11/20))
		return s.divided(draw.At(0, 0, left, h), draw.At(left+1, 0, w-left-1, h), true)
	case h >= s.Below:
		top := min(max(h*2/5, 3), max(s.owner.Rows(), 3))
		return s.divided(draw.At(0, 0, w, top), draw.At(0, top, w, h-top), false)
	}
	return places{list: draw.At(0, 0, w, h)}
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

// factRows returns the facts in rows of w columns, for a detail of h rows: at least half of them
// are left for the diff.
func (s *Split) factRows(w, h int) (out []Fact) {
	most := h / 2
	facts := s.owner.Facts()
	for i, f := range facts {
		room := most - len(out) - (len(facts) - 1 - i) // a row for each of the rest
		if f.OneRow {
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
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	at := s.places()
	diff, facts := strings.Split(s.detail.View(), "\n"), s.factRows(at.facts.W, s.detailHeight(at))
	dst := make([]byte, 0, s.h*(s.w+48))
	for y := range s.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
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
			row.Put(f.Text, f.Style)
			dst = row.End()
		case at.head.H > 0 && y == at.head.Y:
			dst = s.appendHead(dst, at)
		case s.heading(s.Cur): // there is nothing to show
			dst = text.Spaces(dst, at.diff.W)
		case y >= at.diff.Y && y-at.diff.Y < min(at.diff.H, len(diff)):
			dst = append(dst, diff[y-at.diff.Y]...)
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
	if s.InDiff {
		border, title = s.th.BorderFocused, s.th.TitleFocused
	}
	pen := draw.NewRow(dst, at.head.W)
	pen.Put(strings.Repeat(s.th.Lines.Across, 2)+" ", border)
	pen.Clip(text.Field(s.owner.DiffTitle()), at.head.W-4, title)
	pen.Space(1)
	pen.Put(strings.Repeat(s.th.Lines.Across, max(at.head.W-pen.Used, 0)), border)
	return pen.End()
}

// Row begins a row of the list, in the style of the cursor if it is there. Past the end it
// returns an empty row and false.
func (s *Split) Row(dst []byte, i, w int) (draw.Row, bool) {
	switch {
	case i >= s.owner.Rows():
		return draw.NewRow(dst, w), false
	case i == s.Cur && s.InDiff:
		return draw.StyledRow(dst, w, s.th.SelectedDim), true
	case i == s.Cur:
		return draw.StyledRow(dst, w, s.th.Selected), true
	}
	return draw.NewRow(dst, w), true
}

// Notice returns a text that is shown instead of View.
func (s *Split) Notice(notice string, st theme.Style) string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	rows := text.Rows(text.Field(notice), max(s.w-4, 1), s.h)
	var dst []byte
	for y := range s.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		pen := draw.NewRow(dst, s.w)
		if i := y - min(1, s.h-1); i >= 0 && i < len(rows) {
			pen.Space(2)
			pen.Put(rows[i], st)
		}
		dst = pen.End()
	}
	return string(dst)
}
