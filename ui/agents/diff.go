package agents

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// toggleDiff shows the diff of a write instead of the stream, or the stream again.
func (p *Pane) toggleDiff() tea.Cmd {
	if p.stream.inDiff {
		p.closeDiff()
		return nil
	}
	a, _ := p.selected()
	p.stream.inDiff = true
	p.diffed = fmt.Sprint(whatOf(a), " · #", a.Change.Number)
	p.diff.Show(diffview.Note(""))
	p.focus(true)
	store, of := p.store, *a
	return p.diffs.Begin(p.env.Ctx, func(ctx context.Context) (*diffview.Document, error) {
		return document(ctx, store, of), nil
	}, func(doc *diffview.Document, _ error) tea.Cmd { p.diff.Show(doc); return nil })
}

func (p *Pane) closeDiff() {
	s := &p.stream
	s.inDiff, s.follow = false, s.follow && s.Cur == 0
	p.focus(true)
}

// document returns the diff of a change.
func document(ctx context.Context, store Store, a versions.Activity) *diffview.Document {
	if a.Version == "" {
		_, list, err := store.Change(ctx, a.Change.Number)
		if err != nil {
			return diffview.Note("Can't be shown: " + err.Error())
		}
		return listing(list)
	}
	before, after, why := textsOf(ctx, store, a)
	if why != "" {
		return diffview.Note(why)
	}
	return diffview.Compare(a.Path.String(), before, after)
}

// maxListed is how many memories a listing names.
const maxListed = 500

// listing describes a change of many memories.
func listing(list []versions.Version) *diffview.Document {
	var b strings.Builder
	for i, v := range list {
		if i == maxListed {
			fmt.Fprintf(&b, "… and %d more\n", len(list)-maxListed)
			break
		}
		path := v.Path.String()
		if !v.Redacted.IsZero() {
			path = "(redacted)"
		}
		fmt.Fprintf(&b, "%-9s +%d −%d %s\n", wording.Did(v), v.Added, v.Removed, text.Field(path))
	}
	return diffview.Note(b.String())
}

// textsOf returns the texts before and after a change of one version, or why they can't be
// shown.
func textsOf(ctx context.Context, store Store, a versions.Activity) (before, after []byte, why string) {
	return talk.Texts(ctx, store, versions.Version{ID: a.Version, Memory: a.Memory, Number: a.Number})
}
