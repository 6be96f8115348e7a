package setup

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/text"
)

// kind is how the value of a field is changed.
type kind uint8

const (
	heading kind = iota
	typed        // by typing
	number       // by typing digits
	choice       // by selecting an option
)

// field is a row of a form.
type field struct {
	id      string
	kind    kind
	label   string
	help    string // description, shown while the cursor is on it
	example string // shown while it is empty
	input   draw.Input
	options []string
	at      int            // index of the selected option
	offers  []string       // completions, which keys cycle through
	hidden  func() bool    // the field has no meaning now
	changed func() tea.Cmd // called after each change; may be nil
	problem string
}

func (f *field) text() string { return strings.TrimSpace(f.input.Value) }

// number returns the number that was typed, or 0 if there is no valid one.
func (f *field) number() int64 {
	n, err := strconv.ParseInt(plainDigits(f.text()), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// plainDigits expands numbers that are typed as 100,000 or 100k.
func plainDigits(s string) string {
	s = strings.NewReplacer(",", "", "_", "", " ", "").Replace(strings.ToLower(s))
	if n, ok := strings.CutSuffix(s, "k"); ok {
		return n + "000"
	}
	return s
}

func (f *field) setNumber(n int64) {
	s := ""
	if n != 0 {
		s = strconv.FormatInt(n, 10)
	}
	f.input = draw.NewInput(s)
}

func (f *field) setText(s string) { f.input = draw.NewInput(s) }

// on reports whether a choice of off and on is on.
func (f *field) on() bool { return f.at == 1 }

// form is a list of fields with a cursor.
type form struct {
	fields []*field
	cur    int // index of the visible fields
	top    int
	w, h   int
	theme  *theme.Theme
}

// shown returns the visible fields.
func (f *form) shown() []*field {
	out := make([]*field, 0, len(f.fields))
	for _, x := range f.fields {
		if x.hidden == nil || !x.hidden() {
			out = append(out, x)
		}
	}
	return out
}

func (f *form) field(id string) *field {
	for _, x := range f.fields {
		if x.id == id {
			return x
		}
	}
	return &field{} // this form does not have the field: empty
}

func (f *form) current() *field {
	list := f.shown()
	if len(list) == 0 {
		return &field{}
	}
	return list[max(0, min(f.cur, len(list)-1))]
}

// step moves the cursor and skips headings.
func (f *form) step(d int) {
	list := f.shown()
	f.cur = draw.Step(len(list), f.cur, d, func(i int) bool { return list[i].kind == heading })
	f.clamp()
}

func (f *form) goTo(x *field) {
	for i, y := range f.shown() {
		if x == y {
			f.cur = i
		}
	}
	f.clamp()
}

// rowsOf returns the number of rows of a field: an error needs a second one.
func rowsOf(x *field) int {
	if x.problem != "" {
		return 2
	}
	return 1
}

// clamp scrolls so that the rows of the cursor and the heading above them are visible.
func (f *form) clamp() {
	list := f.shown()
	row, end, all := 0, 0, 0
	for i, x := range list {
		if i == f.cur {
			row, end = all, all+rowsOf(x)
		}
		all += rowsOf(x)
	}
	if f.cur == 1 || f.cur > 0 && list[min(f.cur, len(list))-1].kind == heading {
		row--
	}
	f.top = max(min(f.top, row), end-max(f.h, 1))
	f.top = max(0, min(f.top, all-max(f.h, 1)))
}

// turn cycles through the options of the field under the cursor.
func (f *form) turn(d int) tea.Cmd {
	x := f.current()
	if x.kind != choice || len(x.options) == 0 {
		return nil
	}
	x.at = ((x.at+d)%len(x.options) + len(x.options)) % len(x.options)
	return f.changed(x)
}

// offer cycles through the completions of a typed field.
func (f *form) offer(d int) tea.Cmd {
	x := f.current()
	if len(x.offers) == 0 {
		return nil
	}
	at := -1
	for i, s := range x.offers {
		if s == x.input.Value {
			at = i
		}
	}
	if at < 0 && d < 0 {
		at = 0
	}
	x.setText(x.offers[((at+d)%len(x.offers)+len(x.offers))%len(x.offers)])
	return f.changed(x)
}

func (f *form) changed(x *field) tea.Cmd {
	x.problem = ""
	if x.changed == nil {
		return nil
	}
	return x.changed()
}

// typeKey passes a key or pasted text to the field under the cursor.
func (f *form) typeKey(msg tea.Msg) tea.Cmd {
	x := f.current()
	if x.kind == number {
		if k, ok := msg.(tea.KeyPressMsg); ok && k.Text != "" && strings.Trim(k.Text, "0123456789,_kK") != "" {
			return nil
		}
	}
	if x.kind != typed && x.kind != number {
		return nil
	}
	if x.input.Update(msg) {
		return f.changed(x)
	}
	return nil
}

// labelCols returns the width of labels.
func (f *form) labelCols() int { return max(min(24, f.w*2/5), 0) }

// append draws row y of the window.
func (f *form) append(dst []byte, y int) []byte {
	n := f.top + y
	for i, x := range f.shown() {
		if n < rowsOf(x) {
			return f.appendField(dst, x, n, i == f.cur)
		}
		n -= rowsOf(x)
	}
	return text.Spaces(dst, f.w)
}

func (f *form) appendField(dst []byte, x *field, n int, now bool) []byte {
	th := f.theme
	r := draw.NewRow(dst, f.w)
	switch {
	case n == 1:
		r.Space(f.labelCols() + 2)
		r.Put("! "+x.problem, th.Error)
		return r.End()
	case x.kind == heading:
		r.Put(" "+x.label, th.TableHeading)
		return r.End()
	}
	mark, label := "  ", th.Text
	if now {
		mark, label = "> ", th.TitleFocused
	}
	r.Put(mark, th.HintKey)
	r.Column(x.label, f.labelCols()-1, label)
	switch {
	case x.kind == choice:
		f.putChoice(&r, x, now)
	case x.input.Value == "" && !now:
		r.Put(x.example, th.Dim)
	case now:
		r.Input(&x.input, th.Input)
	default:
		r.Put(x.input.Value, th.Text)
	}
	return r.End()
}

// putChoice draws all options if there is room, otherwise the selected one.
func (f *form) putChoice(r *draw.Row, x *field, now bool) {
	th := f.theme
	all := 0
	for _, s := range x.options {
		all += text.Width(s) + 3
	}
	if all > r.Left() {
		if len(x.options) > 0 {
			r.Put("‹ "+x.options[x.at]+" ›", th.Strong)
		}
		return
	}
	for i, s := range x.options {
		switch {
		case i == x.at && now:
			r.Put("["+s+"]", th.Selected)
		case i == x.at:
			r.Put("["+s+"]", th.Strong)
		default:
			r.Put(" "+s+" ", th.Dim)
		}
		r.Space(1)
	}
}

// cursor returns the place of the terminal's cursor.
func (f *form) cursor() (x, y int, ok bool) {
	row := 0
	list := f.shown()
	for i := 0; i < f.cur && i < len(list); i++ {
		row += rowsOf(list[i])
	}
	c := f.current()
	if c.kind != typed && c.kind != number {
		return 0, 0, false
	}
	left := f.labelCols() + 2
	if left >= f.w || row-f.top < 0 || row-f.top >= f.h {
		return 0, 0, false
	}
	_, col := c.input.Append(nil, f.w-left, f.theme.Input)
	return left + col, row - f.top, true
}

// formKeys is the receiver of a form's actions; do handles the action with that id.
type formKeys struct {
	do func(what string) tea.Cmd
	f  *form
}

// noOffers returns why there is nothing to choose from in the current field.
func (k *formKeys) noOffers() string {
	if len(k.f.current().offers) == 0 {
		return "this field has nothing to choose from"
	}
	return ""
}

func formAction(id, name string, hide bool, seqs ...string) keys.Action[*formKeys] {
	return keys.Action[*formKeys]{ID: id, Name: name, Keys: seqs, Hide: hide, Do: func(k *formKeys, _ int) tea.Cmd { return k.do(id) }}
}

// optionKeys returns the keys that work in a field with options; in other fields they type.
func optionKeys(bindings keys.Bindings) *keys.Map[*formKeys] {
	return keys.New("agent-form-options", bindings, []keys.Action[*formKeys]{
		formAction("turn", "next option", false, "space", "right", "l").As("choose"),
		formAction("turn-back", "previous option", true, "left", "h"),
	})
}

func keysOf(bindings keys.Bindings, done string) *keys.Map[*formKeys] {
	act := formAction
	offer := func(a keys.Action[*formKeys]) keys.Action[*formKeys] {
		a.Why = (*formKeys).noOffers
		return a
	}
	return keys.New("agent-form", bindings, []keys.Action[*formKeys]{
		act("done", done, false, "ctrl+s"),
		act("next", "next field", false, "enter", "tab", "down"),
		act("previous", "previous field", true, "shift+tab", "up"),
		offer(act("offer", "next match", false, "ctrl+n")),
		offer(act("offer-before", "previous match", true, "ctrl+p")),
		act("page-down", "page down", true, "pgdown"),
		act("page-up", "page up", true, "pgup"),
		act("leave", "leave", false, "esc", "ctrl+c"),
	})
}

// Keys lists the actions of the forms with their keys.
func Keys(bindings keys.Bindings) []keys.Entry {
	return append(keysOf(bindings, "begin, or set").All(), optionKeys(bindings).All()...)
}
