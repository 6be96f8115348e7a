package history

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// maxListed is how many memories or changes a listing names.
const maxListed = 500

// listing returns n lines below a text about them; the first ones of more than maxListed.
func listing(about string, n int, line func(i int) string) *diffview.Document {
	var b strings.Builder
	b.WriteString(about + "\n")
	for i := range min(n, maxListed) {
		b.WriteString("\n" + line(i))
	}
	if n > maxListed {
		fmt.Fprintf(&b, "\n… and %d more", n-maxListed)
	}
	return diffview.Note(b.String())
}

// versionsListing describes a change of many memories.
func (p *Pane) versionsListing(open bool, list []versions.Version) *diffview.Document {
	return listing(p.lists(open)+".", len(list), func(i int) string {
		return fmt.Sprintf("%-8s %s", wording.Did(list[i]), text.Field(pathName(list[i])))
	})
}

// lists says what the key that opens a row does to the rows below it, which are listed or not.
func (p *Pane) lists(open bool) string {
	if open {
		return p.keys.Hint("list.open") + " folds them"
	}
	return p.keys.Hint("list.open") + " lists them"
}

// changesListing describes the consecutive changes of a session, or a bulk edit.
func (p *Pane) changesListing(r row, items []item) *diffview.Document {
	lists, undo := p.lists(p.list().listsBelow(r)), p.keys.Hint("change.undo")
	does := "undoes"
	if items[0].change.UndoneBy != 0 {
		does = "redoes"
	}
	about := fmt.Sprintf("Another program wrote them in one go. %s. %s %s all of them.", lists, undo, does)
	if r.kind == headRow {
		about = fmt.Sprintf("%s. %s undoes everything that this session did.", lists, p.keys.Hint("change.undo-session"))
	} else if all := len(items[0].act.Changes); len(items) < all {
		about = fmt.Sprintf("Another program wrote %d of its %d changes here; others wrote in between. %s. %s %s all %[2]d.", len(items), all, lists, undo, does)
	}
	return listing(about, len(items), func(i int) string {
		ch := items[i].change
		return fmt.Sprintf("#%-5d %-8s %s", ch.Number, wording.Verb(*ch), text.Field(touched(ch)))
	})
}

// touched returns the path of a change, and the number of memories if it is not one.
func touched(ch *versions.Change) string {
	switch many := draw.Plural(ch.Versions, "memory", "memories"); {
	case ch.Versions < 2:
		return wording.OnScreen(*ch)
	case ch.Path.IsRoot() && ch.Undoes == 0:
		return many
	default:
		return wording.OnScreen(*ch) + ", " + many
	}
}

// versionsOf returns what reads the versions of a change.
func versionsOf(store Store, change int64) func(context.Context) ([]versions.Version, error) {
	return func(ctx context.Context) ([]versions.Version, error) {
		_, list, err := store.Change(ctx, change)
		return list, err
	}
}

// listBelow loads the versions of a change to list them below it. Several requests may be
// pending.
func (p *Pane) listBelow(change int64) tea.Cmd {
	ctx, read := p.env.Ctx, versionsOf(p.store, change)
	return p.below.Next(func() ([]versions.Version, error) { return read(ctx) }, p.detail(change))
}

// detail handles the versions of a change that were requested to show its diff or to list
// them.
func (p *Pane) detail(change int64) func([]versions.Version, error) tea.Cmd {
	return func(list []versions.Version, err error) tea.Cmd {
		defer p.Resize()
		if err != nil {
			if p.asked == detailQuestion(change) {
				p.show("", diffview.Note("Can't be shown: "+err.Error()))
			}
			delete(p.all.open, change)
			return nil
		}
		p.all.details[change] = list
		p.chosen.resolve(change, list)
		if p.all.open[change] {
			p.all.layOutAgain(p.Page())
			if r, ok := p.all.current(); ok && r.kind == changeRow && p.all.items[r.at].number() == change {
				p.all.revealBelow(p.Page())
			}
		}
		return p.compare()
	}
}

func detailQuestion(change int64) string { return fmt.Sprint("change ", change) }
