package draw

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/text"
)

// Input is a line of typed text.
type Input struct {
	Value string
	at    int // byte offset of the cursor
}

func NewInput(value string) Input { return Input{value, len(value)} }

func (in *Input) insert(s string) {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, s)
	in.Value = in.Value[:in.at] + s + in.Value[in.at:]
	in.at += len(s)
}

// erase removes the bytes [from, to) and moves the cursor there.
func (in *Input) erase(from, to int) {
	in.Value = in.Value[:from] + in.Value[to:]
	in.at = from
}

// inputKeys are the keys that move and erase; all other keys are text.
var inputKeys = keys.New("field", nil, []keys.Action[*Input]{
	{ID: "left", Name: "left", Keys: []string{"left", "ctrl+b"}, Do: edits(func(in *Input) { in.at = text.Prev(in.Value, in.at) })},
	{ID: "right", Name: "right", Keys: []string{"right", "ctrl+f"}, Do: edits(func(in *Input) { in.at = text.Next(in.Value, in.at) })},
	{ID: "start", Name: "start", Keys: []string{"home", "ctrl+a"}, Do: edits(func(in *Input) { in.at = 0 })},
	{ID: "end", Name: "end", Keys: []string{"end", "ctrl+e"}, Do: edits(func(in *Input) { in.at = len(in.Value) })},
	{ID: "erase", Name: "erase", Keys: []string{"backspace", "ctrl+h"}, Do: edits(func(in *Input) { in.erase(text.Prev(in.Value, in.at), in.at) })},
	{ID: "delete", Name: "erase after", Keys: []string{"delete", "ctrl+d"}, Do: edits(func(in *Input) { in.erase(in.at, text.Next(in.Value, in.at)) })},
	{ID: "erase-start", Name: "erase to the start", Keys: []string{"ctrl+u"}, Do: edits(func(in *Input) { in.erase(0, in.at) })},
	{ID: "erase-end", Name: "erase to the end", Keys: []string{"alt+k"}, Do: edits(func(in *Input) { in.erase(in.at, len(in.Value)) })},
	{ID: "erase-word", Name: "erase the word", Keys: []string{"ctrl+w", "alt+backspace"}, Do: edits(func(in *Input) { in.erase(in.wordStart(), in.at) })},
})

func edits(do func(*Input)) func(*Input, int) tea.Cmd {
	return func(in *Input, _ int) tea.Cmd { do(in); return nil }
}

// wordStart returns where the word before the cursor begins; parts of a path are words.
func (in *Input) wordStart() int {
	return strings.LastIndexAny(strings.TrimRight(in.Value[:in.at], " /"), " /") + 1
}

// Update handles a key or pasted text; it reports whether the value changed.
func (in *Input) Update(msg tea.Msg) bool {
	was := in.Value
	switch msg := msg.(type) {
	case tea.PasteMsg:
		in.insert(msg.Content)
	case tea.KeyPressMsg:
		if _, r := inputKeys.Press(in, []string{msg.String()}, 0); r == keys.None {
			in.insert(msg.Text)
		}
	}
	return in.Value != was
}

// Append draws the field in exactly width columns, scrolled so that the cursor is visible,
// and returns the cursor's column.
func (in *Input) Append(dst []byte, width int, st theme.Style) ([]byte, int) {
	cur := text.Column(in.Value, in.at, text.TabWidth)
	skip := max(cur-width+1, 0)
	dst, _ = text.Line{Width: width, Skip: skip, Base: st.On, Fill: true}.Append(dst, in.Value)
	return dst, min(cur-skip, max(width-1, 0))
}
