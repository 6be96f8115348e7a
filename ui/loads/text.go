package loads

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent/instructions"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/text"
)

// document is the text of a file, or a message about it. It is immutable.
type document struct {
	message string
	lines   []string
	loaded  int // lines that are loaded; the rest is below the cut
	limit   string
	imports map[int][]imported // by line, from 0
}

// imported is an import in a line.
type imported struct {
	at, end int // bytes of the line
	loaded  bool
}

func note(message string) *document { return &document{message: message} }

// open reads a file. It may block on the disk.
func open(f *instructions.File) *document {
	b, _, err := instructions.Read(f.Path)
	switch {
	case !f.Loaded() && f.Lines == 0:
		return note("It can't be shown: " + f.Why + ".")
	case err != nil:
		return note("It can't be shown: " + err.Error() + ".")
	}
	b = bytes.TrimSuffix(b, []byte("\n"))
	d := &document{lines: strings.Split(string(b), "\n"), imports: map[int][]imported{}}
	d.loaded = len(d.lines)
	switch {
	case !f.Loaded():
		d.loaded = 0
	case f.Cut != "":
		d.loaded, d.limit = min(int(f.LoadedLines), len(d.lines)), f.Cut
	}
	for i, line := range d.lines {
		d.lines[i] = strings.TrimSuffix(line, "\r")
	}
	for _, i := range f.Imports {
		if i.Line < 1 || i.Line > len(d.lines) {
			continue // the file has changed meanwhile
		}
		name := "@" + strings.ReplaceAll(i.Name, " ", `\ `)
		if at := strings.Index(d.lines[i.Line-1], name); at >= 0 {
			d.imports[i.Line-1] = append(d.imports[i.Line-1], imported{at, at + len(name), i.Loaded()})
		}
	}
	for _, all := range d.imports {
		slices.SortFunc(all, func(a, b imported) int { return a.at - b.at })
	}
	return d
}

// textView shows a document: with numbers, its imports highlighted, and the part that is not
// loaded dimmed below a rule.
type textView struct {
	keys    *keys.Map[*textView]
	theme   *theme.Theme
	doc     *document
	w, h    int
	top     int // the first line that is visible
	left    int // columns scrolled out on the left
	wrap    bool
	focused bool
}

func newText(th *theme.Theme, bindings keys.Bindings) *textView {
	return &textView{keys: textKeys(bindings), theme: th, doc: note("")}
}

func textKeys(bindings keys.Bindings) *keys.Map[*textView] {
	return keys.New("loaded-text", bindings, list.TextMoves((*textView).scroll, func(v *textView) int { return v.h }, (*textView).aside))
}

func (v *textView) show(d *document) { v.doc, v.top, v.left = d, 0, 0 }

// SetSize, SetFocused, SetTheme, SetWrap, View, Update, Press and Entries implement split.Detail.
func (v *textView) SetSize(w, h int) {
	v.w, v.h = max(w, 0), max(h, 0)
	v.scroll(0)
}

func (v *textView) SetFocused(on bool)       { v.focused = on }
func (v *textView) SetTheme(th *theme.Theme) { v.theme = th }
func (v *textView) SetWrap(on bool)          { v.wrap, v.left = on, 0 }
func (v *textView) Entries() []keys.Entry    { return v.keys.Entries(v) }
func (v *textView) Update(msg tea.Msg) tea.Cmd {
	if wheel, ok := msg.(tea.MouseWheelMsg); ok {
		v.scroll(list.Wheel(wheel))
	}
	return nil
}

func (v *textView) Press(seq []string, n int) (tea.Cmd, keys.Result) { return v.keys.Press(v, seq, n) }

// scroll moves the window down by lines.
func (v *textView) scroll(by int) tea.Cmd {
	v.top = max(min(v.top+by, v.last()), 0)
	return nil
}

// last returns the first line of the window at the end of the text.
func (v *textView) last() int {
	rows := 0
	for i := len(v.doc.lines) - 1; i >= 0; i-- {
		if rows += len(v.rows(i)); i == v.doc.loaded && v.doc.limit != "" {
			rows++
		}
		if rows > v.h {
			return min(i+1, len(v.doc.lines)-1)
		}
	}
	return 0
}

// aside scrolls to the side by columns.
func (v *textView) aside(by int) tea.Cmd {
	if !v.wrap {
		v.left = max(0, min(v.left+by, maxLine))
	}
	return nil
}

const (
	maxLine     = 8 << 10 // bytes of a line that are drawn
	numbersFrom = 24      // columns from which lines are numbered
)

// line returns a line as far as it is drawn.
func (v *textView) line(i int) string {
	s := v.doc.lines[i]
	return s[:min(len(s), maxLine)]
}

// rows returns where the rows of a line begin.
func (v *textView) rows(i int) []int {
	if !v.wrap {
		return []int{0}
	}
	return text.Wrap(nil, v.line(i), max(v.w-v.gutter(), 1), 0, max(v.h, 1))
}

// gutter returns the columns of the line numbers.
func (v *textView) gutter() int {
	if v.w < numbersFrom {
		return 0
	}
	return max(3, len(strconv.Itoa(len(v.doc.lines)))) + 1
}

// View returns exactly the rows and columns of SetSize.
func (v *textView) View() string {
	if v.w <= 0 || v.h <= 0 {
		return ""
	}
	var rows [][]byte
	if v.doc.lines == nil {
		for _, row := range text.Rows(text.Field(v.doc.message), max(v.w-2, 1), v.h) {
			pen := draw.Pen{W: v.w}
			dst := pen.Put(pen.Space(nil, 1), row, v.theme.Dim)
			rows = append(rows, pen.Space(dst, v.w))
		}
	}
	for i := v.top; i < len(v.doc.lines) && len(rows) < v.h; i++ {
		if i == v.doc.loaded && v.doc.limit != "" {
			rows = append(rows, v.rule())
		}
		rows = v.appendLine(rows, i)
	}
	for len(rows) < v.h {
		rows = append(rows, text.Spaces(nil, v.w))
	}
	return string(bytes.Join(rows[:v.h], []byte("\n")))
}

// rule draws where the file is cut.
func (v *textView) rule() []byte {
	pen, st := draw.Pen{W: v.w}, v.theme.Warn
	dst := pen.Put(nil, strings.Repeat("┄", min(v.gutter(), v.w)), st)
	dst = pen.Clip(dst, " not loaded below: "+v.doc.limit+" ", v.w-pen.Used, st)
	return pen.Put(dst, strings.Repeat("┄", max(v.w-pen.Used, 0)), st)
}

// appendLine draws the rows of a line.
func (v *textView) appendLine(rows [][]byte, i int) [][]byte {
	s, starts := v.line(i), v.rows(i)
	draws := text.Line{Width: v.w - v.gutter(), Skip: v.left, Mark: v.theme.HiddenChar.On, Fill: true}
	if i >= v.doc.loaded {
		draws.Base = v.theme.Dim.On
	}
	var spans []text.Span
	for _, in := range v.doc.imports[i] {
		st := v.theme.Link
		if !in.loaded {
			st = v.theme.Warn
		}
		spans = append(spans, text.Span{From: in.at, To: in.end, On: st.On})
	}
	for row, from := range starts {
		to := len(s)
		if row+1 < len(starts) {
			to = starts[row+1]
		}
		dst, _ := draws.AppendRange(v.number(i, row), s, from, to, spans)
		rows = append(rows, dst)
	}
	return rows
}

// number draws the number of a line, or a mark in the further rows of it.
func (v *textView) number(i, row int) []byte {
	w := v.gutter()
	if w == 0 {
		return nil
	}
	n := strconv.Itoa(i + 1)
	if row > 0 {
		n = "↪"
	}
	st := v.theme.LineNumber
	if v.focused && i == v.top {
		st = v.theme.LineNumberNow
	}
	return append(st.Append(text.Spaces(nil, w-1-text.Width(n)), n), ' ')
}
