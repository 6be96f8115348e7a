package review

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// Title returns what is chosen, and where the cursor is. How much is to be decided the status line says.
func (p *Pane) Title() (name, info string) {
	var parts []string
	if n := len(p.chosen); n > 0 {
		parts = append(parts, strconv.Itoa(n)+" chosen")
	}
	if p.applying {
		parts = append(parts, "being decided")
	}
	if at := p.Position(); at != "" && !p.InDetail {
		parts = append(parts, at)
	}
	return "review", strings.Join(parts, " · ")
}

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if len(p.rows) == 0 {
		return p.notice()
	}
	return p.Split.View()
}

// Rows returns how many rows are listed, Cols how many columns they need, and Heading reports which of them are headings.
func (p *Pane) Rows() int          { return len(p.rows) }
func (p *Pane) Cols() int          { return p.cols }
func (p *Pane) Heading(i int) bool { return p.rows[i].heading != "" }

// DetailTitle names what the diff compares.
func (p *Pane) DetailTitle() string {
	r := p.current()
	if r != nil && r.memories() > 1 {
		return p.detail.title + " · " + p.keys.Hint("list.next-memory") + " the next"
	}
	if r == nil || !made(r) {
		return p.detail.title
	}
	i, n := p.Diff.Hunk()
	switch all := len(p.detail.hunks); {
	case p.InDetail && n > 1:
		return fmt.Sprintf("%s · hunk %d of %d", p.detail.title, i+1, n)
	case !p.InDetail && all > 1:
		return fmt.Sprintf("%s · %d hunks", p.detail.title, all)
	}
	return p.detail.title
}

// notice returns why there is no list.
func (p *Pane) notice() string {
	s, st := "reading…", p.env.Theme.Dim
	switch {
	case p.err != nil:
		s, st = p.err.Error(), p.env.Theme.Error
	case p.loaded:
		s = "Nothing waits for you: no change is held, and all changes are reviewed."
	}
	return p.Notice(s, st)
}

// Columns of the list.
const (
	numberCols = 5
	ageCols    = 4
	kindCols   = 7
	actorCols  = 14
	ageFrom    = 48 // columns from which a row has its age: its reason comes first
	actorFrom  = 72 // columns from which a row has its actor whatever is cut
)

// AppendRow draws a row.
func (p *Pane) AppendRow(dst []byte, i, w int) []byte {
	c, ok := p.Split.Row(dst, i, w)
	if !ok {
		return c.End()
	}
	r, th := &p.rows[i], p.env.Theme
	if r.heading != "" {
		c.Space(1)
		c.Put(r.heading, th.Heading)
		return c.End()
	}
	switch {
	case p.isChosen(r):
		c.Put("✓", th.Marked)
	case r.held != nil:
		c.Put("?", th.Warn)
	default:
		c.Put("●", th.Changed)
	}
	c.Space(1)
	if r.held != nil {
		p.heldRow(&c, r)
	} else {
		p.madeRow(&c, r)
	}
	return c.End()
}

// measure widens the list to what a row needs if nothing is cut.
func (p *Pane) measure(r *row) {
	path, who, added, removed, warning := "", "", 0, 0, ""
	switch {
	case r.held != nil:
		path, who, warning = target(r.held), makerOf(r.held.By.Actor, false), p.warning(r)
		added, removed = lines(r.plan)
	case r.memory != nil:
		path, who, warning = r.memory.Path().String(), makerOf(r.act.Actor, r.act.Inferred), r.memory.Why
		added, removed = r.memory.Added, r.memory.Removed
	default:
		return
	}
	n := 2 + numberCols + 1 + ageCols + 1 + kindCols + 1 + text.Width(text.Field(path)) + 1
	for _, s := range []string{draw.LineCounts(added, removed), warning} {
		if s != "" {
			n += 1 + text.Width(s)
		}
	}
	p.cols, p.who = max(p.cols, n), max(p.who, text.Width(who))
}

func makerOf(who versions.Actor, inferred bool) string {
	if who.Kind == versions.Outside {
		return actors.Sign(who.Kind) + " " + actors.InSentence(who, inferred)
	}
	return actors.Fitting(actors.Maker(who, inferred), actorCols)
}

func (p *Pane) heldRow(c *draw.Row, r *row) {
	th, h := p.env.Theme, r.held
	p.rowHead(c, r.name(), h.By.Actor, false, draw.Age(p.now, h.Time))
	c.Column(h.Kind.Verb(), kindCols, th.Text)
	added, removed := lines(r.plan)
	p.rowEnd(c, target(h), added, removed, p.warning(r))
}

// warning is the reason to look closely at a held change, in one word.
func (p *Pane) warning(r *row) string {
	switch {
	case r.plan == nil:
		return "redacted"
	case len(r.plan.Conflicts) > 0:
		return "conflict"
	case r.held.Earlier != nil:
		return "again"
	case r.held.Inputs != 0:
		return "after " + strings.Join(r.held.Inputs.Kinds(), ", ")
	}
	return ""
}

func (p *Pane) madeRow(c *draw.Row, r *row) {
	m := r.memory
	p.rowHead(c, "#"+strconv.FormatInt(m.Last().Change, 10), r.act.Actor, r.act.Inferred, draw.Age(p.now, m.Last().Time))
	c.Column(split.Did(m.First(), m.Last()), kindCols, p.env.Theme.Text)
	p.rowEnd(c, m.Path().String(), m.Added, m.Removed, m.Why)
}

// who names who made an act.
func (a *act) who() string { return actors.InSentence(a.Actor, a.Inferred) }

// heading says what an act did.
func (a *act) heading() string {
	parts := []string{a.who() + " changed " + draw.Plural(len(a.Memories), "memory", "memories")}
	if a.Session != "" {
		parts = append(parts, "session "+draw.ShortID(string(a.Session), 8))
	}
	if a.loss {
		parts = append(parts, fmt.Sprintf("deleted %d at once", a.deleted()))
	}
	return strings.Join(parts, " · ")
}

// rowHead puts the number, the age if there is room and, if no path is cut for it, who.
func (p *Pane) rowHead(c *draw.Row, number string, who versions.Actor, inferred bool, age string) {
	th := p.env.Theme
	c.Column(number, numberCols, th.Text)
	if c.W >= ageFrom {
		c.Column(age, ageCols, th.Dim)
	}
	if c.W >= min(p.cols+p.who+1, actorFrom) {
		c.Column(makerOf(who, inferred), p.who, th.Actor(string(who.Kind)))
	}
}

// rowEnd puts a path, cut at its start, and at the right end the lines and a warning.
func (p *Pane) rowEnd(c *draw.Row, path string, added, removed int, warning string) {
	th := p.env.Theme
	plus, minus := "", ""
	if added > 0 {
		plus = "+" + draw.Count(added)
	}
	if removed > 0 {
		minus = "−" + draw.Count(removed)
	}
	room := c.Left() - minPathCols
	switch {
	case widthOf(warning, plus, minus) <= room:
	case widthOf(warning) <= room: // a reason says more than numbers
		plus, minus = "", ""
	default:
		warning = ""
	}
	right := widthOf(warning, plus, minus)
	c.Path(path, max(c.Left()-right-1, 1), th.Text)
	c.Space(c.Left() - right)
	for _, part := range []split.Fact{{Text: warning, Style: th.Warn}, {Text: plus, Style: th.Added}, {Text: minus, Style: th.Removed}} {
		if part.Text != "" {
			c.Put(part.Text, part.Style)
			c.Space(1)
		}
	}
}

// widthOf returns the columns of texts, each with a blank after it.
func widthOf(texts ...string) (n int) {
	for _, s := range texts {
		if s != "" {
			n += text.Width(s) + 1
		}
	}
	return n
}

const minPathCols = 6
