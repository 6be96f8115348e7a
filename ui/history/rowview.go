package history

import (
	"strconv"
	"strings"
	"time"

	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/draw"
	"github.com/memtrail/memtrail/ui/text"
	"github.com/memtrail/memtrail/versions"
)

// cells puts texts into a row one after another, all in one style when the row
// has one.
type cells struct {
	dst  []byte
	left int
	all  *theme.Style
}

func (c *cells) put(s string, style theme.Style) { c.clip(s, c.left, style, text.ClipMore) }

// putPath is put for paths, whose end tells more than their beginning.
func (c *cells) putPath(s string, style theme.Style) { c.clip(s, c.left, style, text.ClipStart) }

// column puts s into exactly width columns and a blank after them.
func (c *cells) column(s string, width int, style theme.Style) {
	end := max(0, c.left-width-1)
	c.clip(s, min(width, c.left), style, text.ClipMore)
	c.blanks(c.left - end)
}

// number is column with s at its right.
func (c *cells) number(s string, width int, style theme.Style) {
	c.blanks(width - text.Width(s))
	c.column(s, text.Width(s), style)
}

func (c *cells) clip(s string, width int, style theme.Style, how func([]byte, string, int) ([]byte, int)) {
	if c.all != nil {
		style = *c.all
	}
	c.dst = append(c.dst, style.On...)
	dst, n := how(c.dst, s, max(0, width))
	c.dst = append(dst, style.Off...)
	c.left -= n
}

// blanks puts n blanks that have no style but the row's: an underline must not
// run on below them.
func (c *cells) blanks(n int) {
	n = max(0, min(n, c.left))
	style := theme.Style{}
	if c.all != nil {
		style = *c.all
	}
	c.dst = append(c.dst, style.On...)
	c.dst = text.Spaces(c.dst, n)
	c.dst = append(c.dst, style.Off...)
	c.left -= n
}

func (c *cells) fill() { c.blanks(c.left) }

func (p *Pane) appendRow(dst []byte, i, w int) []byte {
	l := p.list()
	c := cells{dst: dst, left: w}
	if i >= len(l.rows) {
		if i == len(l.rows) && l.loading {
			c.put("  "+p.progress(l), p.theme.Dim)
		}
		c.fill()
		return c.dst
	}
	if i == l.cursor {
		c.all = &p.theme.SelectedDim
		if p.focused && !p.inDiff {
			c.all = &p.theme.Selected
		}
	}
	r := l.rows[i]
	it := l.items[r.at]
	switch r.kind {
	case headRow:
		p.headRow(&c, l, r)
	case changeRow:
		p.changeRow(&c, it.change, r.grouped, w)
	case innerRow:
		p.innerRow(&c, r.version)
	default:
		p.versionRow(&c, it.version, w)
	}
	c.fill()
	return c.dst
}

// progress says how far a search through a long history is.
func (p *Pane) progress(l *list) string {
	if l.query.any() || l.before == 0 {
		return "…"
	}
	return "… looked back to " + map[bool]string{true: "#", false: "v"}[l == &p.all] + strconv.FormatInt(l.before, 10)
}

// headRow draws who made the changes below, how many, and from when to when.
func (p *Pane) headRow(c *cells, l *list, r row) {
	newest, oldest := l.items[r.at].change, l.items[r.to-1].change
	fold := "▾ "
	if p.folded[newest.Session] {
		fold = "▸ "
	}
	c.put(fold, p.theme.Dim)
	c.put(actorSign(newest.Actor.Kind)+" "+draw.Actor(newest.Actor), p.theme.Actor(string(newest.Actor.Kind)))
	n := strconv.Itoa(r.to - r.at)
	if r.to == len(l.items) && !l.done {
		n += "+"
	}
	c.put("  "+n+" changes", p.theme.Text)
	from, to := p.age(oldest.Time), p.age(newest.Time)
	if from != to {
		to = from + "–" + to
	}
	c.put("  "+to, p.theme.Dim)
	c.put("  "+shortSession(newest.Session), p.theme.Dim)
}

// Columns. What does not fit is left out from the right, but for the counts of
// lines, which say most.
const (
	numberCols = 5
	ageCols    = 4
	opCols     = 8
	actorCols  = 14
	sessCols   = 10
)

func (p *Pane) versionRow(c *cells, v *versions.Version, w int) {
	p.mark(c, v)
	c.column(versionName(*v), numberCols, p.theme.Text)
	c.column(p.age(v.Time), ageCols, p.theme.Dim)
	if w >= 44 { // where there is less room, the counts tell what was done and the rest who did it
		c.column(operationName(*v), opCols, p.operationStyle(v.Operation))
	}
	p.counted(c, v, w >= 36)
	if w >= 30 {
		cols := actorCols
		if w < 58 && !v.Renamed() { // nothing follows
			cols = max(cols, c.left-1)
		}
		p.actor(c, v.Actor, cols)
	}
	if w >= 58 {
		c.column(shortSession(v.Session), sessCols, p.theme.Dim)
	}
	if v.Renamed() {
		c.putPath("from "+v.From.String(), p.theme.Dim)
	}
}

// mark puts the sign of the base, or of a version of somebody else that nobody has
// looked at.
func (p *Pane) mark(c *cells, v *versions.Version) {
	switch {
	case p.base != nil && p.base.ID == v.ID:
		c.put("◆", p.theme.Marked)
	case p.looks != nil && p.looks.Begun && v.Actor != p.by.Actor && v.Change > max(p.looks.Seen, p.looks.Of[v.Memory].Seen):
		c.put("●", p.theme.Changed)
	default:
		c.put(" ", p.theme.Text)
	}
}

// counted puts the lines added and removed, right-aligned.
func (p *Pane) counted(c *cells, v *versions.Version, wide bool) {
	cols := 4
	if wide {
		cols = 5
	}
	if !v.Redacted.IsZero() {
		c.column("redacted", 2*cols+1, p.theme.Warn)
		return
	}
	added, removed := "", ""
	if v.Added > 0 {
		added = "+" + short(v.Added)
	}
	if v.Removed > 0 {
		removed = "−" + short(v.Removed)
	}
	c.number(added, cols, p.theme.Added)
	c.number(removed, cols, p.theme.Removed)
}

// short is a count in at most four columns.
func short(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 100_000:
		return strconv.Itoa(n/1000) + "k"
	}
	return "lots"
}

func (p *Pane) changeRow(c *cells, ch *versions.Change, grouped bool, w int) {
	fold := " "
	switch {
	case p.open[ch.Number]:
		fold = "▾"
	case ch.Versions > 1:
		fold = "▸"
	}
	if grouped {
		c.put("  ", p.theme.Dim)
	}
	c.put(p.baseMark(ch), p.theme.Marked)
	c.put(fold, p.theme.Dim)
	c.column("#"+strconv.FormatInt(ch.Number, 10), numberCols, p.theme.Text)
	c.column(p.age(ch.Time), ageCols, p.theme.Dim)
	if w >= 50 && !grouped {
		p.actor(c, ch.Actor, actorCols)
	}
	if w >= 72 && !grouped {
		c.column(shortSession(ch.Session), sessCols, p.theme.Dim)
	}
	style := p.theme.Text
	if ch.UndoneBy != 0 {
		style = p.theme.Dim
	}
	c.column(string(ch.Kind), 7, style)
	if ch.UndoneBy != 0 {
		c.put("undone ", p.theme.Warn)
	}
	if ch.Versions > 1 {
		c.put(strconv.Itoa(ch.Versions)+" memories ", p.theme.Marked)
		if ch.Path.IsRoot() && ch.Undoes == 0 {
			return // of the whole store: the path would tell nothing
		}
	}
	c.putPath(whatOf(ch), style)
}

// baseMark marks the change whose one version is the base.
func (p *Pane) baseMark(ch *versions.Change) string {
	if list := p.details[ch.Number]; p.base != nil && p.base.Change == ch.Number && len(list) == 1 {
		return "◆"
	}
	return " "
}

// whatOf is what a change was asked of.
func whatOf(ch *versions.Change) string {
	switch {
	case ch.Kind == versions.KindRename:
		return ch.Path.String() + " → " + ch.To.String()
	case ch.Undoes != 0:
		return "#" + strconv.FormatInt(ch.Undoes, 10) + " " + ch.Path.String()
	}
	return ch.Path.String()
}

func (p *Pane) innerRow(c *cells, v *versions.Version) {
	c.put("   ", p.theme.Text)
	p.mark(c, v)
	c.put(" ", p.theme.Text)
	c.column(operationName(*v), opCols, p.operationStyle(v.Operation))
	p.counted(c, v, false)
	c.putPath(pathName(*v), p.theme.Text)
}

// actor puts the sign of the kind of actor and its name.
func (p *Pane) actor(c *cells, a versions.Actor, width int) {
	c.column(actorSign(a.Kind)+" "+draw.Actor(a), width, p.theme.Actor(string(a.Kind)))
}

func actorSign(k versions.ActorKind) string {
	switch k {
	case versions.Person:
		return "●"
	case versions.Agent:
		return "◇"
	case versions.APIKey:
		return "▪"
	}
	return "○"
}

func (p *Pane) operationStyle(op versions.Operation) theme.Style {
	switch op {
	case versions.Created:
		return p.theme.Added
	case versions.Deleted:
		return p.theme.Removed
	}
	return p.theme.Text
}

// operationName is what a version did, in one word.
func operationName(v versions.Version) string {
	switch {
	case v.Renamed() && v.Operation == versions.Modified:
		return "renamed"
	case v.Operation == versions.Modified:
		return "edited"
	}
	return string(v.Operation)
}

func pathName(v versions.Version) string {
	switch {
	case !v.Redacted.IsZero():
		return "(redacted)"
	case v.Renamed():
		return v.From.String() + " → " + v.Path.String()
	}
	return v.Path.String()
}

// shortSession is the end of a session's id, where ids differ.
func shortSession(s versions.SessionID) string {
	const most = 8
	id := string(s)
	if _, after, ok := strings.Cut(id, "_"); ok && after != "" {
		id = after
	}
	if r := []rune(id); len(r) > most {
		return string(r[len(r)-most:])
	}
	return id
}

// age is how long ago t was, in at most four columns; the day when that is
// unknown.
func (p *Pane) age(t time.Time) string {
	if p.now.IsZero() {
		return t.Format("0102")
	}
	return text.Age(p.now.Sub(t))
}
