package filter

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/text"
)

// Owner is the list that a Line filters.
type Owner struct {
	Set   func(string) tea.Cmd       // sets the filter
	Words func(word string) []string // completions of a word, the most likely first
	Move  func(rows int) tea.Cmd     // moves the cursor of the list
	Hint  string                     // what letters are matched with
}

// Line is the input line of a filter, with the completions of its last word below it. The
// list is filtered as one types.
type Line struct {
	owner Owner
	keys  *keys.Map[*Line]
	input draw.Input
	on    bool
}

// NewLine returns a line that is inactive until Begin.
func NewLine(bindings keys.Bindings, owner Owner) *Line {
	return &Line{owner: owner, keys: lineKeys(bindings)}
}

// Keys lists the actions that are available while a filter is typed.
func Keys(bindings keys.Bindings) []keys.Entry {
	return lineKeys(bindings).All()
}

// lineKeys are the keys while the filter is typed; all other keys are text.
func lineKeys(bindings keys.Bindings) *keys.Map[*Line] {
	move := func(rows int) func(*Line, int) tea.Cmd {
		return func(l *Line, _ int) tea.Cmd { return l.owner.Move(rows) }
	}
	return keys.New("filter", bindings, []keys.Action[*Line]{
		{ID: "field.accept", Name: "to the list", Do: func(l *Line, _ int) tea.Cmd { l.on = false; return nil }},
		keys.Act("complete", "complete", (*Line).complete, nil, "tab"),
		keys.Act("field.leave", "clear", (*Line).clear, nil),
		{ID: "field.down", Hide: true, Do: move(1)},
		{ID: "field.up", Hide: true, Do: move(-1)},
	})
}

// Begin activates the line, with the current filter.
func (l *Line) Begin(value string) {
	if value != "" {
		value += " "
	}
	l.on, l.input = true, draw.NewInput(value)
}

// End deactivates the line; the list keeps its filter.
func (l *Line) End() { l.on = false }

// On reports whether the line is active.
func (l *Line) On() bool { return l.on }

// Value returns what is typed.
func (l *Line) Value() string { return l.input.Value }

// Entries returns the actions that are available while the line is active.
func (l *Line) Entries() []keys.Entry { return l.keys.Entries(l) }

// Update handles a key or pasted text.
func (l *Line) Update(msg tea.Msg) tea.Cmd {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		name := k.String()
		if name == "ctrl+c" {
			name = "esc"
		}
		if cmd, r := l.keys.Press(l, []string{name}, 0); r != keys.None {
			return cmd
		}
	}
	if l.input.Update(msg) {
		return l.owner.Set(l.input.Value)
	}
	return nil
}

func (l *Line) clear() tea.Cmd {
	l.on = false
	return l.owner.Set("")
}

// complete replaces the last word with its first completion.
func (l *Line) complete() tea.Cmd {
	word := LastWord(l.input.Value)
	for _, c := range l.words(word) {
		if c == word {
			continue
		}
		if !strings.HasSuffix(c, ":") {
			c += " "
		}
		l.input = draw.NewInput(strings.TrimSuffix(l.input.Value, word) + c)
		return l.owner.Set(l.input.Value)
	}
	return nil
}

// words returns the completions of a word, including its !.
func (l *Line) words(word string) []string {
	rest, not := strings.CutPrefix(word, inverse)
	words := l.owner.Words(rest)
	if !not {
		return words
	}
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = inverse + w
	}
	return out
}

const turning = "; " + inverse + " before a word negates it"

// Rows is the most rows that the line takes.
const Rows = 2

// Append draws a row of the line in w columns: what is typed, or its completions, or
// instead of those what is wrong with it.
func (l *Line) Append(dst []byte, y, w int, wrong string, th *theme.Theme) []byte {
	r := draw.NewRow(dst, w)
	if y == 0 {
		r.Put("/ ", th.HintKey)
		r.Input(&l.input, r.Left(), th.Input)
		return r.End()
	}
	r.Put("  ", th.Dim)
	if wrong != "" {
		r.Put(wrong, th.Warn)
		return r.End()
	}
	last := LastWord(l.input.Value)
	words := l.words(last)
	if len(words) == 0 {
		r.Put(l.owner.Hint, th.Dim)
		if r.Left() > text.Width(turning) {
			r.Put(turning, th.Dim)
		}
	}
	for i, s := range words {
		if r.Left() < text.Width(s)+2 && i > 0 {
			break
		}
		style := th.Dim
		if i == 0 && last != "" {
			style = th.HintKey // the one that Tab inserts
		}
		r.Put(s, style)
		r.Put("  ", th.Dim)
	}
	return r.End()
}

// Cursor returns the position of the terminal's cursor, in the box in which the line is
// drawn.
func (l *Line) Cursor(in draw.Box, th *theme.Theme) (x, y int, ok bool) {
	if !l.on || in.H == 0 || in.W < 3 {
		return 0, 0, false
	}
	_, x = l.input.Append(nil, in.W-2, th.Input)
	return in.X + 2 + x, in.Y, true
}

// Values returns the completions of a field's value: "by:cl" may become "by:claude".
func Values(field, typed string, values []string) []string {
	var out []string
	for _, v := range Starting(values, typed) {
		if w := field + ":" + v; !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
