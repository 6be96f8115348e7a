package history

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if p.w <= 0 || p.h <= 0 {
		return ""
	}
	a := p.arrange()
	diff := strings.Split(p.diff.View(), "\n")
	dst := make([]byte, 0, p.h*(p.w+48))
	for y := range p.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		switch {
		case a.filter.Holds(0, y):
			dst = p.typed.Append(dst, y-a.filter.Y, a.filter.W, p.query.problem, p.env.Theme)
		case a.list.Holds(0, y) && a.diff.H == 0 && len(p.list().rows) == 0 && !p.list().pages.Waiting():
			dst = p.appendReason(dst, y-a.list.Y, a.list.W)
		case a.list.Holds(0, y):
			dst = p.appendRow(dst, p.list().Top+y-a.list.Y, a.list.W)
		}
		if a.beside {
			dst = p.env.Theme.Border.Append(dst, p.env.Theme.Lines.Down)
		}
		switch {
		case y == a.head.Y && a.head.H > 0:
			dst = p.appendHead(dst, a)
		case y == a.detail.Y && a.detail.H > 0:
			dst = p.appendDetail(dst, a.detail.W)
		case y >= a.diff.Y && y-a.diff.Y < min(a.diff.H, len(diff)):
			dst = append(dst, diff[y-a.diff.Y]...)
		}
	}
	return string(dst)
}

// appendHead draws the line above the diff.
func (p *Pane) appendHead(dst []byte, a places) []byte {
	border, title := p.env.Theme.Border, p.env.Theme.Title
	if p.inDiff && p.focused {
		border, title = p.env.Theme.BorderFocused, p.env.Theme.TitleFocused
	}
	c := draw.NewRow(dst, a.head.W)
	switch {
	case a.single:
		c.Put("‹ "+p.acts.Hint("pane.back")+" ", p.env.Theme.HintKey)
	case a.beside:
		c.Put(" ", border)
	case p.shown.title != "":
		c.Put(strings.Repeat(p.env.Theme.Lines.Across, 2)+" ", border)
	}
	if p.shown.title != "" {
		parts := p.counts()
		room := c.Left()
		for _, s := range parts {
			room -= text.Width(s.text) + 1
		}
		c.Path(p.shown.title, min(max(room, 12), c.Left())-1, title)
		c.Space(1)
		for _, s := range parts {
			c.Put(s.text+" ", s.style)
		}
	}
	if !a.beside {
		c.Put(strings.Repeat(p.env.Theme.Lines.Across, c.Left()), border)
	}
	return c.End()
}

// compares reports whether the diff is with the base, or of the base itself.
func (p *Pane) compares(base *versions.Version) bool { return base.Memory == p.shown.right.Memory }

// counts returns the counts of the diff and the place in it.
func (p *Pane) counts() (out []styled) {
	if p.shown.right == nil {
		return nil
	}
	added, removed := p.shown.doc.Counts()
	if added > 0 {
		out = append(out, styled{"+" + strconv.Itoa(added), p.env.Theme.Added})
	}
	if removed > 0 {
		out = append(out, styled{"−" + strconv.Itoa(removed), p.env.Theme.Removed})
	}
	if n := p.shown.doc.Moved(); n > 0 {
		out = append(out, styled{strconv.Itoa(n) + " moved", p.env.Theme.Moved})
	}
	if i, n := p.diff.Hunk(); n > 1 {
		out = append(out, styled{strconv.Itoa(i+1) + "/" + strconv.Itoa(n), p.env.Theme.Dim})
	}
	if b := p.base(); b != nil && !p.compares(b) {
		out = append(out, styled{"✓" + versionName(*b) + " elsewhere", p.env.Theme.Marked})
	}
	return out
}

// appendDetail draws the line with the author and the time of the selected row.
func (p *Pane) appendDetail(dst []byte, w int) []byte {
	c := draw.NewRow(dst, w)
	c.Put(" ", p.env.Theme.Dim)
	l := p.list()
	r, ok := l.current()
	if !ok {
		return c.End()
	}
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
	return c.End()
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
