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

// listing describes a change of many memories.
func (p *Pane) listing(list []versions.Version) *diffview.Document {
	var b strings.Builder
	fmt.Fprintf(&b, "%s lists them.\n", p.keys.Hint("list.open"))
	for i, v := range list {
		if i == maxListed {
			fmt.Fprintf(&b, "\n… and %d more", len(list)-maxListed)
			break
		}
		fmt.Fprintf(&b, "\n%-8s %s", wording.Did(v), text.Field(pathName(v)))
	}
	return diffview.Note(b.String())
}

// changesListing describes the consecutive changes of a session, or a bulk edit.
func (p *Pane) changesListing(by rowKind, items []item) *diffview.Document {
	var b strings.Builder
	switch {
	case by == headRow:
		fmt.Fprintf(&b, "%s folds them. %s undoes everything that this session did.\n", p.keys.Hint("list.open"), p.keys.Hint("change.undo-session"))
	default:
		act, does := items[0].act, "undoes"
		if items[0].change.UndoneBy != 0 {
			does = "redoes"
		}
		if len(items) < len(act.Changes) {
			fmt.Fprintf(&b, "Another program wrote %d of its %d changes here; others wrote in between. %s lists them. %s %s all %[2]d.\n",
				len(items), len(act.Changes), p.keys.Hint("list.open"), p.keys.Hint("change.undo"), does)
			break
		}
		fmt.Fprintf(&b, "Another program wrote them in one go. %s lists them. %s %s all of them.\n", p.keys.Hint("list.open"), p.keys.Hint("change.undo"), does)
	}
	for i, it := range items {
		if i == maxListed {
			fmt.Fprintf(&b, "\n… and %d more", len(items)-maxListed)
			break
		}
		fmt.Fprintf(&b, "\n#%-5d %-8s %s", it.change.Number, wording.Verb(*it.change), text.Field(touched(it.change)))
	}
	return diffview.Note(b.String())
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

// loadDetail loads the versions of the selected change and cancels the previous request.
func (p *Pane) loadDetail(change int64) tea.Cmd {
	store := p.store
	return p.inside.Begin(p.env.Ctx, func(ctx context.Context) ([]versions.Version, error) {
		_, list, err := store.Change(ctx, change)
		return list, err
	}, p.detail(change))
}

// listBelow loads the versions of a change to list them below it. Several requests may be
// pending.
func (p *Pane) listBelow(change int64) tea.Cmd {
	ctx, store := p.env.Ctx, p.store
	return p.below.Next(func() ([]versions.Version, error) {
		_, list, err := store.Change(ctx, change)
		return list, err
	}, p.detail(change))
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
		}
		return p.compare()
	}
}

func detailQuestion(change int64) string { return fmt.Sprint("change ", change) }
