package talk

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/text"
)

// field is the input field for prompts: several lines, wrapped.
type field struct {
	typing bool // it has the focus
	value  string
	at     int // byte offset of the cursor
	w      int // columns of the last layout
	rows   []int

	before []string // sent prompts, oldest first
	back   int      // steps back in before
	typed  string   // the text typed before the first step back
}

// maxPrompt is the maximum size of a prompt in bytes.
const maxPrompt = 256 << 10

func (f *field) set(s string) {
	f.value, f.at = s, len(s)
	f.wrap(f.w)
}

// insert inserts a text at the cursor, without invisible characters except line ends and tabs. It
// reports whether there was room for it.
func (f *field) insert(s string) bool {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, s)
	if len(f.value)+len(s) > maxPrompt {
		return false
	}
	f.value = f.value[:f.at] + s + f.value[f.at:]
	f.at += len(s)
	return true
}

func (f *field) erase(from, to int) {
	f.value = f.value[:from] + f.value[to:]
	f.at = from
}

// remember adds a sent prompt to the field's history.
func (f *field) remember(s string) {
	if n := len(f.before); n == 0 || f.before[n-1] != s {
		f.before = append(f.before, s)
	}
	const most = 100
	f.before = f.before[max(len(f.before)-most, 0):]
	f.back = 0
}

// recall shows an earlier prompt, or the text that was being typed.
func (f *field) recall(d int) {
	to := f.back + d
	if to < 0 || to > len(f.before) {
		return
	}
	if f.back == 0 {
		f.typed = f.value
	}
	f.back = to
	s := f.typed
	if to > 0 {
		s = f.before[len(f.before)-to]
	}
	f.set(s)
}

func (f *field) lineStart() int { return strings.LastIndexByte(f.value[:f.at], '\n') + 1 }

func (f *field) lineEnd() int {
	if i := strings.IndexByte(f.value[f.at:], '\n'); i >= 0 {
		return f.at + i
	}
	return len(f.value)
}

func (f *field) wordStart() int {
	s := strings.TrimRight(f.value[:f.at], " \n")
	return strings.LastIndexAny(s, " \n") + 1
}

func (f *field) wordEnd() int {
	s := f.value[f.at:]
	i := len(s) - len(strings.TrimLeft(s, " \n"))
	if n := strings.IndexAny(s[i:], " \n"); n >= 0 {
		return f.at + i + n
	}
	return len(f.value)
}

// prev and next return one step of the cursor; a line end is one step.
func (f *field) prev() int {
	if f.at > 0 && f.value[f.at-1] == '\n' {
		return f.at - 1
	}
	line := f.lineStart()
	return line + text.Prev(f.value[line:], f.at-line)
}

func (f *field) next() int {
	if f.at < len(f.value) && f.value[f.at] == '\n' {
		return f.at + 1
	}
	end := f.lineEnd()
	return text.Next(f.value[:end], f.at)
}

// wrap wraps the text into rows of w columns.
func (f *field) wrap(w int) {
	f.w = max(w, 1)
	f.rows = f.rows[:0]
	var starts []int
	for at := 0; ; {
		end := len(f.value)
		if i := strings.IndexByte(f.value[at:], '\n'); i >= 0 {
			end = at + i
		}
		starts = text.Wrap(starts[:0], f.value[at:end], f.w, 0, 0)
		for _, s := range starts {
			f.rows = append(f.rows, at+s)
		}
		if end == len(f.value) {
			return
		}
		at = end + 1
	}
}

// row returns the row of the cursor and its column there.
func (f *field) row() (row, col int) {
	for row+1 < len(f.rows) && f.rows[row+1] <= f.at {
		row++
	}
	if len(f.rows) == 0 {
		return 0, 0
	}
	return row, text.Column(f.value[f.rows[row]:], f.at-f.rows[row], text.TabWidth)
}

func (f *field) rowText(n int) string {
	from, to := f.rows[n], len(f.value)
	if n+1 < len(f.rows) {
		to = f.rows[n+1]
	}
	return strings.TrimSuffix(f.value[from:to], "\n")
}

// up and down move by rows; beyond the first or last row they recall prompts.
func (f *field) up() {
	row, col := f.row()
	if row == 0 {
		f.recall(1)
		return
	}
	f.at = f.rows[row-1] + text.Offset(f.rowText(row-1), col, text.TabWidth)
}

func (f *field) down() {
	row, col := f.row()
	if row+1 >= len(f.rows) {
		f.recall(-1)
		return
	}
	f.at = f.rows[row+1] + text.Offset(f.rowText(row+1), col, text.TabWidth)
}

// fieldKeys are the keys that move and erase; every other key is text.
var fieldKeys = func() *keys.Map[*field] {
	do := func(id, name string, f func(*field), seqs ...string) keys.Action[*field] {
		return keys.Action[*field]{ID: id, Name: name, Keys: seqs, Hide: true, Do: func(x *field, _ int) tea.Cmd { f(x); return nil }}
	}
	return keys.New("prompt-field", nil, []keys.Action[*field]{
		do("new-line", "new line", func(f *field) { f.insert("\n") }, "shift+enter", "alt+enter", "ctrl+j"),
		do("left", "left", func(f *field) { f.at = f.prev() }, "left", "ctrl+b"),
		do("right", "right", func(f *field) { f.at = f.next() }, "right", "ctrl+f"),
		do("word-left", "word left", func(f *field) { f.at = f.wordStart() }, "ctrl+left", "alt+b", "alt+left"),
		do("word-right", "word right", func(f *field) { f.at = f.wordEnd() }, "ctrl+right", "alt+f", "alt+right"),
		do("up", "up, or the prompt before", (*field).up, "up"),
		do("down", "down, or the prompt after", (*field).down, "down"),
		do("before", "the prompt before", func(f *field) { f.recall(1) }, "ctrl+p"),
		do("after", "the prompt after", func(f *field) { f.recall(-1) }, "ctrl+n"),
		do("start", "start of the line", func(f *field) { f.at = f.lineStart() }, "home", "ctrl+a"),
		do("end", "end of the line", func(f *field) { f.at = f.lineEnd() }, "end", "ctrl+e"),
		do("erase", "erase", func(f *field) { f.erase(f.prev(), f.at) }, "backspace", "ctrl+h", "shift+backspace"),
		do("delete", "erase after", func(f *field) { f.erase(f.at, f.next()) }, "delete", "ctrl+d"),
		do("erase-word", "erase the word", func(f *field) { f.erase(f.wordStart(), f.at) }, "ctrl+w", "alt+backspace"),
		do("erase-start", "erase to the start of the line", func(f *field) { f.erase(f.lineStart(), f.at) }, "ctrl+u"),
		do("erase-end", "erase to the end of the line", func(f *field) { f.erase(f.at, f.lineEnd()) }, "alt+k"),
	})
}()

// update handles a key or pasted text. It reports whether there was room for it.
func (f *field) update(msg tea.Msg) bool {
	defer func() { f.wrap(f.w) }()
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return f.insert(msg.Content)
	case tea.KeyPressMsg:
		for _, name := range keys.Names(msg) {
			if _, r := fieldKeys.Press(f, []string{name}, 0); r != keys.None {
				return true
			}
		}
		if msg.Mod&(tea.ModCtrl|tea.ModAlt) == 0 {
			return f.insert(msg.Text)
		}
	}
	return true
}

// fieldMargin is how many columns precede the field.
const fieldMargin = 2

// appendRow draws row n of a window of h rows that contains the cursor, in exactly w columns; an
// empty field shows hint.
func (f *field) appendRow(dst []byte, n, h, w int, hint string, th *theme.Theme) []byte {
	margin := draw.NewRow(dst, min(fieldMargin, w))
	sign, in := th.Dim, th.Dim
	if f.typing {
		sign, in = th.HintKey, th.Input
	}
	if n == 0 {
		margin.Put("> ", sign)
	}
	p := draw.NewRow(margin.End(), max(w-fieldMargin, 0))
	switch at := n + f.top(max(h, 1)); {
	case f.value == "" && n == 0:
		p.Put(hint, th.Dim)
	case f.value != "" && w-fieldMargin == f.w && at < len(f.rows): // otherwise it is too narrow for its layout
		dst, _ = text.Line{Width: f.w, Base: in.On, Fill: true}.Append(margin.End(), f.rowText(at))
		return dst
	}
	return p.End()
}

// top returns the first row of a window of h rows.
func (f *field) top(h int) int {
	row, _ := f.row()
	return max(0, min(row-h/2, len(f.rows)-h))
}
