package history

import (
	"slices"
	"strconv"
	"time"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// Columns and rows from which the diff is beside the list, and below it.
const besideFrom, belowFrom = 110, 11

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if l := p.list(); len(l.rows) == 0 && !l.pages.Waiting() {
		why, _ := p.question()
		return p.Notice(why, p.env.Theme.Dim)
	}
	return p.Split.View()
}

// Rows, Cols, Heading, AppendRow, Facts and DetailTitle implement split.Owner.
func (p *Pane) Rows() int           { return len(p.list().rows) }
func (p *Pane) Cols() int           { return 50 }
func (p *Pane) Heading(int) bool    { return false }
func (p *Pane) DetailTitle() string { return p.shown.title }

// RowsAbove returns the rows of the filter while it is typed.
func (p *Pane) RowsAbove() int {
	if !p.typed.On() {
		return 0
	}
	return min(filter.Rows, p.H-1)
}

// AppendAbove draws a row of the filter.
func (p *Pane) AppendAbove(dst []byte, i, w int) []byte {
	return p.typed.Append(dst, i, w, p.query.problem, p.env.Theme)
}

// compares reports whether the diff is with the base, or of the base itself.
func (p *Pane) compares(base *versions.Version) bool { return base.Memory == p.shown.right.Memory }

// counts returns the counts of the diff and the place in it.
func (p *Pane) counts() (out []split.Fact) {
	if p.shown.right == nil {
		return nil
	}
	add := func(s string, st theme.Style) { out = append(out, split.Fact{Text: s, Style: st}) }
	added, removed := p.shown.doc.Counts()
	if added > 0 {
		add("+"+strconv.Itoa(added), p.env.Theme.Added)
	}
	if removed > 0 {
		add("−"+strconv.Itoa(removed), p.env.Theme.Removed)
	}
	if i, n := p.Diff.Hunk(); n > 1 {
		add(strconv.Itoa(i+1)+"/"+strconv.Itoa(n), p.env.Theme.Dim)
	}
	if b := p.base(); b != nil && !p.compares(b) {
		add("✓"+versionName(*b)+" elsewhere", p.env.Theme.Marked)
	}
	return out
}

// Facts returns the row with the author and the time of the selected row.
func (p *Pane) Facts() []split.Fact {
	if _, ok := p.list().current(); !ok {
		return nil
	}
	return []split.Fact{{Put: p.putFacts}}
}

func (p *Pane) putFacts(c *draw.Row) {
	l := p.list()
	r, _ := l.current()
	f := p.factsOf(l.items[r.at], r)
	if _, newer, two := p.twoChosen(); two {
		f = p.factsOf(item{version: &newer}, row{})
	}
	c.Put(p.clock(f.time)+" ", p.env.Theme.Dim)
	c.Put(actors.Maker(f.actor, f.inferred), p.env.Theme.Actor(string(f.actor.Kind)))
	room, subject := c.Left(), ""
	if f.subject != "" {
		subject = " · " + f.subject
		room -= min(text.Width(subject), room/2)
	}
	for _, s := range f.fit(room) {
		c.Put(" · ", p.env.Theme.Dim)
		c.Put(s.text, s.style)
	}
	if c.Left() >= fromCols || text.Width(subject) <= c.Left() {
		c.Column(subject, c.Left(), p.env.Theme.Text)
	}
}

// fit returns the further facts that fit into cols columns. Ids are abbreviated if that makes
// room, and facts that don't fit are left out.
func (f *detailFacts) fit(cols int) []styled {
	width := func(list []styled) (n int) {
		for _, s := range list {
			n += text.Width(" · ") + text.Width(s.text)
		}
		return n
	}
	list := slices.Clone(f.more)
	for i := len(list) - 1; i >= 0 && width(list) > cols; i-- {
		if f.ids[i] != "" {
			list[i].text = f.ids[i]
		}
	}
	for len(list) > 0 && width(list) > cols {
		list = list[:len(list)-1]
	}
	return list
}

// detailFacts are the facts of the detail line.
type detailFacts struct {
	time     time.Time
	actor    versions.Actor
	inferred bool // whether the actor was inferred
	subject  string
	more     []styled
	ids      map[int]string // the abbreviated ids in more
}

type styled struct {
	text  string
	style theme.Style
}

func (p *Pane) factsOf(it item, r row) detailFacts {
	f := detailFacts{ids: map[int]string{}}
	var change int64
	var session versions.SessionID
	var turn int
	var tool string
	if c := it.change; c != nil {
		f.time, f.actor, change, session, turn, tool = c.Time, c.Actor, c.Number, c.Session, c.Turn, c.ToolUse
		f.inferred, f.subject = c.Inferred, c.Subject
	} else {
		v := it.version
		f.time, f.actor, change, session, turn, tool = v.Time, v.Actor, v.Change, v.Session, v.Turn, v.ToolUse
		f.inferred, f.subject = v.Inferred, v.Subject
	}
	dim := func(s string) { f.more = append(f.more, styled{s, p.env.Theme.Dim}) }
	if f.inferred {
		dim("inferred")
	}
	if s := actors.After(inputsOf(it)); s != "" && !r.heads() {
		f.more = append(f.more, styled{s, p.env.Theme.Warn})
	}
	v, ok := p.selected()
	if r.kind == versionRow {
		v, ok = *it.version, true
	}
	switch {
	case ok && v.Lost():
		f.more = append(f.more, styled{"lost to damage, found " + p.clock(v.Redacted), p.env.Theme.Warn})
	case ok && !v.Redacted.IsZero():
		f.more = append(f.more, styled{"redacted by " + actors.Short(v.RedactedBy) + " " + p.clock(v.Redacted), p.env.Theme.Warn})
	}
	if r.kind == versionRow && v.UndoneBy != 0 {
		f.more = append(f.more, styled{"undone by #" + strconv.FormatInt(v.UndoneBy, 10), p.env.Theme.Warn})
	}
	if c := it.change; c != nil && c.UndoneBy != 0 && r.kind != headRow {
		f.more = append(f.more, styled{"undone by #" + strconv.FormatInt(c.UndoneBy, 10), p.env.Theme.Warn})
	}
	if r.heads() {
		f.subject = "" // it is the subject of only one of them
		dim(draw.Plural(r.to-r.at, "change", "changes"))
	} else {
		dim("#" + strconv.FormatInt(change, 10))
		if turn > 0 {
			dim("turn " + strconv.Itoa(turn))
		}
		if tool != "" {
			f.ids[len(f.more)] = "call " + draw.ShortID(tool, idCols)
			dim(tool)
		}
	}
	if session != "" {
		f.ids[len(f.more)] = "session " + shortSession(session)
		dim("session " + string(session))
	}
	return f
}

// inputsOf returns what the session had taken in before.
func inputsOf(it item) versions.Inputs {
	if it.change != nil {
		return it.change.Inputs
	}
	return it.version.Inputs
}

// clock formats a time for the user.
func (p *Pane) clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(p.now.Location()).Format("2006-01-02 15:04")
}
