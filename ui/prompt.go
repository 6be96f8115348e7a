package ui

import (
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/text"
)

// input is one line of text that is typed.
type input struct {
	value string
	at    int // byte of the cursor
}

func newInput(value string) input { return input{value, len(value)} }

func (in *input) insert(s string) {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, s)
	in.value = in.value[:in.at] + s + in.value[in.at:]
	in.at += len(s)
}

// update takes a key or pasted text; it reports whether the value changed.
func (in *input) update(msg tea.Msg) bool {
	was := in.value
	switch msg := msg.(type) {
	case tea.PasteMsg:
		in.insert(msg.Content)
	case tea.KeyPressMsg:
		switch msg.String() {
		case "left", "ctrl+b":
			in.at = text.Prev(in.value, in.at)
		case "right", "ctrl+f":
			in.at = text.Next(in.value, in.at)
		case "home", "ctrl+a":
			in.at = 0
		case "end", "ctrl+e":
			in.at = len(in.value)
		case "backspace", "ctrl+h":
			from := text.Prev(in.value, in.at)
			in.value = in.value[:from] + in.value[in.at:]
			in.at = from
		case "delete", "ctrl+d":
			in.value = in.value[:in.at] + in.value[text.Next(in.value, in.at):]
		case "ctrl+u":
			in.value, in.at = in.value[in.at:], 0
		case "ctrl+k":
			in.value = in.value[:in.at]
		case "ctrl+w", "alt+backspace":
			from := strings.LastIndexAny(strings.TrimRight(in.value[:in.at], " /"), " /") + 1
			in.value = in.value[:from] + in.value[in.at:]
			in.at = from
		default:
			in.insert(msg.Text)
		}
	}
	return in.value != was
}

// append draws the field in exactly width columns, scrolled so that the cursor
// shows, and gives the cursor's column.
func (in *input) append(dst []byte, width int, st theme.Style) ([]byte, int) {
	cur := text.Column(in.value, in.at, text.TabWidth)
	skip := max(cur-width+1, 0)
	dst, _ = text.Line{Width: width, Skip: skip, Base: st.On, Fill: true}.Append(dst, in.value)
	return dst, min(cur-skip, max(width-1, 0))
}

// prompt asks for a line of text in the last row of the screen.
type prompt struct {
	label string
	input
	then func(string) tea.Cmd
}

// promptKeys is what a prompt obeys beside typing.
var promptKeys = struct{ Done, Cancel key.Binding }{bind("done", "enter"), bind("leave", "esc", "ctrl+c")}

// update reports whether the prompt is over.
func (p *prompt) update(msg tea.Msg) (tea.Cmd, bool) {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch {
		case key.Matches(k, promptKeys.Cancel):
			return nil, true
		case key.Matches(k, promptKeys.Done):
			return p.then(p.value), true
		}
	}
	p.input.update(msg)
	return nil, false
}

// view is the prompt in one row, and the cursor's column.
func (p *prompt) view(th *theme.Theme, width int) (string, int) {
	dst := append([]byte(nil), th.HintKey.On...)
	dst, cols := text.ClipMore(dst, " "+p.label+": ", max(width*2/3, 1))
	dst = append(dst, th.HintKey.Off...)
	dst, cur := p.append(dst, width-cols, th.Input)
	return string(dst), cols + cur
}
