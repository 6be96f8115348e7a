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

// erase takes the bytes [from, to) out and leaves the cursor where they were.
func (in *input) erase(from, to int) {
	in.value = in.value[:from] + in.value[to:]
	in.at = from
}

// inputKeys are what moves and erases in a line of text; all other keys are text.
var inputKeys = struct{ Left, Right, Home, End, Erase, Delete, EraseStart, EraseEnd, EraseWord key.Binding }{
	bind("left", "left", "ctrl+b"), bind("right", "right", "ctrl+f"), bind("start", "home", "ctrl+a"), bind("end", "end", "ctrl+e"),
	bind("erase", "backspace", "ctrl+h"), bind("erase after", "delete", "ctrl+d"), bind("erase to the start", "ctrl+u"),
	bind("erase to the end", "ctrl+k"), bind("erase the word", "ctrl+w", "alt+backspace"),
}

// update takes a key or pasted text; it reports whether the value changed.
func (in *input) update(msg tea.Msg) bool {
	was := in.value
	switch msg := msg.(type) {
	case tea.PasteMsg:
		in.insert(msg.Content)
	case tea.KeyPressMsg:
		k := inputKeys
		switch {
		case key.Matches(msg, k.Left):
			in.at = text.Prev(in.value, in.at)
		case key.Matches(msg, k.Right):
			in.at = text.Next(in.value, in.at)
		case key.Matches(msg, k.Home):
			in.at = 0
		case key.Matches(msg, k.End):
			in.at = len(in.value)
		case key.Matches(msg, k.Erase):
			in.erase(text.Prev(in.value, in.at), in.at)
		case key.Matches(msg, k.Delete):
			in.erase(in.at, text.Next(in.value, in.at))
		case key.Matches(msg, k.EraseStart):
			in.erase(0, in.at)
		case key.Matches(msg, k.EraseEnd):
			in.erase(in.at, len(in.value))
		case key.Matches(msg, k.EraseWord):
			in.erase(strings.LastIndexAny(strings.TrimRight(in.value[:in.at], " /"), " /")+1, in.at)
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
