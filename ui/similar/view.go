package similar

import (
	"strconv"
	"strings"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// name names a memory with its store: "work:/notes/deploy.md".
func name(m versions.SimilarMemory) string { return m.Name + ":" + m.Path.String() }

// Title returns how many pairs there are, and whether they may be others by now.
func (p *Pane) Title() (title, info string) {
	title = "near-duplicates"
	if p.one {
		title = "similar to " + p.cfg.Path.String()
	}
	var parts []string
	if n := len(p.pairs); n > 0 {
		parts = append(parts, strconv.Itoa(p.Cur+1)+"/"+strconv.Itoa(n))
	}
	parts = append(parts, p.left...)
	switch {
	case p.loading && p.begun:
		parts = append(parts, "comparing again…")
	case p.stale:
		parts = append(parts, "memories changed since: "+p.env.Hint("stores.again")+" compares again")
	}
	return title, strings.Join(parts, " · ")
}

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	switch {
	case p.err != nil:
		return p.Notice(p.err.Error(), p.env.Theme.Error)
	case len(p.pairs) > 0:
		return p.Split.View()
	case p.loading:
		return p.Notice("comparing…", p.env.Theme.Dim)
	case !p.begun:
		return p.Notice("Cancelled: "+p.env.Hint("stores.again")+" compares again.", p.env.Theme.Dim)
	case p.one:
		return p.Notice("No other memory is "+percent(leastToOne)+" similar.", p.env.Theme.Dim)
	}
	return p.Notice("No two memories are "+percent(leastOfAll)+" similar.", p.env.Theme.Dim)
}

func percent(similarity float64) string { return strconv.Itoa(int(similarity*100)) + "%" }

// Rows, Cols, Heading, AppendRow, Facts and DiffTitle implement split.Owner.
func (p *Pane) Rows() int        { return len(p.pairs) }
func (p *Pane) Cols() int        { return p.cols }
func (p *Pane) Heading(int) bool { return false }

// DiffTitle names what the diff compares.
func (p *Pane) DiffTitle() string { return "first → second" }

const percentCols = 4

// AppendRow draws a pair.
func (p *Pane) AppendRow(dst []byte, i, w int) []byte {
	c, ok := p.Split.Row(dst, i, w)
	if !ok {
		return c.End()
	}
	pair, th := &p.pairs[i], p.env.Theme
	c.Number(percent(pair.Similarity), percentCols, th.Strong)
	c.Space(2)
	first, second := text.Field(name(pair.A)), text.Field(name(pair.B))
	room := max(c.Left()-3, 2)
	half := max(room/2, room-text.Width(second)) // what the second does not need
	c.Path(first, min(half, text.Width(first)), th.Text)
	c.Space(2)
	c.Path(second, max(c.Left()-1, 1), th.Text)
	return c.End()
}

// needs returns the columns of a pair with nothing cut.
func needs(pair *versions.SimilarPair) int {
	return percentCols + 2 + text.Width(text.Field(name(pair.A))) + 2 + text.Width(text.Field(name(pair.B))) + 1
}

// Facts returns the rows about the pair under the cursor.
func (p *Pane) Facts() (out []split.Fact) {
	pair := p.pair()
	if pair == nil {
		return nil
	}
	newer := 0
	if pair.B.Time.After(pair.A.Time) {
		newer = 1
	}
	for i, m := range []versions.SimilarMemory{pair.A, pair.B} {
		parts := []string{name(m), draw.Age(p.now, m.Time)}
		style := p.env.Theme.Text
		if i == newer {
			parts[1] += ", the newer"
			style = p.env.Theme.Strong
		}
		parts = append(parts, draw.Plural(m.Lines, "line", "lines"), draw.TokenCount(m.Size))
		out = append(out, split.Fact{Text: strings.Join(parts, " · "), Style: style})
	}
	return out
}
