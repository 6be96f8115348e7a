package history

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// rowPen draws the rows of a list, and what is known about the selected one.
type rowPen struct {
	l   *list
	th  *theme.Theme
	now time.Time
	who viewer
}

func (p *Pane) rowPen() rowPen { return rowPen{p.list(), p.env.Theme, p.now, p.viewer()} }

// AppendRow draws a row of the list.
func (p *Pane) AppendRow(dst []byte, i, w int) []byte {
	l, pen := p.list(), p.rowPen()
	c, ok := p.Split.Row(dst, i, w)
	switch {
	case ok:
		pen.row(&c, l.rows[i], p.chosen.has(l, i), w)
	case i == len(l.rows) && l.pages.Waiting():
		c.Put("  "+l.progress(map[bool]string{true: "#", false: "v"}[p.showsAll]), pen.th.Dim)
	}
	return c.End()
}

func (p rowPen) row(c *draw.Row, r row, chosen bool, w int) {
	it := p.l.items[r.at]
	switch r.kind {
	case headRow:
		p.headRow(c, r, chosen)
	case actRow:
		p.actRow(c, r, chosen, w)
		p.undone(c, it.change)
	case changeRow:
		p.changeRow(c, it, r.grouped, chosen, w)
		p.undone(c, it.change)
	case innerRow:
		p.innerRow(c, r.version, chosen)
	default:
		p.versionRow(c, it.version, chosen, w)
	}
}

// headRow draws the author, the number and the time of the changes below.
func (p rowPen) headRow(c *draw.Row, r row, chosen bool) {
	newest, oldest := p.l.items[r.at].change, p.l.items[r.to-1].change
	fold := "▾ "
	if p.l.folded[newest.Session] {
		fold = "▸ "
	}
	c.Put(fold, p.th.Dim)
	if sign, style := p.sign(chosen, p.newBelow(r)); sign != " " {
		c.Put(sign+" ", style)
	}
	c.Put(actors.Maker(newest.Actor, newest.Inferred), p.th.Actor(string(newest.Actor.Kind)))
	n := strconv.Itoa(r.to - r.at)
	if r.to == len(p.l.items) && !p.l.done {
		n += "+"
	}
	c.Put("  "+n+" changes", p.th.Text)
	from, to := p.age(oldest.Time), p.age(newest.Time)
	if from != to {
		to = from + "–" + to
	}
	c.Put("  "+to, p.th.Dim)
	if id := "  " + shortSession(newest.Session); text.Width(id) <= c.Left() {
		c.Put(id, p.th.Dim)
	}
}

// actRow draws a bulk edit in the columns of a change.
func (p rowPen) actRow(c *draw.Row, r row, chosen bool, w int) {
	ch, act := p.l.items[r.at].change, p.l.items[r.at].act
	fold := "▸"
	if p.l.listsBelow(r) {
		fold = "▾"
	}
	p.indent(c, r.grouped, w)
	p.mark(c, chosen, p.newBelow(r))
	c.Put(fold, p.th.Dim)
	p.changeColumns(c, ch, r.grouped)
	more, written, did := strconv.Itoa(len(act.Changes))+" changes", act.Versions, act.Effect
	if r.to-r.at < len(act.Changes) { // other changes are in between: the row counts what its own changes wrote
		more, written = strconv.Itoa(r.to-r.at)+" of "+more, 0
		did = versions.Effect{}
		for _, it := range p.l.items[r.at:r.to] {
			written, did = written+it.change.Versions, did.Add(it.change.Effect)
		}
	}
	p.memories(c, written, did)
	if text.Width(more) <= c.Left() {
		c.Put(more, p.th.Dim)
	}
}

// Columns that several tables have, and the least room for a path.
const (
	numberCols    = 5
	ageCols       = 4
	opCols        = 8
	actorCols     = 14
	sessCols      = 10
	linesCols     = 11
	fewLinesCols  = 9  // of the same in little room
	fromCols      = 16 // of the old path; less is unreadable
	shortPathCols = 12 // of a path beside how many memories were changed
	idCols        = 8  // of an abbreviated id
)

// From authorFrom on, the author of a version has a column, before that what the others leave.
const (
	authorFrom = 58
	wideFrom   = 64 // columns from which there is room for long names
	restFrom   = 30 // columns from which anything follows the counts of lines
)

var versionTable = draw.Table[rowPen, *versions.Version]{
	{Title: "number", W: numberCols, Cell: func(p rowPen, v *versions.Version, _ int) (string, theme.Style) {
		return versionName(*v), p.th.Text
	}},
	{Title: "age", W: ageCols, Cell: func(p rowPen, v *versions.Version, _ int) (string, theme.Style) { return p.age(v.Time), p.th.Dim }},
	{Title: "operation", W: opCols, From: 44, Cell: func(p rowPen, v *versions.Version, _ int) (string, theme.Style) {
		return wording.Made(*v), p.operationStyle(v.Operation)
	}},
	{Title: "lines", W: linesCols, From: 36, Least: fewLinesCols, Put: (rowPen).counted},
	{Title: "author", W: actorCols, From: authorFrom, Below: wideFrom, Cell: (rowPen).author},
	{Title: "author", W: actorCols + 4, From: wideFrom, Cell: (rowPen).author},
	{Title: "session", W: sessCols, From: authorFrom, Path: true, Cell: func(p rowPen, v *versions.Version, _ int) (string, theme.Style) {
		return shortSession(v.Session), p.th.Dim
	}},
}

func (p rowPen) author(v *versions.Version, cols int) (string, theme.Style) {
	return p.actor(v.Actor, v.Inferred, cols)
}

func (p rowPen) versionRow(c *draw.Row, v *versions.Version, chosen bool, w int) {
	p.mark(c, chosen, p.who.version(v))
	*c = versionTable.Put(*c, p, v)
	undone := ""
	if v.UndoneBy != 0 && w >= restFrom {
		undone = "undone "
	}
	if w >= restFrom && w < authorFrom {
		cols := actorCols
		if !v.Renamed() { // nothing follows
			cols = max(cols, c.Left()-1) - text.Width(undone)
		}
		who, st := p.author(v, cols)
		c.Column(who, cols, st)
	}
	if undone != "" { // last, so that the columns hold
		c.Put(undone, p.th.Warn)
	}
	p.after(c, v.Inputs)
	if v.Renamed() && c.Left() >= fromCols {
		c.Put("from ", p.th.Dim)
		c.Path(v.From.String(), c.Left(), p.th.Dim)
	}
	if a := v.Across; a != nil && c.Left() >= fromCols {
		way := "from "
		switch v.Operation {
		case versions.Deleted:
			way = "to "
		case versions.Modified:
			way = "with "
		}
		c.Put(way, p.th.Dim)
		c.Path(fmt.Sprintf("%s:%s@%d", a.Name, a.Path, a.Number), c.Left(), p.th.Dim)
	}
}

// after puts what a session had taken in before it wrote, if there is room for all of it.
func (p rowPen) after(c *draw.Row, in versions.Inputs) {
	if s := actors.After(in); s != "" && text.Width(s)+1 <= c.Left() {
		c.Put(s+" ", p.th.Warn)
	}
}

// sign returns the mark before a row: chosen, or new.
func (p rowPen) sign(chosen, isNew bool) (string, theme.Style) {
	switch {
	case chosen:
		return "✓", p.th.Marked
	case isNew:
		return "●", p.th.Changed
	}
	return " ", p.th.Text
}

func (p rowPen) mark(c *draw.Row, chosen, isNew bool) { c.Put(p.sign(chosen, isNew)) }

// newBelow reports whether a heading hides something new.
func (p rowPen) newBelow(r row) bool {
	if p.l.listsBelow(r) {
		return false
	}
	for _, it := range p.l.items[r.at:r.to] {
		if p.who.item(it) {
			return true
		}
		if p.who.over(it) {
			break
		}
	}
	return false
}

// counted draws the lines added and removed, right-aligned.
func (p rowPen) counted(v *versions.Version, c draw.Row) draw.Row {
	if gone := whyNoContent(*v); gone != "" {
		c.Put(gone, p.th.Warn)
	} else {
		c.Lines(v.Added, v.Removed, c.Left()/2, p.th)
	}
	return c
}

func (p rowPen) changeRow(c *draw.Row, it item, grouped, chosen bool, w int) {
	ch := it.change
	fold := " "
	switch {
	case p.l.open[ch.Number]:
		fold = "▾"
	case ch.Versions > 1:
		fold = "▸"
	}
	p.indent(c, grouped, w)
	p.mark(c, chosen, p.who.item(it))
	c.Put(fold, p.th.Dim)
	p.changeColumns(c, ch, grouped)
	path, style := wording.OnScreen(*ch), p.changeStyle(ch)
	switch {
	case ch.Versions > 1 && undoes(*ch): // what it undid says more than how many memories that were
		c.Column(path, text.Width(path), style)
		p.memories(c, ch.Versions, ch.Effect)
		p.after(c, ch.Inputs)
		return
	case ch.Versions > 1:
		p.memories(c, ch.Versions, ch.Effect)
		if ch.Path.IsRoot() || c.Left() < min(text.Width(path), shortPathCols) {
			return // the path of the whole store adds nothing, and a few letters of one name nothing
		}
	}
	if c.Left() >= text.Width(path)+1+text.Width(actors.After(ch.Inputs)) {
		c.PathColumn(path, text.Width(path), style)
		p.after(c, ch.Inputs)
		return
	}
	c.Path(path, c.Left(), style)
}

// memories puts how many memories a change or a bulk edit wrote, and what it did to them if that is not one thing.
func (p rowPen) memories(c *draw.Row, count int, did versions.Effect) {
	n := strconv.Itoa(count) + " memories"
	if counts := wording.Counts(did); strings.Contains(counts, ",") && text.Width(counts)+1 <= c.Left() {
		n = counts
	}
	if text.Width(n) > c.Left() {
		n = "×" + strconv.Itoa(count)
	}
	c.Put(n, p.th.Marked)
	c.Space(1)
}

// indent indents a row below its heading.
func (p rowPen) indent(c *draw.Row, grouped bool, w int) {
	switch {
	case grouped && w < 50:
		c.Space(1)
	case grouped:
		c.Space(2)
	}
}

// The columns of a change, and of one below a heading that names its author.
var ungroupedTable, groupedTable = changeTable(50, 72), changeTable(draw.Never, draw.Never)

func changeTable(author, session int) draw.Table[rowPen, *versions.Change] {
	return draw.Table[rowPen, *versions.Change]{
		{Title: "number", W: numberCols, Cell: func(p rowPen, ch *versions.Change, _ int) (string, theme.Style) {
			return "#" + strconv.FormatInt(ch.Number, 10), p.th.Text
		}},
		{Title: "age", W: ageCols, Cell: func(p rowPen, ch *versions.Change, _ int) (string, theme.Style) {
			return p.age(ch.Time), p.th.Dim
		}},
		{Title: "author", W: actorCols, From: author, Cell: func(p rowPen, ch *versions.Change, cols int) (string, theme.Style) {
			return p.actor(ch.Actor, ch.Inferred, cols)
		}},
		{Title: "session", W: sessCols, From: session, Path: true, Cell: func(p rowPen, ch *versions.Change, _ int) (string, theme.Style) {
			return shortSession(ch.Session), p.th.Dim
		}},
		{Title: "act", W: opCols, Cell: func(p rowPen, ch *versions.Change, _ int) (string, theme.Style) {
			return wording.Verb(*ch), p.changeStyle(ch)
		}},
	}
}

func (p rowPen) changeStyle(ch *versions.Change) theme.Style {
	if ch.UndoneBy != 0 {
		return p.th.Dim
	}
	return p.th.Text
}

func (p rowPen) changeColumns(c *draw.Row, ch *versions.Change, grouped bool) {
	table := ungroupedTable
	if grouped {
		table = groupedTable
	}
	*c = table.Put(*c, p, ch)
	if ch.UndoneBy != 0 {
		c.W -= len(undoneMark)
	}
}

const undoneMark = " [undone]"

// undone puts in the room that changeColumns left at the end that a change was undone. Before what the change did it would read
// as a part of that.
func (p rowPen) undone(c *draw.Row, ch *versions.Change) {
	if ch.UndoneBy != 0 {
		c.W += len(undoneMark)
		c.Put(undoneMark, p.th.Warn)
	}
}

// innerTable has the columns of a version below its change.
var innerTable = draw.Table[rowPen, *versions.Version]{
	{Title: "did", W: opCols, Cell: func(p rowPen, v *versions.Version, _ int) (string, theme.Style) {
		return wording.Did(*v), p.operationStyle(v.Operation)
	}},
	{Title: "lines", W: fewLinesCols, Put: (rowPen).counted},
	{Title: "path", Share: 1, Path: true, Cell: func(p rowPen, v *versions.Version, _ int) (string, theme.Style) { return pathName(*v), p.th.Text }},
}

func (p rowPen) innerRow(c *draw.Row, v *versions.Version, chosen bool) {
	c.Space(3)
	p.mark(c, chosen, p.who.version(v))
	c.Space(1)
	*c = innerTable.Put(*c, p, v)
}

// actor returns the sign of the actor's kind, or that the actor is inferred, and the name.
func (p rowPen) actor(a versions.Actor, inferred bool, cols int) (string, theme.Style) {
	return actors.Fitting(actors.Maker(a, inferred), cols), p.th.Actor(string(a.Kind))
}

func (p rowPen) operationStyle(op versions.Operation) theme.Style {
	switch op {
	case versions.Created:
		return p.th.Added
	case versions.Deleted:
		return p.th.Removed
	}
	return p.th.Text
}

// whyNoContent returns why the content of a version can't be read. It is empty if it can, or if
// the version has none.
func whyNoContent(v versions.Version) string {
	switch {
	case v.Lost():
		return "lost"
	case !v.Redacted.IsZero():
		return "redacted"
	case v.Damaged:
		return "damaged"
	}
	return ""
}

func pathName(v versions.Version) string {
	switch {
	case v.Lost():
		return "(lost)"
	case !v.Redacted.IsZero():
		return "(redacted)"
	case v.Renamed():
		return v.From.String() + " → " + v.Path.String()
	}
	return v.Path.String()
}

func shortSession(s versions.SessionID) string { return draw.ShortID(string(s), idCols) }

// age returns how long ago t was in at most four columns, or the date if the current time is
// unknown.
func (p rowPen) age(t time.Time) string {
	if p.now.IsZero() {
		return t.Format("0102")
	}
	return text.Age(p.now.Sub(t))
}
