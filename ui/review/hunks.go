package review

import (
	"cmp"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/deciding"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/textscreen"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	vreview "github.com/memend/memend/versions/review"
)

// parts returns what a key decides about: in the diff the hunk or the lines selected in it, and in the list memories.
func (p *Pane) parts() (out []deciding.Part) {
	for _, r := range p.targets(made) {
		d := cmp.Or(r.shown, &p.detail)
		c := deciding.Whole(*d.pending, d.hunks)
		if p.InDetail && p.Diff.OnHead() {
			of := d.pending
			c.What, c.Sides = "the rename", func() (kept, undone vreview.Side) { return of.With(d.hunks[0]), of.Without(d.hunks[0]) }
		}
		if sel, ok := p.Diff.Selection(); ok && p.InDetail && d.pending.Now.Exists && (d.pending.Was.Exists || p.Diff.Selecting()) {
			c.Sides, c.What = deciding.Lines(d.pending, sel.Part()), "1 hunk"
			if old, new := sel.Lines(); p.Diff.Selecting() {
				c.What = draw.Plural(old+new, "line", "lines")
			}
		}
		out = append(out, c)
	}
	return out
}

// keep keeps what is shown or chosen.
func (p *Pane) keep(int) tea.Cmd {
	parts := p.parts()
	p.applying = true
	return p.env.Do(deciding.Keep{Parts: parts, After: p.after(parts)})
}

// undo undoes what is shown or chosen, by new versions.
func (p *Pane) undo(int) tea.Cmd {
	parts := p.parts()
	p.applying = true
	return p.env.Do(deciding.UndoHunks{Parts: parts, After: p.after(parts)})
}

// after goes to what is left once it is decided, and back to it once that is undone.
func (p *Pane) after(parts []deciding.Part) deciding.After {
	return deciding.After{Done: func(stale []deciding.Part) tea.Cmd {
		p.applying = false
		for _, part := range parts {
			delete(p.chosen, keyOf(part.Of.Memory))
		}
		if len(stale) > 0 {
			p.goTo = keyOf(stale[0].Of.Memory)
		}
		return p.load()
	}, Undone: p.backTo(keyOf(parts[0].Of.Memory))}
}

// backTo goes to a row, and to the hunk that is shown now, once a decision about it is undone.
func (p *Pane) backTo(key string) func() tea.Cmd {
	hunk, _ := p.Diff.Hunk()
	return func() tea.Cmd {
		p.goTo, p.hunk, p.notified = key, hunk, true // what was undone is the news
		return p.load()
	}
}

// next goes to the next hunk, or back with -1, over all memories; from the list to the first hunk of the row, or to its last.
func (p *Pane) next(by int) tea.Cmd {
	first := 0
	if by < 0 {
		first = maxHunk
	}
	if !p.InDetail {
		if p.Focus(true); p.detail.of != p.current().key() {
			p.hunk = first
			return nil
		}
		p.Diff.Select(first)
		return nil
	}
	if i, n := p.Diff.Hunk(); i+by >= 0 && i+by < n {
		p.Diff.Select(i + by)
		return nil
	}
	at := p.Cur
	cmd := p.MoveBy(by)
	if p.Cur != at {
		p.hunk = first
	}
	return cmd
}

// maxHunk stands for the last hunk of a memory.
const maxHunk = 1 << 30

// editMade opens an editor on the memory, at the hunk. What is saved is the person's own, and the hunk is reviewed with it.
func (p *Pane) editMade() tea.Cmd {
	p.Focus(true) // the hunk is marked there
	of, hunk := p.detail.pending, p.detail.hunks[0]
	if sel, ok := p.Diff.Selection(); ok {
		for _, h := range p.detail.hunks {
			if h.Kind == vreview.Edited && h.Part.Edit == sel.Part().Edit {
				hunk = h
			}
		}
	}
	e := textscreen.New(p.env, textscreen.Config{
		Title: "edit " + of.Now.Path.String(),
		Note:  "Saving replaces the memory with your text, and marks the hunk as reviewed.",
		Text:  of.Now.Text, Clip: p.cfg.Clip,
		Save: func(e *textscreen.Pane, text []byte) tea.Cmd { return p.saveEdit(e, of, hunk, text) },
	})
	e.GoTo(max(p.Diff.Line(), 1))
	return p.env.Do(screen.Show{Pane: e})
}

func (p *Pane) saveEdit(e *textscreen.Pane, of *vreview.Pending, hunk vreview.Hunk, text []byte) tea.Cmd {
	type saved struct {
		change versions.Change
		before vreview.Marks
		err    error
	}
	ctx, store, by := p.env.Ctx, p.cfg.Store, p.cfg.By
	return screen.Run(func() (s saved) {
		s.change, s.before, s.err = store.EditHunk(ctx, by, *of, text, hunk)
		return s
	}, func(s saved) tea.Cmd {
		switch {
		case errors.Is(s.err, vreview.ErrShownBefore):
			why := of.Now.Path.String() + " changed since it was shown"
			if errors.Is(s.err, vreview.ErrDecidedElsewhere) {
				why = "hunks of " + of.Now.Path.String() + " were decided elsewhere meanwhile"
			}
			return tea.Batch(e.Refuse("Not saved: "+why+". Copy your text if you need it.", 0, 0), p.load())
		case s.err != nil:
			return e.Refuse("Not saved: "+wording.Why(s.err), 0, 0)
		}
		what := "edited 1 hunk of " + of.Now.Path.String()
		took := deciding.Took{What: what, Before: &s.before, Undone: p.backTo(keyOf(of.Memory))}
		if s.change.Number > 0 { // 0: the text is as it was
			took.Changes = []int64{s.change.Number}
		}
		p.env.Do(took)
		p.env.Do(screen.Notice{Text: what + " · " + p.env.Hint("global.undo") + " undoes that"})
		p.env.Do(screen.ReviewChanged{})
		return tea.Batch(e.Done(), p.load())
	})
}
