package history

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// detailMsg brings the versions of one change.
type detailMsg struct {
	screen.Answered
	id     int // of the details that it is for
	change int64
	list   []versions.Version
	err    error
}

// maxListed is how many memories or changes a note names.
const maxListed = 500

// listing says what a change of many memories did.
func listing(list []versions.Version) *diffview.Document {
	var b strings.Builder
	b.WriteString("Enter lists them, to look at each.\n")
	for i, v := range list {
		if i == maxListed {
			fmt.Fprintf(&b, "\n… and %d more", len(list)-maxListed)
			break
		}
		fmt.Fprintf(&b, "\n%-8s %s", operationName(v), text.Field(pathName(v)))
	}
	return diffview.Note(b.String())
}

// changesListing says what a session did without a break, or another program in one go.
func changesListing(by rowKind, items []item) *diffview.Document {
	var b strings.Builder
	switch {
	case by == headRow:
		b.WriteString("Enter folds them. U undoes everything that this session did.\n")
	default:
		act, does := items[0].act, "undoes"
		if items[0].change.UndoneBy != 0 {
			does = "redoes"
		}
		if len(items) < len(act.Changes) {
			fmt.Fprintf(&b, "Another program wrote %d of its %d changes here; others wrote in between. Enter lists them. r %s all %[2]d.\n", len(items), len(act.Changes), does)
			break
		}
		fmt.Fprintf(&b, "Another program wrote them in one go. Enter lists them. r %s all of them.\n", does)
	}
	for i, it := range items {
		if i == maxListed {
			fmt.Fprintf(&b, "\n… and %d more", len(items)-maxListed)
			break
		}
		fmt.Fprintf(&b, "\n#%-5d %-7s %s", it.change.Number, it.change.Kind, text.Field(touched(it.change)))
	}
	return diffview.Note(b.String())
}

// touched is what a change was asked of, and how many memories where it was not one.
func touched(ch *versions.Change) string {
	switch many := draw.Plural(ch.Versions, "memory", "memories"); {
	case ch.Versions < 2:
		return whatOf(ch)
	case ch.Path.IsRoot() && ch.Undoes == 0:
		return many
	default:
		return whatOf(ch) + ", " + many
	}
}

func (p *Pane) loadDetail(ctx context.Context, change int64) tea.Cmd {
	store, id := p.store, p.detailID
	return func() tea.Msg {
		_, list, err := store.Change(ctx, change)
		return detailMsg{screen.Answered{}, id, change, list, err}
	}
}

// detail takes the versions of a change, for which it was asked to show what it
// changed, or to list them.
func (p *Pane) detail(msg detailMsg) tea.Cmd {
	wanted := p.asked == detailQuestion(msg.change)
	switch {
	case msg.err == nil:
		p.details[msg.change] = msg.list
		p.resolve(msg.change, msg.list)
		if p.open[msg.change] {
			p.relay(&p.all)
		}
		return p.compare()
	case errors.Is(msg.err, context.Canceled) && !wanted:
		return nil
	case wanted:
		p.show("", diffview.Note("Can't be shown: "+msg.err.Error()))
	}
	delete(p.open, msg.change)
	return nil
}

func detailQuestion(change int64) string { return fmt.Sprint("change ", change) }
