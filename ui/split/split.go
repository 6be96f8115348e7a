// Package split is what the screens share that have a list and show a detail of the row under the
// cursor, mostly the diff of a change: beside the list, or below it where there is little room. It
// has the layout, the focus, the mouse, and decides which of the two parts a key belongs to. Its
// owner has the rows, and may have rows of its own above both, such as a query.
package split

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
)

// Owner has the rows of the list, and knows what is beside them.
type Owner interface {
	Rows() int
	Cols() int                                  // that the widest row needs; asked for each frame
	Heading(row int) bool                       // the cursor skips it
	AppendRow(dst []byte, row, cols int) []byte // exactly cols columns; a row past the end is empty
	Facts() []Fact                              // about the row under the cursor, the most important first
	DetailTitle() string
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
	View() string // exactly the rows and columns of SetSize
	Update(tea.Msg) tea.Cmd
	Press(seq []string, n int) (tea.Cmd, keys.Result)
	Entries() []keys.Entry
}

// Split is the list and the detail. New returns one with a diff.
type Split struct {
	*list.List                 // an owner with several lists replaces it with that of the one it shows
	Diff       *diffview.View  // nil if the detail is something else
	InDetail   bool            // the detail has the focus
	Beside     int             // columns from which the detail is beside the list
	Below      int             // rows from which a detail below the list is visible without the focus
	Whole      int             // rows from which the list is visible while the detail has the focus
	Share      func(h int) int // the most rows of a list above the detail, of h; nil for two fifths
	Slim       bool            // a list beside the detail gets no more columns than its rows need
	Above      Above           // nil for none
	Marks      func() []Fact   // after DetailTitle; nil for none
	Back       string          // the key that returns from the detail, shown where no list is visible
	W, H       int             // as in SetSize

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
	return &Split{List: &list.List{}, Beside: besideFrom, Below: belowFrom, Whole: wholeFrom, detail: detail, th: th, owner: owner}
}

// SetDetail replaces the detail.
func (s *Split) SetDetail(d Detail) {
	if d == s.detail {
		return
	}
	s.detail.SetFocused(false)
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
func (s *Split) SetWrap(on bool) {
	if d, ok := s.detail.(screen.Wrapper); ok {
		d.SetWrap(on)
	}
}

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
		s.List.Step(by, n, s.boxes().list.H, s.heading)
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
func (s *Split) Page() int { return s.boxes().list.H }

// Position says which row of how many the cursor is on, without headings; it is empty if all are shown.
func (s *Split) Position() string {
	at, all := 0, 0
	for i := range s.owner.Rows() {
		if s.heading(i) {
			continue
		}
		if all++; i <= s.Cur {
			at = all
		}
	}
	if s.owner.Rows() <= s.Page() {
		return ""
	}
	return fmt.Sprintf("row %d of %d", at, all)
}

// Fit resizes the parts and scrolls to the cursor. It must be called when the rows or the facts
// have changed.
func (s *Split) Fit() {
	s.Resize()
	s.List.Fit(s.owner.Rows(), s.Page(), s.heading)
}

// Resize resizes the parts, and scrolls only if the list became shorter.
func (s *Split) Resize() {
	at := s.boxes()
	s.detail.SetSize(at.diff.W, at.diff.H)
	s.detail.SetFocused(s.InDetail && !s.blurred)
	s.Clamp(s.owner.Rows(), at.list.H)
}

func (s *Split) heading(i int) bool { return i < s.owner.Rows() && s.owner.Heading(i) }

// Focus moves the focus to the diff, or back to the list.
func (s *Split) Focus(diff bool) {
	s.InDetail = diff
	if !diff && s.Diff != nil {
		s.Diff.Deselect()
	}
	s.Fit()
}

// Selected returns where the row of the cursor begins, in the part with the focus.
func (s *Split) Selected() (x, y int, ok bool) {
	at := s.boxes()
	if s.InDetail {
		if d, has := s.detail.(screen.Selector); has {
			x, y, ok = d.Selected()
		}
		return at.diff.X + x, at.diff.Y + y, ok && at.diff.H > 0
	}
	return s.Cell(at.list.Y, s.owner.Rows(), at.list.H)
}
