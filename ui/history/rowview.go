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

func (p *Pane) appendRow(dst []byte, i, w int) []byte {
	l := p.list()
	c := draw.NewRow(dst, w)
	if i >= len(l.rows) {
		if i == len(l.rows) && l.pages.Waiting() {
			c.Put("  "+p.progress(l), p.env.Theme.Dim)
		}
		return c.End()
	}
	if i == l.Cur {
		st := p.env.Theme.SelectedDim
		if p.focused && !p.inDiff {
			st = p.env.Theme.Selected
		}
		c = draw.StyledRow(dst, w, st)
	}
	r := l.rows[i]
	it, chosen := l.items[r.at], p.isChosen(l, i)
	switch r.kind {
	case headRow:
		p.headRow(&c, l, r, chosen)
	case actRow:
		p.actRow(&c, l, r, chosen, w)
	case changeRow:
		p.changeRow(&c, it, r.grouped, chosen, w)
	case innerRow:
		p.innerRow(&c, r.version, chosen)
	default:
		p.versionRow(&c, it.version, chosen, w)
	}
	return c.End()
}

// appendReason draws row i of the reason why the list is empty, if there is no diff to show
// it.
func (p *Pane) appendReason(dst []byte, i, w int) []byte {
	c := draw.NewRow(dst, w)
	if rows := text.Rows(p.emptiness(), w-2, 0); i < len(rows) {
		c.Put(" "+rows[i], p.env.Theme.Dim)
	}
	return c.End()
}

// progress returns the progress of a search through a long history.
func (p *Pane) progress(l *list) string {
	if l.query.any() || l.before == 0 {
		return "…"
	}
	return "… looked back to " + map[bool]string{true: "#", false: "v"}[l == &p.all] + strconv.FormatInt(l.before, 10)
}

// headRow draws the author, the number and the time of the changes below.
func (p *Pane) headRow(c *draw.Row, l *list, r row, chosen bool) {
	newest, oldest := l.items[r.at].change, l.items[r.to-1].change
	fold := "▾ "
	if p.folded[newest.Session] {
		fold = "▸ "
	}
	c.Put(fold, p.env.Theme.Dim)
	if sign, style := p.sign(chosen, p.newBelow(l, r)); sign != " " {
		c.Put(sign+" ", style)
	}
	c.Put(actors.Maker(newest.Actor, newest.Inferred), p.env.Theme.Actor(string(newest.Actor.Kind)))
	n := strconv.Itoa(r.to - r.at)
	if r.to == len(l.items) && !l.done {
		n += "+"
	}
	c.Put("  "+n+" changes", p.env.Theme.Text)
	from, to := p.age(oldest.Time), p.age(newest.Time)
	if from != to {
		to = from + "–" + to
	}
	c.Put("  "+to, p.env.Theme.Dim)
	if id := "  " + shortSession(newest.Session); text.Width(id) <= c.Left() {
		c.Put(id, p.env.Theme.Dim)
	}
}

// actRow draws a bulk edit in the columns of a change.
func (p *Pane) actRow(c *draw.Row, l *list, r row, chosen bool, w int) {
	ch, act := l.items[r.at].change, l.items[r.at].act
	fold := "▸"
	if p.listsBelow(l, r) {
		fold = "▾"
	}
	p.indent(c, r.grouped, w)
	p.mark(c, chosen, p.newBelow(l, r))
	c.Put(fold, p.env.Theme.Dim)
	p.changeColumns(c, ch, r.grouped, w)
	more, written, did := strconv.Itoa(len(act.Changes))+" changes", act.Versions, act.Effect
	if r.to-r.at < len(act.Changes) { // other changes are in between: the row counts what its own changes wrote
		more, written = strconv.Itoa(r.to-r.at)+" of "+more, 0
		did = versions.Effect{}
		for _, it := range l.items[r.at:r.to] {
			written, did = written+it.change.Versions, did.Add(it.change.Effect)
		}
	}
	p.memories(c, written, did)
	if text.Width(more) <= c.Left() {
		c.Put(more, p.env.Theme.Dim)
	}
}

// Columns. What does not fit is left out from the right, except for the line counts, which
// matter most.
const (
	numberCols    = 5
	ageCols       = 4
	opCols        = 8
	actorCols     = 14
	sessCols      = 10
	fromCols      = 16 // of the old path; less is unreadable
	shortPathCols = 12 // of a path beside how many memories were changed
	idCols        = 8  // of an abbreviated id
)

func (p *Pane) versionRow(c *draw.Row, v *versions.Version, chosen bool, w int) {
	p.mark(c, chosen, p.viewer().version(v))
	c.Column(versionName(*v), numberCols, p.env.Theme.Text)
	c.Column(p.age(v.Time), ageCols, p.env.Theme.Dim)
	if w >= 44 { // in less room, the counts imply the operation and the rest goes to the author
		c.Column(wording.Made(*v), opCols, p.operationStyle(v.Operation))
	}
	p.counted(c, v, w >= 36)
	undone := ""
	if v.UndoneBy != 0 && w >= 30 {
		undone = "undone "
	}
	if w >= 30 {
		cols := actorCols
		if w >= 64 {
			cols += 4
		}
		if w < 58 && !v.Renamed() { // no column follows
			cols = max(cols, c.Left()-1) - text.Width(undone)
		}
		p.actor(c, v.Actor, v.Inferred, cols)
	}
	if w >= 58 {
		c.Column(shortSession(v.Session), sessCols, p.env.Theme.Dim)
	}
	if undone != "" { // last, so that the columns hold
		c.Put(undone, p.env.Theme.Warn)
	}
	p.after(c, v.Inputs)
	if v.Renamed() && c.Left() >= fromCols {
		c.Put("from ", p.env.Theme.Dim)
		c.Path(v.From.String(), c.Left(), p.env.Theme.Dim)
	}
	if a := v.Across; a != nil && c.Left() >= fromCols {
		way := "from "
		switch v.Operation {
		case versions.Deleted:
			way = "to "
		case versions.Modified:
			way = "with "
		}
		c.Put(way, p.env.Theme.Dim)
		c.Path(fmt.Sprintf("%s:%s@%d", a.Name, a.Path, a.Number), c.Left(), p.env.Theme.Dim)
	}
}

// after puts what a session had taken in before it wrote, if there is room for all of it.
func (p *Pane) after(c *draw.Row, in versions.Inputs) {
	if s := actors.After(in); s != "" && text.Width(s)+1 <= c.Left() {
		c.Put(s+" ", p.env.Theme.Warn)
	}
}

// sign returns the mark before a row: chosen, or new.
func (p *Pane) sign(chosen, isNew bool) (string, theme.Style) {
	switch {
	case chosen:
		return "✓", p.env.Theme.Marked
	case isNew:
		return "●", p.env.Theme.Changed
	}
	return " ", p.env.Theme.Text
}

func (p *Pane) mark(c *draw.Row, chosen, isNew bool) { c.Put(p.sign(chosen, isNew)) }

// newBelow reports whether a heading hides something new.
func (p *Pane) newBelow(l *list, r row) bool {
	if p.listsBelow(l, r) {
		return false
	}
	who := p.viewer()
	for _, it := range l.items[r.at:r.to] {
		if who.item(it) {
			return true
		}
		if who.over(it) {
			break
		}
	}
	return false
}

// counted puts the lines added and removed, right-aligned.
func (p *Pane) counted(c *draw.Row, v *versions.Version, wide bool) {
	cols := 4
	if wide {
		cols = 5
	}
	if gone := whyNoContent(*v); gone != "" {
		c.Column(gone, 2*cols+1, p.env.Theme.Warn)
		return
	}
	c.Lines(v.Added, v.Removed, cols, p.env.Theme)
}

func (p *Pane) changeRow(c *draw.Row, it item, grouped, chosen bool, w int) {
	ch := it.change
	fold := " "
	switch {
	case p.open[ch.Number]:
		fold = "▾"
	case ch.Versions > 1:
		fold = "▸"
	}
	p.indent(c, grouped, w)
	p.mark(c, chosen, p.viewer().item(it))
	c.Put(fold, p.env.Theme.Dim)
	style := p.changeColumns(c, ch, grouped, w)
	if ch.Versions > 1 {
		p.memories(c, ch.Versions, ch.Effect)
		if path := text.Width(wording.OnScreen(*ch)); c.Left() < min(path, shortPathCols) {
			return // a few letters of a path name nothing
		}
		if ch.Path.IsRoot() && ch.Undoes == 0 {
			return // of the whole store: the path adds nothing
		}
	}
	path := wording.OnScreen(*ch)
	if c.Left() >= text.Width(path)+1+text.Width(actors.After(ch.Inputs)) {
		c.PathColumn(path, text.Width(path), style)
		p.after(c, ch.Inputs)
		return
	}
	c.Path(path, c.Left(), style)
}

// memories puts how many memories a change or a bulk edit wrote, and what it did to them if that is not one thing.
func (p *Pane) memories(c *draw.Row, count int, did versions.Effect) {
	n := strconv.Itoa(count) + " memories"
	if counts := wording.Counts(did); strings.Contains(counts, ",") && text.Width(counts)+1 <= c.Left() {
		n = counts
	}
	if text.Width(n) > c.Left() {
		n = "×" + strconv.Itoa(count)
	}
	c.Put(n, p.env.Theme.Marked)
	c.Space(1)
}

// indent indents a row below its heading.
func (p *Pane) indent(c *draw.Row, grouped bool, w int) {
	switch {
	case grouped && w < 50:
		c.Space(1)
	case grouped:
		c.Space(2)
	}
}

// changeColumns puts the number, the author and the kind of a change, and returns the style of
// what follows.
func (p *Pane) changeColumns(c *draw.Row, ch *versions.Change, grouped bool, w int) theme.Style {
	c.Column("#"+strconv.FormatInt(ch.Number, 10), numberCols, p.env.Theme.Text)
	c.Column(p.age(ch.Time), ageCols, p.env.Theme.Dim)
	if w >= 50 && !grouped {
		p.actor(c, ch.Actor, ch.Inferred, actorCols)
	}
	if w >= 72 && !grouped {
		c.Column(shortSession(ch.Session), sessCols, p.env.Theme.Dim)
	}
	style := p.env.Theme.Text
	if ch.UndoneBy != 0 {
		style = p.env.Theme.Dim
	}
	c.Column(wording.Verb(*ch), opCols, style)
	if ch.UndoneBy != 0 {
		c.Put("undone ", p.env.Theme.Warn)
	}
	return style
}

func (p *Pane) innerRow(c *draw.Row, v *versions.Version, chosen bool) {
	c.Put("   ", p.env.Theme.Text)
	p.mark(c, chosen, p.viewer().version(v))
	c.Put(" ", p.env.Theme.Text)
	c.Column(wording.Did(*v), opCols, p.operationStyle(v.Operation))
	p.counted(c, v, false)
	c.Path(pathName(*v), c.Left(), p.env.Theme.Text)
}

// actor puts the sign of the actor's kind, or that the actor is inferred, and the name.
func (p *Pane) actor(c *draw.Row, a versions.Actor, inferred bool, width int) {
	c.Column(actors.Fitting(actors.Maker(a, inferred), width), width, p.env.Theme.Actor(string(a.Kind)))
}

func (p *Pane) operationStyle(op versions.Operation) theme.Style {
	switch op {
	case versions.Created:
		return p.env.Theme.Added
	case versions.Deleted:
		return p.env.Theme.Removed
	}
	return p.env.Theme.Text
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

// shortSession returns the end of a session's id, where ids differ.
func shortSession(s versions.SessionID) string { return draw.ShortID(string(s), idCols) }

// age returns how long ago t was in at most four columns, or the date if the current time is
// unknown.
func (p *Pane) age(t time.Time) string {
	if p.now.IsZero() {
		return t.Format("0102")
	}
	return text.Age(p.now.Sub(t))
}
