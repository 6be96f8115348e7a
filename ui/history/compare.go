package history

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// comparison is what the diff shows; left is nil if there is no earlier version.
type comparison struct {
	path, title string
	left, right *versions.Version // nil if it does not show two texts
	doc         *diffview.Document
}

// pair is two versions to compare. Without before, after is compared with its predecessor.
type pair struct {
	store  Store
	before *versions.Version
	after  versions.Version
}

func (c pair) compare(ctx context.Context) (comparison, error) {
	if c.before == nil && c.after.Number > 1 {
		page, err := c.store.History(ctx, c.after.Memory, c.after.Number, 1)
		if err != nil {
			return c.note(c.after, "Can't be shown: "+err.Error()), nil
		}
		if len(page) > 0 {
			c.before = &page[0]
		}
	}
	if c.before != nil && c.before.Number > c.after.Number {
		before := c.after
		c.after, c.before = *c.before, &before
	}
	return c.answer(ctx), nil
}

func (c pair) answer(ctx context.Context) comparison {
	var texts [2][]byte
	for i, v := range []*versions.Version{c.before, &c.after} {
		if v == nil {
			continue
		}
		b, why, err := content(ctx, c.store, *v)
		if err != nil {
			why = "Can't be shown: " + err.Error()
		}
		if why != "" {
			return c.note(*v, why)
		}
		texts[i] = b
	}
	out := comparison{path: pathName(c.after), left: c.before, right: &c.after}
	out.title, out.doc = c.name()+facts(c.before, c.after), diffview.Compare(out.path, texts[0], texts[1])
	return out
}

func (c pair) name() string {
	if c.before == nil {
		return versionName(c.after)
	}
	return versionName(*c.before) + " → " + versionName(c.after)
}

// note returns a comparison with the reason why the versions can't be compared.
func (c pair) note(of versions.Version, why string) comparison {
	title := c.name()
	if strings.HasPrefix(why, "Can't") {
		title = versionName(of)
	}
	return comparison{path: pathName(c.after), title: title, doc: diffview.Note(why)}
}

// facts returns the differences that a diff of the contents does not show.
func facts(old *versions.Version, new versions.Version) string {
	switch {
	case new.Operation == versions.Deleted:
		return " · " + wording.Did(new)
	case old == nil || old.Operation == versions.Deleted:
		return " · " + wording.Did(new)
	case old.Path != new.Path:
		return " · was " + old.Path.String()
	}
	return ""
}

// content returns the text of a version, nothing for a deletion; why is the reason if it can't
// be shown.
func content(ctx context.Context, store Store, v versions.Version) (b []byte, why string, err error) {
	if v.Operation == versions.Deleted {
		return nil, "", nil
	}
	if v.Redacted.IsZero() {
		b, err = store.Content(ctx, v.ID)
	}
	switch {
	case v.Lost():
		return nil, "Version " + strconv.Itoa(v.Number) + " is lost to damage.", nil
	case errors.Is(err, versions.ErrDamaged):
		return nil, "Version " + strconv.Itoa(v.Number) + " is damaged: its content can't be read.", nil
	case !v.Redacted.IsZero() || errors.Is(err, versions.ErrRedacted):
		return nil, "Version " + strconv.Itoa(v.Number) + " was redacted: its content is gone for good.", nil
	}
	return b, "", err
}

func versionName(v versions.Version) string { return "v" + strconv.Itoa(v.Number) }

// show shows something other than the requested comparison in the diff.
func (p *Pane) show(title string, d *diffview.Document) {
	p.pairs.Stop()
	p.shown = comparison{title: title, doc: d}
	p.Diff.Show(d)
}

// forgetShown clears the diff so that it is loaded again: the contents may have been redacted.
func (p *Pane) forgetShown() {
	p.inside.Stop()
	p.asked = ""
	p.show("", diffview.Note("…"))
}

// compare shows the diff of the selected row, unless it is shown or requested already.
func (p *Pane) compare() tea.Cmd {
	question, ask := p.question()
	if question == p.asked {
		return nil
	}
	p.asked = question
	p.pairs.Stop()
	p.inside.Stop()
	if ask == nil {
		p.show("", diffview.Note(question))
		return nil
	}
	return ask()
}

// question returns a key for what the selected row shows, and a function that loads it. If the
// function is nil, the key itself is the text to show.
func (p *Pane) question() (string, func() tea.Cmd) {
	l := p.list()
	r, ok := l.current()
	switch {
	case l.err != nil:
		return "Can't be read: " + l.err.Error(), nil
	case !ok:
		return p.emptiness(), nil
	}
	if older, newer, ok := p.chosen.two(l); ok {
		c := pair{store: p.store, before: &older, after: newer}
		return fmt.Sprint("chosen ", older.ID, newer.ID), p.asking(c)
	}
	if r.heads() {
		items := l.items[r.at:r.to]
		return fmt.Sprint("changes ", r.kind, items[0].number(), " ", len(items), " ", items[0].change.UndoneBy, l.listsBelow(r)), func() tea.Cmd {
			p.show(draw.Plural(len(items), "change", "changes"), p.changesListing(r, items))
			return nil
		}
	}
	v, ok := l.version()
	if !ok {
		n := l.items[r.at].change.Number
		list, known := l.details[n]
		if !known {
			return detailQuestion(n), func() tea.Cmd {
				return p.inside.Begin(p.env.Ctx, versionsOf(p.store, n), p.detail(n))
			}
		}
		return fmt.Sprint("listing ", n, l.open[n]), func() tea.Cmd {
			p.show(fmt.Sprintf("#%d · %s", n, draw.Plural(len(list), "memory", "memories")), p.versionsListing(l.open[n], list))
			return nil
		}
	}
	c := pair{store: p.store, after: v}
	if b := p.chosen.base(l); b != nil && b.Memory == v.Memory && b.ID != v.ID {
		base := *b
		c.before = &base
		return fmt.Sprint(b.ID, " ", v.ID), p.asking(c)
	}
	return fmt.Sprint(v.ID), p.asking(c)
}

func (p *Pane) asking(c pair) func() tea.Cmd {
	return func() tea.Cmd {
		return p.pairs.Begin(p.env.Ctx, c.compare, func(c comparison, _ error) tea.Cmd {
			p.shown = c
			if p.showsAll {
				p.shown.title = c.path + " " + c.title
			}
			p.Diff.Show(c.doc)
			return nil
		})
	}
}

// emptiness returns why the list is empty.
func (p *Pane) emptiness() string {
	l := p.list()
	switch {
	case !l.done:
		return ""
	case p.none != "" && !p.showsAll:
		return "Not versioned: " + p.none + ". " + p.keys.Hint("everyone") + " shows all changes of the store."
	case p.memory == "" && !p.showsAll:
		return "No memory is open. " + p.keys.Hint("everyone") + " shows all changes of the store."
	case l.query.onlyNew:
		return "Nothing is new here. " + p.keys.Hint("pane.back") + " shows all again."
	case !l.query.any() && p.showsAll:
		return "No change matches the filter. " + p.keys.Hint("pane.back") + " clears it."
	case !l.query.any():
		return "No version matches the filter. " + p.keys.Hint("pane.back") + " clears it, " + p.keys.Hint("everyone") + " searches all changes of the store."
	case p.showsAll:
		return "Nothing has changed yet."
	}
	return "No versions."
}
