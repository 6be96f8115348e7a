package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/textscreen"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	vplan "github.com/memend/memend/versions/plan"
	vreview "github.com/memend/memend/versions/review"
)

// choice is a memory to decide about, and what of it.
type choice struct {
	memory versions.MemoryID
	path   memfs.Path
	of     *vreview.Pending    // as it was shown; nil if it was chosen and not shown
	part   *diffview.Selection // the hunk or the lines; nil: all of it
	what   string              // "1 hunk"
}

// chosenMade returns what is shown, or else what is chosen: in the diff the hunk or the lines selected in it, and in the list
// memories.
func (p *Pane) chosenMade() (out []choice) {
	for _, r := range p.targets(made) {
		c := choice{memory: r.memory.last.Memory, path: r.memory.last.Path}
		if d := p.detail; d.of == r.key() && d.pending != nil {
			c.of, c.what = d.pending, draw.Plural(len(d.hunks), "hunk", "hunks")
			if sel, ok := p.Diff.Selection(); ok && p.InDetail && len(p.chosen) == 0 && d.pending.Now.Exists {
				c.part, c.what = &sel, "1 hunk"
				if old, new := sel.Lines(); p.Diff.Selecting() {
					c.what = draw.Plural(old+new, "line", "lines")
				}
			}
		}
		out = append(out, c)
	}
	return out
}

// kept returns what is reviewed of the memory when the choice is kept, and undone the memory without it.
func (c *choice) kept() vreview.Side {
	if c.part == nil {
		return c.of.Now
	}
	return withText(c.of.Was, c.of.Now, c.part.Keep())
}

func (c *choice) undone() vreview.Side {
	if c.part == nil {
		return c.of.Was
	}
	return withText(c.of.Now, c.of.Was, c.part.Revert())
}

// withText returns a side with a text between its own and that of the other.
func withText(side, other vreview.Side, text []byte) vreview.Side {
	switch {
	case !(side.Exists && other.Exists) && string(text) == string(other.Text):
		return other
	case !side.Exists:
		side.Exists, side.Path = true, other.Path
	}
	side.Text = text
	return side
}

// keep keeps what is shown or chosen.
func (p *Pane) keep(int) tea.Cmd {
	store, me := p.cfg.Store, p.cfg.By.Actor
	return p.decideMade("keep", "kept", func(ctx context.Context, c choice) (back takeBack, err error) {
		marks, err := store.Keep(ctx, me, *c.of, c.kept())
		return func(ctx context.Context) error { return store.Unmark(ctx, marks) }, err
	})
}

// undo undoes what is shown or chosen, by new versions.
func (p *Pane) undo(int) tea.Cmd {
	store, by := p.cfg.Store, p.cfg.By
	return p.decideMade("undo", "undid", func(ctx context.Context, c choice) (back takeBack, err error) {
		made, err := store.UndoHunks(ctx, by, *c.of, c.undone())
		if err == nil && len(made) == 0 { // it was changed back already
			marks, err := store.Keep(ctx, by.Actor, *c.of, c.of.Now)
			return func(ctx context.Context) error { return store.Unmark(ctx, marks) }, err
		}
		return p.undoing(made...), err
	})
}

// undoing undoes changes together.
func (p *Pane) undoing(changes ...versions.Change) takeBack {
	store, by := p.cfg.Store, p.cfg.By
	var numbers vplan.UndoChanges
	for _, c := range changes {
		numbers = append(numbers, c.Number)
	}
	return func(ctx context.Context) error {
		_, err := store.Do(ctx, by, numbers)
		return err
	}
}

// takeBack takes a decision back.
type takeBack func(context.Context) error

// taken is a decision of this sitting.
type taken struct {
	what string
	row  string // the key of the first row that it was about
	back []takeBack
}

// decideMade decides about what is shown or chosen, one memory after the other, and goes to what is left.
func (p *Pane) decideMade(verb, did string, one func(context.Context, choice) (takeBack, error)) tea.Cmd {
	choices := p.chosenMade()
	store, me := p.cfg.Store, p.cfg.By.Actor
	p.applying = true
	var done taken
	var stale []string
	var failed error
	end := func(tea.Msg) tea.Cmd { return p.decidedMade(did, choices, done, stale, failed) }
	return p.env.Do(screen.Work{
		Doing: verb + " " + draw.Plural(len(choices), "memory", "memories"), Keeps: true,
		Do: func(ctx context.Context) (tea.Msg, error) {
			for _, c := range choices {
				if c.of == nil {
					of, err := store.Pending(ctx, c.memory, me)
					if failed = err; err != nil {
						break
					}
					c.of = &of
				}
				back, err := one(ctx, c)
				if errors.Is(err, vreview.ErrShownBefore) {
					stale = append(stale, c.path.String())
					continue
				}
				if err != nil {
					failed = fmt.Errorf("%s %s: %s", verb, c.path, wording.Why(err))
					break
				}
				done.back = append(done.back, back)
			}
			return screen.Then(func() tea.Cmd { return end(nil) }), nil
		},
		Cancelled: end,
	})
}

func (p *Pane) decidedMade(did string, choices []choice, done taken, stale []string, failed error) tea.Cmd {
	p.applying = false
	p.clearChosen(made)
	var said []string
	switch n := len(done.back); {
	case n == 1 && len(choices) == 1:
		done.what = strings.TrimSpace(did+" "+choices[0].what) + " of " + choices[0].path.String()
	case n > 0:
		done.what = did + " " + draw.Plural(n, "memory", "memories")
	}
	if done.what != "" {
		done.row = "memory " + string(choices[0].memory)
		p.taken = append(p.taken, done)
		said = append(said, done.what+" · "+p.keys.Hint("change.undo")+" takes that back")
	}
	if len(stale) > 0 {
		said = append(said, strings.Join(stale, ", ")+" changed since it was shown: shown again")
	}
	if failed != nil {
		said = append(said, failed.Error())
	}
	p.env.Do(screen.Notice{Text: strings.Join(said, "; "), Bad: len(stale) > 0 || failed != nil})
	p.env.Do(screen.ReviewChanged{})
	return p.load()
}

// undoLast takes back the person's newest decision here.
func (p *Pane) undoLast(int) tea.Cmd {
	last := p.taken[len(p.taken)-1]
	p.taken = p.taken[:len(p.taken)-1]
	p.applying = true
	return p.env.Do(screen.Work{
		Doing: "take back: " + last.what, Keeps: true,
		Do: func(ctx context.Context) (tea.Msg, error) {
			var failed error
			for _, back := range slices.Backward(last.back) {
				failed = errors.Join(failed, back(ctx))
			}
			return screen.Then(func() tea.Cmd { return p.tookBack(last, failed) }), nil
		},
		Cancelled: func(tea.Msg) tea.Cmd { return p.tookBack(last, nil) },
	})
}

func (p *Pane) tookBack(last taken, failed error) tea.Cmd {
	p.applying = false
	n := screen.Notice{Text: "took back: " + last.what}
	if failed != nil {
		n = screen.Notice{Text: "take back: " + last.what + ": " + wording.Why(failed), Bad: true}
	}
	p.env.Do(n)
	p.env.Do(screen.ReviewChanged{})
	p.goTo = last.row
	return p.load()
}

// next goes to the next hunk, or back with -1, over all memories; in the list to the next row.
func (p *Pane) next(by int) tea.Cmd {
	if !p.InDetail {
		return p.MoveBy(by)
	}
	if i, n := p.Diff.Hunk(); i+by >= 0 && i+by < n {
		p.Diff.Select(i + by)
		return nil
	}
	at := p.Cur
	cmd := p.MoveBy(by)
	if p.Cur != at && by < 0 {
		p.hunk = maxHunk
	}
	return cmd
}

// maxHunk stands for the last hunk of a memory.
const maxHunk = 1 << 30

// editMade opens an editor on the memory, at the hunk. What is saved is the person's own, and the hunk is reviewed with it.
func (p *Pane) editMade() tea.Cmd {
	of, hunk := p.detail.pending, p.detail.hunks[0]
	if sel, ok := p.Diff.Selection(); ok {
		for _, h := range p.detail.hunks {
			if h.Kind == vreview.Edited && h.Part.Edit == sel.Edit() {
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
	ctx, store, by := p.env.Ctx, p.cfg.Store, p.cfg.By
	return screen.Run(func() error {
		_, err := store.EditHunk(ctx, by, *of, text, hunk)
		return err
	}, func(err error) tea.Cmd {
		switch {
		case errors.Is(err, vreview.ErrShownBefore):
			return tea.Batch(e.Refuse("Not saved: "+of.Now.Path.String()+" changed since it was shown. Copy your text if you need it.", 0, 0), p.load())
		case err != nil:
			return e.Refuse("Not saved: "+wording.Why(err), 0, 0)
		}
		p.env.Do(screen.Notice{Text: "edited " + of.Now.Path.String()})
		p.env.Do(screen.ReviewChanged{})
		return tea.Batch(e.Done(), p.load())
	})
}
