package search

import (
	"context"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
)

// appendWith draws the replacement field.
func (p *Pane) appendWith(dst []byte) []byte {
	pen := draw.NewRow(dst, p.parts.W)
	pen.Put(" → ", p.env.Theme.HintKey)
	if p.parts.W < 8 {
		return pen.End()
	}
	cols := max(p.parts.W-4, 1)
	if p.repl.with.Value == "" && !p.repl.inWith {
		pen.Clip("nothing: matches are deleted", cols, p.env.Theme.Dim)
		return pen.End()
	}
	pen.Input(&p.repl.with, cols, p.env.Theme.Input)
	return pen.End()
}

// replacedRow draws a hit of a plan, with a box that shows whether it is included.
func (p *Pane) replacedRow(c *draw.Row, r *row, current bool) {
	out := p.repl.excludes(r)
	c.Space(1)
	c.Put(p.boxOf(r, out), theme.Style{})
	c.Number(strconv.Itoa(r.line), numberCols-1, p.env.Theme.LineNumber)
	s, spans := r.text, []text.Span(nil)
	if !out && len(r.highlights) > 0 {
		s, spans = p.replacedText(r, current || !c.Plain())
	}
	p.putFound(c, s, r.cut, spans)
}

// boxOf returns the box of a row: included, excluded, or a memory included in part.
func (p *Pane) boxOf(r *row, out bool) string {
	switch {
	case out:
		return "[ ]"
	case r.hit == 0 && p.repl.excludedHits(r.item) > 0:
		return "[~]"
	}
	return "[x]"
}

// replacedText returns a line with a hit followed by its replacement.
func (p *Pane) replacedText(r *row, highlighted bool) (string, []text.Span) {
	at := r.highlights[0]
	with := r.with
	if with == "" {
		with = p.env.Theme.Text.Signs("∅")
	}
	arrow := p.env.Theme.Text.Signs(" → ")
	s := r.text[:at.End] + arrow + with + r.text[at.End:]
	if !highlighted {
		return s, nil
	}
	to := at.End + len(arrow)
	return s, []text.Span{{From: at.Start, To: at.End, On: p.env.Theme.RemovedWord.On}, {From: to, To: to + len(with), On: p.env.Theme.AddedWord.On}}
}

// memoryRow draws a memory of a plan, with its box.
func (p *Pane) memoryRow(c *draw.Row, r *row) {
	right := " " + strconv.Itoa(r.count) + "×"
	if stays := p.repl.excludedHits(r.item); stays > 0 {
		right = " " + strconv.Itoa(r.count-stays) + " of " + strconv.Itoa(r.count)
	}
	c.Space(1)
	c.Put(p.boxOf(r, p.repl.excludes(r)), theme.Style{})
	c.Space(1)
	end := c.W - text.Width(right) - 1
	c.Path(r.path.String(), end-c.Used, p.env.Theme.Folder)
	c.To(end)
	c.Put(right, p.env.Theme.Dim)
}

// noteRow draws what a plan says about no memory.
func (p *Pane) noteRow(c *draw.Row, r *row) {
	st, indent := p.env.Theme.Dim, 5
	if r.heading {
		st, indent = p.env.Theme.Warn, 1
	}
	c.Space(indent)
	c.Put(text.Field(r.text), st)
}

// clickReplaced moves the cursor to a row; a click on its box excludes or includes it.
func (p *Pane) clickReplaced(i, x int) tea.Cmd {
	p.parts.Step(i - p.parts.Cur)
	if x >= 1 && x <= 3 && p.rows[i].item != nil {
		cmd := p.toggleExcluded(0)
		p.parts.Step(i - p.parts.Cur)
		return cmd
	}
	return p.Moved()
}

// compare shows what the memory at the cursor becomes, at its hit.
func (p *Pane) compare() tea.Cmd {
	re, r := p.repl, p.current()
	if r == nil || r.item == nil {
		re.pair.Stop()
		re.diff.Show(diffview.Note(""))
		return nil
	}
	it, hunk := r.item, re.hunkOf(r)
	if re.excludedHits(it) == it.Hits {
		re.pair.Stop()
		re.diff.Show(diffview.Note("Excluded: it stays as it is."))
		return nil
	}
	store, made, except := p.store, it.Text, re.choices()[it.Memory].Except
	replacement := *re.plan.Replace
	return re.pair.Begin(p.env.Ctx, func(ctx context.Context) (outcome, error) {
		now, err := store.Content(ctx, it.Now.Version)
		if err == nil && len(except) > 0 {
			made, err = replacement.In(ctx, now, except...)
		}
		if err != nil {
			return outcome{doc: diffview.Note("Can't be shown: " + err.Error())}, nil
		}
		return outcome{diffview.Compare(it.Now.Path.Base(), now, made), hunk}, nil
	}, func(o outcome, _ error) tea.Cmd {
		re.diff.Show(o.doc)
		re.diff.Select(o.hunk)
		return nil
	})
}

// hunkOf returns the index of the diff hunk that contains a hit: adjacent lines share one.
func (re *replacing) hunkOf(r *row) (hunk int) {
	last := 0
	for n, h := range r.item.Replaced {
		if out := re.exclusions[r.item.Memory]; out != nil && out.hits[n+1] {
			continue
		}
		if last > 0 && h.Number-last > 1 {
			hunk++
		}
		last = h.Number
		if n+1 >= r.hit {
			break
		}
	}
	return hunk
}
