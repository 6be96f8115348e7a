package plan

import (
	"strings"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/ui/text"
)

// Rows from which the plan is described above the list, and above the diff while it has the focus.
const (
	factsFrom     = 7
	diffFactsFrom = 10
)

// RowsAbove returns how many rows describe the plan, above the list and the diff.
func (p *Pane) RowsAbove() int {
	if len(p.rows) == 0 || p.H < factsFrom || p.InDetail && p.H < diffFactsFrom {
		return 0
	}
	return len(p.facts())
}

// facts returns the rows about the whole plan: when and why it was done, and what the plan does.
func (p *Pane) facts() []string {
	var parts []string
	if t := p.about.When; !t.IsZero() {
		when := t.In(p.now.Location()).Format("2006-01-02 15:04")
		if age := draw.Age(p.now, t); age != "" && !p.now.IsZero() {
			when += " (" + age + ")"
		}
		parts = append(parts, when)
	}
	if p.about.Why != "" {
		parts = append(parts, p.about.Why)
	}
	var rows []string
	if len(parts) > 0 {
		rows = append(rows, strings.Join(parts, " · "))
	}
	rows = append(rows, p.totals())
	return rows
}

// AppendAbove draws a row about the plan.
func (p *Pane) AppendAbove(dst []byte, i, w int) []byte {
	c := draw.NewRow(dst, w)
	st := p.env.Theme.Text
	if i == 0 && (p.about.Why != "" || !p.about.When.IsZero()) {
		st = p.env.Theme.Title
	}
	c.Space(1)
	c.Column(text.Field(p.facts()[i]), c.Left()-1, st)
	return c.End()
}

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if len(p.rows) == 0 {
		return p.notice()
	}
	return p.Split.View()
}

// Rows, Cols, Heading, AppendRow, Facts and DetailTitle implement split.Owner.
func (p *Pane) Rows() int           { return len(p.rows) }
func (p *Pane) Cols() int           { return p.cols }
func (p *Pane) Heading(i int) bool  { return p.rows[i].item == nil }
func (p *Pane) Facts() []split.Fact { return nil }

// DetailTitle names what the diff compares, and whose it is if no list shows that.
func (p *Pane) DetailTitle() string {
	if r := p.current(); r != nil && p.Page() == 0 {
		return shortened(where(r.item), p.W-4-text.Width(p.title)-3) + " · " + p.title
	}
	return p.title
}

// notice returns why there is no list.
func (p *Pane) notice() string {
	switch {
	case p.err != nil:
		return p.Notice(p.err.Error(), p.env.Theme.Error)
	case p.plan != nil && len(p.plan.Others) > 0:
		return p.Notice("No memory changes, but "+draw.Plural(len(p.plan.Others), "link, folder or unversioned file does.", "links, folders or unversioned files do."), p.env.Theme.Dim)
	case p.plan != nil:
		return p.Notice("Nothing to do: it is already like that.", p.env.Theme.Dim)
	}
	return p.Notice("planning…", p.env.Theme.Dim)
}
