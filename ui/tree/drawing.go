package tree

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// drawing draws the rows of an outline. It only reads the other parts of the pane.
type drawing struct {
	theme  *theme.Theme
	in     *outline
	known  *facts
	chosen *Selection
	trust  *Trust
	filter *filtering

	focused bool
	columns int                // the set of columnSets that is shown
	open    memfs.Path         // what the memory pane shows
	flash   map[memfs.Path]int // recently changed paths, with the number of their Flash
}

// Flash highlights changed entries for a moment. The caller numbers its flashes in order.
func (d *drawing) Flash(n int, entries []versions.Entry) {
	for _, e := range entries {
		d.flash[e.Path] = n
	}
}

// ClearFlash ends the flashes up to number n.
func (d *drawing) ClearFlash(n int) {
	maps.DeleteFunc(d.flash, func(_ memfs.Path, by int) bool { return by <= n })
}

// row draws row i in w columns.
func (d *drawing) row(dst []byte, w, i int) []byte {
	n := d.in.rows[i]
	st := theme.Style{}
	switch {
	case i == d.in.at.Cur && d.focused:
		st = d.theme.Selected
	case i == d.in.at.Cur:
		st = d.theme.SelectedDim
	case d.flash[n.path()] > 0:
		st = d.theme.Flash
	}
	return d.Row(draw.StyledRow(dst, w, st), i)
}

// Row draws row i in p: mark, indentation, fold, name, badges, and the columns that there is
// room for.
func (d *drawing) Row(p draw.Row, i int) []byte {
	n := d.in.rows[i]
	d.mark(&p, i)
	table := d.table()
	end := max(table.Rest(p.W, 0)-1, min(p.W, 1)) // the columns follow after a blank
	var buf [6]badge
	badges, to := d.badges(buf[:0], n, p.W), end
	for _, b := range badges {
		to -= 1 + text.Width(b.sign)
	}
	if !d.in.data.order.flat {
		p.Space(min(int(n.depth)*2, max(to-7, 0)))
	}
	d.name(&p, n, to)
	p.To(to)
	for _, b := range badges {
		p.Space(1)
		p.Put(b.sign, b.style)
	}
	p.To(end + 1)
	p = table.Put(p, d, n)
	return p.End()
}

// mark draws the first column: selected, or to be reviewed.
func (d *drawing) mark(p *draw.Row, i int) {
	n := d.in.rows[i]
	chosen, above := d.chosen.row(i)
	switch {
	case above:
		p.Put("✓", d.theme.Dim)
	case chosen:
		p.Put("✓", d.theme.Marked)
	case d.known.changed(n.entry), n.folder() && n.changed > 0 && !d.in.isOpen(n):
		p.Put("●", d.theme.Changed)
	default:
		p.Space(1)
	}
}

// name draws the name up to column to, with the matches of the filter highlighted.
func (d *drawing) name(p *draw.Row, n *node, to int) {
	style := theme.Style{}
	switch {
	case n.folder():
		sign := "▸ "
		if d.in.isOpen(n) {
			sign = "▾ "
		}
		p.Clip(sign, to-p.Used, d.theme.Dim)
		style = d.theme.Folder
	default:
		p.Space(min(2, to-p.Used))
		if n.deleted() {
			style = d.theme.Deleted
		} else if !n.memory() {
			style = d.theme.Dim
		} else if n.path() == d.open {
			style = d.theme.TitleFocused
		}
	}
	d.matched(p, n, to, style)
	switch {
	case n.folder() && n.count > 0:
		p.Clip(" "+strconv.Itoa(n.count), to-p.Used, d.theme.Dim)
	case n.entry != nil && n.entry.Kind == versions.LinkEntry:
		p.Clip(" → "+n.entry.Note, to-p.Used, d.theme.Dim)
	}
}

func (d *drawing) matched(p *draw.Row, n *node, to int, style theme.Style) {
	if d.in.data.order.flat {
		d.path(p, n, to, style)
		return
	}
	spans := d.spans(n.name())
	if len(spans) == 0 || text.Width(n.name()) > to-p.Used {
		p.Clip(n.name(), to-p.Used, style)
		return
	}
	p.Line(text.Line{Width: to - p.Used, Base: style.On}, n.name(), spans)
}

// path draws the whole path, cut at the left if there is no room; its folders are dimmed.
func (d *drawing) path(p *draw.Row, n *node, to int, style theme.Style) {
	s := n.rel()
	skip := max(text.Width(s)-(to-p.Used), 0)
	if skip > 0 {
		p.Clip("…", to-p.Used, d.theme.Dim)
		skip++
	}
	var dim []text.Span
	if !p.Plain() {
		dim = []text.Span{{From: 0, To: len(s) - len(n.name()), On: d.theme.Dim.On}}
	}
	p.Line(text.Line{Width: to - p.Used, Skip: skip, Base: style.On}, s, dim, d.spans(s))
}

// spans returns the matches of the filter's words in a name.
func (d *drawing) spans(s string) []text.Span {
	if d.in.shown == nil || len(d.filter.words) == 0 {
		return nil
	}
	folded := strings.ToLower(s)
	var out []text.Span
	for _, w := range d.filter.words {
		in := folded
		if strings.ToLower(w) != w || len(folded) != len(s) {
			in = s
		}
		i := strings.Index(in, w)
		overlaps := func(s text.Span) bool { return i < s.To && s.From < i+len(w) }
		if i >= 0 && !slices.ContainsFunc(out, overlaps) {
			out = append(out, text.Span{From: i, To: i + len(w), On: d.theme.Match.On})
		}
	}
	slices.SortFunc(out, func(a, b text.Span) int { return a.From - b.From })
	return out
}
