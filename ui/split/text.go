package split

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/text"
)

// Text is a detail that is a text about the row under the cursor. NewText returns one.
type Text struct {
	about     func() []Fact // asked for each frame
	keys      *keys.Map[*Text]
	w, h, top int
}

// NewText returns a detail that shows the texts of all facts that about returns.
func NewText(bindings keys.Bindings, about func() []Fact) *Text {
	page := func(t *Text) int { return t.h }
	aside := func(*Text, int) tea.Cmd { return nil } // it is wrapped
	return &Text{about: about, keys: keys.New("facts", bindings, list.TextMoves((*Text).scroll, page, aside))}
}

// Top shows the beginning of the text.
func (t *Text) Top() { t.top = 0 }

// scroll scrolls down by rows.
func (t *Text) scroll(by int) tea.Cmd {
	t.top += by
	t.clamp(len(t.rows()))
	return nil
}

// clamp keeps the last of n rows visible.
func (t *Text) clamp(n int) { t.top = max(min(t.top, n-t.h), 0) }

// rows returns the facts wrapped into rows.
func (t *Text) rows() (out []Fact) {
	for _, f := range t.about() {
		out = append(out, f.wrapped(t.w, 0)...)
	}
	return out
}

// wrapped returns the fact in at most that many rows of w columns; 0 is no limit.
func (f Fact) wrapped(w, most int) (out []Fact) {
	for _, row := range text.Rows(text.Field(f.Text), max(w-2, 1), most) {
		out = append(out, Fact{Text: row, Style: f.Style})
	}
	return out
}

func (t *Text) SetSize(w, h int)                                 { t.w, t.h = w, h }
func (t *Text) SetFocused(bool)                                  {}
func (t *Text) SetTheme(*theme.Theme)                            {} // the facts have it
func (t *Text) Entries() []keys.Entry                            { return t.keys.Entries(t) }
func (t *Text) Press(seq []string, n int) (tea.Cmd, keys.Result) { return t.keys.Press(t, seq, n) }

// Update scrolls with the wheel.
func (t *Text) Update(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(tea.MouseWheelMsg); ok {
		t.scroll(list.Wheel(m))
	}
	return nil
}

// View returns exactly the rows and columns of SetSize.
func (t *Text) View() string {
	if t.w <= 0 || t.h <= 0 {
		return ""
	}
	rows := t.rows()
	t.clamp(len(rows))
	var dst []byte
	for i, f := range slices.Concat(rows[t.top:], make([]Fact, t.h))[:t.h] {
		if i > 0 {
			dst = append(dst, '\n')
		}
		dst = f.append(dst, t.w)
	}
	return string(dst)
}

// append draws the fact in one row.
func (f Fact) append(dst []byte, w int) []byte {
	row := draw.NewRow(dst, w)
	row.Space(1)
	if f.Put != nil {
		f.Put(&row)
	} else {
		row.Put(f.Text, f.Style)
	}
	return row.End()
}
