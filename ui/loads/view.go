package loads

import (
	"fmt"
	"strings"

	"github.com/memend/memend/agent/instructions"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/wording"
)

// SetSize sets the columns and rows of View.
func (p *Pane) SetSize(w, h int) {
	p.w = w
	p.Split.SetSize(w, h)
}

// Title returns the directory, and the tools that load something there, or the number of the one that is shown
// where there is no room.
func (p *Pane) Title() (name, info string) {
	name = "loads"
	if p.found.dir != "" {
		name += " · " + text.Field(p.short(p.found.dir))
	}
	var tools []string
	number := ""
	for i, s := range p.found.sessions {
		tool := s.Tool.Name()
		if s.Tool == p.tool {
			number = fmt.Sprintf("%s %d/%d", tool, i+1, len(p.found.sessions))
			tool = "[" + tool + "]"
		}
		tools = append(tools, tool)
	}
	const lines = 8 // around the two parts
	if info = strings.Join(tools, " "); text.Width(name)+text.Width(info)+lines > p.w {
		info = number
	}
	return name, info
}

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	switch {
	case p.err != nil:
		return p.Notice(wording.Why(p.err), p.env.Theme.Error)
	case len(p.rows) > 0:
		return p.Split.View()
	case p.begun:
		return p.Notice("No agent that is known loads anything in "+p.short(p.found.dir)+".", p.env.Theme.Dim)
	}
	return p.Notice("reading…", p.env.Theme.Dim)
}

// Rows, Cols, Heading, AppendRow, Facts and DiffTitle implement split.Owner.
func (p *Pane) Rows() int          { return len(p.rows) }
func (p *Pane) Cols() int          { return p.cols }
func (p *Pane) Heading(i int) bool { return p.rows[i].file == nil }

// DiffTitle names the file whose text is shown.
func (p *Pane) DiffTitle() string {
	if f := p.current(); f != nil {
		return p.name(f.Path)
	}
	return ""
}

// Columns of the list.
const (
	scopeCols = 7
	tokenCols = 6
	indent    = 2
	maxDepth  = 6  // deeper imports are not indented further
	scopeFrom = 36 // columns from which scopes are shown
)

// AppendRow draws a row.
func (p *Pane) AppendRow(dst []byte, i, w int) []byte {
	c, ok := p.Split.Row(dst, i, w)
	if !ok {
		return c.End()
	}
	r, th := &p.rows[i], p.env.Theme
	if r.file == nil {
		st := th.Heading
		if r.note {
			st = th.Dim
		}
		c.Space(1)
		c.Column(text.Field(r.heading), c.Left()-1, st)
		return c.End()
	}
	f := r.file
	name, dim := th.Text, th.Dim
	if !f.Loaded() {
		name = th.Dim
	}
	c.Space(1)
	c.Number(tokens(f), tokenCols, dim)
	if w >= scopeFrom {
		c.Column(string(f.Scope), scopeCols, dim)
	}
	c.Space(indent * min(r.depth, maxDepth))
	mark, warns := mark(f)
	if text.Width(mark)+1 > c.Left()-8 {
		mark = ""
	}
	right := text.Width(mark) + 1
	c.Path(text.Field(p.name(f.Path)), max(c.Left()-right-1, 1), name)
	if mark != "" {
		st := dim
		if warns {
			st = th.Warn
		}
		c.Space(c.Left() - right)
		c.Put(mark, st)
	}
	return c.End()
}

// needs returns the columns of a file with nothing cut.
func (p *Pane) needs(r *row) int {
	mark, _ := mark(r.file)
	return 1 + tokenCols + 1 + scopeCols + 1 + indent*min(r.depth, maxDepth) + text.Width(text.Field(p.name(r.file.Path))) + 1 + text.Width(mark) + 1
}

// tokens estimates what a file costs, or would.
func tokens(f *instructions.File) string {
	switch {
	case f.Loaded():
		return "≈" + draw.Tokens(f.LoadedBytes)
	case f.Lines > 0:
		return "≈" + draw.Tokens(f.Bytes)
	}
	return ""
}

// mark is what there is to know of a file in one word, and whether it is a warning.
func mark(f *instructions.File) (word string, warns bool) {
	switch {
	case f.Cut != "":
		return "cut", true
	case !f.Loaded() && f.Scope == instructions.Import:
		return "not loaded", true
	}
	return "", false
}

// Facts returns the rows about the file under the cursor.
func (p *Pane) Facts() (out []split.Fact) {
	f := p.current()
	if f == nil {
		return nil
	}
	th := p.env.Theme
	add := func(text string, st theme.Style) {
		if text != "" {
			out = append(out, split.Fact{Text: text, Style: st})
		}
	}
	about := string(f.Scope)
	if f.Line > 0 {
		about = fmt.Sprintf("imported in line %d", f.Line)
	}
	if f.Lines > 0 {
		about += " · " + draw.Plural(int(f.Lines), "line", "lines") + " · " + draw.TokenCount(f.Bytes)
	}
	out = append(out, split.Fact{Text: about, Style: th.Strong, OneRow: true})
	if !f.Loaded() {
		add("not loaded at the start: "+p.short(f.Why), th.Warn)
	}
	add(f.Lost(), th.Warn)
	if s, at, ok := p.holder(f); ok {
		add("memory "+at.String()+" of store "+s.Name, th.Text)
	} else if f.Lines > 0 {
		add(noStore(f), th.Dim)
	}
	return out
}
