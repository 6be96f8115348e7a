package trace

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// Title returns how much is chosen.
func (p *Pane) Title() (name, info string) {
	var parts []string
	if n := len(p.walk().chosen); n > 0 {
		parts = append(parts, strconv.Itoa(n)+" chosen")
	}
	if p.cut {
		parts = append(parts, fmt.Sprintf("only the first %d are listed", maxSteps))
	}
	return "trace", strings.Join(parts, " · ")
}

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	switch {
	case p.err != nil:
		return p.Notice(p.err.Error(), p.env.Theme.Error)
	case len(p.rows) > 0:
		return p.Split.View()
	case p.begun:
		return p.Notice("As far as memend knows, "+p.walk().title+" read nothing.", p.env.Theme.Dim)
	}
	return p.Notice("reading…", p.env.Theme.Dim)
}

// Rows, Cols, Heading, AppendRow, Facts and DetailTitle implement split.Owner.
func (p *Pane) Rows() int          { return len(p.rows) }
func (p *Pane) Cols() int          { return p.cols }
func (p *Pane) Heading(i int) bool { return p.rows[i].step == nil }

// DetailTitle names what the diff compares.
func (p *Pane) DetailTitle() string { return "before → after" }

// Columns of the list.
const (
	ageCols   = 4
	actorCols = 16 // at most
	indent    = 2
	maxDepth  = 6 // deeper steps are not indented further
	actorFrom = 46
)

// AppendRow draws a row.
func (p *Pane) AppendRow(dst []byte, i, w int) []byte {
	c, ok := p.Split.Row(dst, i, w)
	if !ok {
		return c.End()
	}
	r, th := &p.rows[i], p.env.Theme
	if r.step == nil {
		c.Space(1)
		c.Column(text.Field(r.heading), c.Left()-1, th.Heading)
		return c.End()
	}
	s := r.step
	v := s.Version
	mark := " "
	if p.walk().chosen[v.ID] {
		mark = "✓"
	}
	c.Put(mark, th.Marked)
	c.Space(1)
	c.Column(draw.Age(p.now, v.Time), ageCols, th.Dim)
	if w >= actorFrom {
		c.Column(actorOf(v), p.actorCols, th.Actor(string(v.Actor.Kind)))
	}
	c.Space(indent * min(r.depth, maxDepth))
	note := note(r, p.cfg.ID)
	right := text.Width(note) + 1
	if note == "" || right > c.Left()-8 {
		note, right = "", 1
	}
	st := th.Text
	if s.Undone || s.Again {
		st = th.Dim
	}
	c.Path(text.Field(versionName(v)), max(c.Left()-right-1, 1), st)
	if note != "" {
		c.Space(c.Left() - right)
		c.Put(note, th.Warn)
	}
	return c.End()
}

// needs returns the columns of a step with nothing cut.
func (p *Pane) needs(r *row) int {
	return 2 + ageCols + 1 + p.actorCols + 1 + indent*min(r.depth, maxDepth) + text.Width(text.Field(versionName(r.step.Version))) + 1 + text.Width(note(r, p.cfg.ID)) + 1
}

// actorOf names who wrote a version.
func actorOf(v versions.Version) string {
	return actors.Fitting(actors.Maker(v.Actor, v.Inferred), actorCols)
}

// versionName names a version: "/a.md v3".
func versionName(v versions.Version) string {
	if !v.Redacted.IsZero() {
		return "a redacted version"
	}
	return fmt.Sprintf("%s v%d", v.Path, v.Number)
}

// note is what there is to know of a step, in one word.
func note(r *row, here versions.StoreID) string {
	switch v := r.step.Version; {
	case r.step.Undone:
		return "undone"
	case r.step.Again:
		return "see above"
	case r.step.Store != here:
		return "other store"
	case unclaimed(v):
		return "unclaimed"
	default:
		return strings.Join(v.Inputs.Kinds(), ",")
	}
}

// Facts returns the rows about the step under the cursor.
func (p *Pane) Facts() (out []split.Fact) {
	r := p.current()
	if r == nil {
		return nil
	}
	th, s := p.env.Theme, r.step
	v := s.Version
	add := func(text string, st theme.Style) {
		if text != "" {
			out = append(out, split.Fact{Text: text, Style: st})
		}
	}
	what := actors.InSentence(v.Actor, v.Inferred) + " " + split.Did(v, v) + " " + versionName(v)
	if lines := draw.LineCounts(v.Added, v.Removed); lines != "" {
		what += "  " + lines
	}
	add(what, th.Strong)
	switch {
	case s.Undone:
		add("it is undone", th.Dim)
	case s.Store != p.cfg.ID:
		add("it is in another store", th.Warn)
	case unclaimed(v):
		add("nobody claims it: the folder was changed directly", th.Warn)
	}
	add(actors.ExternalInputs(v.Inputs), th.Warn)
	if s.ReadBy != "" {
		add(p.passedOn(r), th.Text)
	}
	if p.detail.of == v.ID && p.detail.prompt != "" {
		add("“"+p.detail.prompt+"”", th.Text)
	}
	parts := []string{draw.Ago(p.now, v.Time)}
	if v.Session != "" {
		parts = append(parts, "session "+draw.ShortID(string(v.Session), 8))
	}
	call := strings.Join(append(parts, "change #"+strconv.FormatInt(v.Change, 10)), " · ")
	return append(out, split.Fact{Text: call, Style: th.Dim, OneRow: true})
}

// passedOn says how a step was reached: who read which version before it wrote which.
func (p *Pane) passedOn(r *row) string {
	s := r.step
	reader := "session " + draw.ShortID(string(s.ReadBy), 8)
	switch {
	case r.from == nil:
		return reader + " read it " + draw.Ago(p.now, s.Read)
	case p.walk().forward:
		return reader + " read " + versionName(r.from.Version) + " before, " + draw.Ago(p.now, s.Read)
	}
	return reader + " read it " + draw.Ago(p.now, s.Read) + ", and then wrote " + versionName(r.from.Version)
}
