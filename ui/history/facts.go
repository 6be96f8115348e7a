package history

import (
	"slices"
	"strconv"
	"time"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// Facts returns the row with the author and the time of the selected row, or of the newer one of two chosen versions.
func (p *Pane) Facts() []split.Fact {
	l := p.list()
	r, ok := l.current()
	if !ok {
		return nil
	}
	return []split.Fact{{Put: func(c *draw.Row) { // only where it is drawn: Facts is called several times a frame
		pen := p.rowPen()
		if _, newer, two := p.chosen.two(l); two {
			pen.putFacts(c, pen.facts(item{version: &newer}, row{}))
		} else {
			pen.putFacts(c, pen.facts(l.items[r.at], r))
		}
	}}}
}

func (p rowPen) putFacts(c *draw.Row, f detailFacts) {
	c.Put(p.clock(f.time)+" ", p.th.Dim)
	c.Put(actors.Maker(f.actor, f.inferred), p.th.Actor(string(f.actor.Kind)))
	room, subject := c.Left(), ""
	if f.subject != "" {
		subject = " · " + f.subject
		room -= min(text.Width(subject), room/2)
	}
	for _, s := range f.fit(room) {
		c.Put(" · ", p.th.Dim)
		c.Put(s.text, s.style)
	}
	if c.Left() >= fromCols || text.Width(subject) <= c.Left() {
		c.Column(subject, c.Left(), p.th.Text)
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

func (p rowPen) facts(it item, r row) detailFacts {
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
	dim := func(s string) { f.more = append(f.more, styled{s, p.th.Dim}) }
	if f.inferred {
		dim("inferred")
	}
	if s := actors.After(inputsOf(it)); s != "" && !r.heads() {
		f.more = append(f.more, styled{s, p.th.Warn})
	}
	v, ok := p.l.version()
	if r.kind == versionRow {
		v, ok = *it.version, true
	}
	switch {
	case ok && v.Lost():
		f.more = append(f.more, styled{"lost to damage, found " + p.clock(v.Redacted), p.th.Warn})
	case ok && !v.Redacted.IsZero():
		f.more = append(f.more, styled{"redacted by " + actors.Short(v.RedactedBy) + " " + p.clock(v.Redacted), p.th.Warn})
	}
	if r.kind == versionRow && v.UndoneBy != 0 {
		f.more = append(f.more, styled{"undone by #" + strconv.FormatInt(v.UndoneBy, 10), p.th.Warn})
	}
	if c := it.change; c != nil && c.UndoneBy != 0 && r.kind != headRow {
		f.more = append(f.more, styled{"undone by #" + strconv.FormatInt(c.UndoneBy, 10), p.th.Warn})
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
func (p rowPen) clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(p.now.Location()).Format("2006-01-02 15:04")
}
