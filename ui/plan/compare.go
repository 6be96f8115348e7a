package plan

import (
	"bytes"
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/planning"
)

// compare shows the effect of the plan on the memory under the cursor.
func (p *Pane) compare() tea.Cmd {
	r := p.current()
	p.pairs.Stop()
	if r == nil {
		p.title = ""
		p.Diff.Show(diffview.Note(""))
		return nil
	}
	if r.effect == isDone {
		p.title = where(r.item)
		p.Diff.Show(diffview.Note("Done: the service has it."))
		return nil
	}
	store, it, choice, then := p.store, *r.item, p.choices[r.item.Memory], p.then()
	return p.pairs.Begin(p.env.Ctx, func(ctx context.Context) (c comparison, _ error) {
		c.title, c.doc = Compare(ctx, store, it, choice, then)
		return c, nil
	}, func(c comparison, _ error) tea.Cmd {
		p.title = c.title
		p.Diff.Show(c.doc)
		return nil
	})
}

// comparison is the effect of a plan on one memory.
type comparison struct {
	title string
	doc   *diffview.Document
}

// Texts reads the texts of versions.
type Texts interface {
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)
}

// Compare returns the effect on a memory as a diff, or why it can't be shown, and its title. The word then names
// the text that the plan gives to the memory.
func Compare(ctx context.Context, store Texts, it versions.PlanItem, c planning.Choice, then string) (string, *diffview.Document) {
	if it.Clash != planning.ClashNone {
		return clash(ctx, store, it, c, then)
	}
	now, err := content(ctx, store, it.Now, nil)
	if err != nil {
		return where(&it), diffview.Note("Can't be shown: " + err.Error())
	}
	after, err := content(ctx, store, it.Then, it.Text)
	switch {
	case err != nil:
		return where(&it), diffview.Note("Can't be shown: " + err.Error())
	case bytes.Equal(now, after):
		return where(&it), diffview.Note("The text stays as it is.")
	case c.Kind == planning.Skip:
		return "left out: now → " + then, diffview.Compare(where(&it), now, after)
	}
	return "now → " + then, diffview.Compare(where(&it), now, after)
}

// Text returns the text that a plan gives to a memory.
func Text(ctx context.Context, store Texts, it versions.PlanItem) ([]byte, error) {
	return content(ctx, store, it.Then, it.Text)
}

// clash shows both sides of a conflict while it is undecided, and the result afterwards.
func clash(ctx context.Context, store Texts, it versions.PlanItem, c planning.Choice, then string) (string, *diffview.Document) {
	if it.Merge == nil || len(it.Merge.Regions) == 0 {
		s := why(&it)
		if it.Clash == planning.ClashEdited && c.Kind == planning.Undecided {
			if now, err := content(ctx, store, it.Now, nil); err == nil { // before there was no memory
				return s + ": now → " + then, diffview.Compare(where(&it), now, nil)
			}
		}
		if c.Kind != planning.Undecided {
			s += "\n\nDecided: " + choiceLabel(c, then) + "."
		}
		return "conflict", diffview.Note(s)
	}
	now, err := content(ctx, store, it.Now, nil)
	if err != nil {
		return "conflict", diffview.Note("Can't be shown: " + err.Error())
	}
	if c.Kind == planning.Undecided {
		return "now → " + then, diffview.Compare(where(&it), now, it.Merge.Favor(diff.MergeTheirs))
	}
	result := outcome(it.Merge, c, now)
	if bytes.Equal(now, result) {
		return choiceLabel(c, then), diffview.Note("The text stays as it is.")
	}
	return choiceLabel(c, then) + ": now → result", diffview.Compare(where(&it), now, result)
}

// Proposed returns what a change was about to do to a memory that was changed since in the same lines, and its title. Of another
// memory the document is nil, also of one that both created: it was nothing before.
func Proposed(it versions.PlanItem, then string) (string, *diffview.Document) {
	if it.Clash == planning.ClashNone || it.Clash == planning.ClashRevived || it.Merge == nil {
		return "", nil
	}
	var before, after []byte
	for _, r := range it.Merge.Regions {
		before, after = append(before, r.Base...), append(after, r.Theirs...)
	}
	return "conflict: before → " + then, diffview.Compare(where(&it), before, after)
}

// outcome returns the text that results from a decision.
func outcome(m *diff.Merged, c planning.Choice, now []byte) []byte {
	switch c.Kind {
	case planning.OwnText:
		return c.Text
	case planning.KeepOurs:
		return m.Favor(diff.MergeOurs)
	case planning.TakeTheirs:
		return m.Favor(diff.MergeTheirs)
	}
	return now
}

// content returns the text of a memory at a place, or nothing if it does not exist there.
func content(ctx context.Context, store Texts, at versions.Place, made []byte) ([]byte, error) {
	switch {
	case !at.There():
		return nil, nil
	case at.Version == "":
		return made, nil
	}
	return store.Content(ctx, at.Version)
}
