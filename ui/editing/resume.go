package editing

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
)

// This file offers and opens drafts of earlier runs.

// findDrafts looks for drafts of earlier runs, of all memories or of one.
func (r *Room) findDrafts(p memfs.Path, then func() tea.Cmd) tea.Cmd {
	if r.cfg.Drafts == nil || r.cfg.ReadOnly {
		return orNothing(then)
	}
	keeper, now, last := r.cfg.Drafts, r.cfg.Now, r.last()
	return func() tea.Msg {
		all, err := keeper.List()
		if err != nil {
			return screen.Notice{Text: "find unsaved texts: " + err.Error(), Bad: true}
		}
		var left []drafts.Draft
		for _, d := range all {
			if (!d.Held || d.Own) && (p.IsRoot() || d.Path == p) {
				left = append(left, d)
			}
		}
		at := now()
		return screen.Then(func() tea.Cmd {
			if then != nil && !last() {
				return nil
			}
			return r.offerDrafts(left, at, then)
		})
	}
}

func orNothing(then func() tea.Cmd) tea.Cmd {
	if then == nil {
		return nil
	}
	return then()
}

// offerDrafts asks what to do with the newest draft, and names the others; then runs if there is none, or if they are kept.
func (r *Room) offerDrafts(found []drafts.Draft, now time.Time, then func() tea.Cmd) tea.Cmd {
	if len(found) == 0 || r.session != nil {
		return orNothing(then)
	}
	d := found[0]
	again := func() tea.Cmd { return r.offerDrafts(found, now, then) }
	rest := func() tea.Cmd { return r.offerDrafts(found[1:], now, then) }
	it := "it"
	question := "An unsaved text of " + describe(d, now) + " is kept."
	var older []screen.Option
	if n := len(found) - 1; n > 0 {
		it = "them"
		question += " " + draw.Plural(n, "older one is kept too.", "older ones are kept too.")
		older = append(older, screen.Option{Key: "m", Label: "list the older ones…", Then: func() tea.Cmd { return r.listDrafts(found[1:], now, again) }})
	}
	later := "keep " + it + " for later"
	if then != nil {
		later = "leave " + it + ", and edit what is saved"
	}
	open := "open it in the editor"
	if d.Merge != nil {
		open = "resume it"
	}
	options := []screen.Option{
		{Key: "o", Label: open, Then: func() tea.Cmd { return r.openDraft(d) }},
		{Key: "d", Label: "discard it…", Then: func() tea.Cmd { return r.askDiscard(d, rest, again) }},
	}
	options = append(append(options, older...), screen.Option{Key: "l", Label: later, Then: then})
	return r.env.Do(screen.Choose{Title: "unsaved text", First: true, Text: question, Options: options})
}

// listDrafts asks which of the older drafts to open; back asks about the newest again.
func (r *Room) listDrafts(found []drafts.Draft, now time.Time, back func() tea.Cmd) tea.Cmd {
	var options []screen.Option
	for i, d := range found[:min(len(found), 9)] {
		options = append(options, screen.Option{Key: strconv.Itoa(i + 1), Label: describe(d, now), Then: func() tea.Cmd { return r.openDraft(d) }})
	}
	return r.env.Do(screen.Choose{Title: "unsaved texts", First: true, Text: "Open which?", Options: append(options, screen.Option{Key: "b", Label: "back", Then: back})})
}

// describe names a draft: "/a.md, from 3m ago (12B)".
func describe(d drafts.Draft, now time.Time) string {
	when := "from a moment ago"
	if age := draw.Age(now, d.Time); age != "now" && age != "" {
		when = "from " + age + " ago"
	}
	what := d.Path.String()
	if d.Merge != nil {
		what += " and its merge"
	}
	return fmt.Sprintf("%s, %s (%s)", what, when, draw.Bytes(int64(len(d.Text))))
}

func (r *Room) openDraft(d drafts.Draft) tea.Cmd {
	return r.Leaving("open it", func() tea.Cmd { return r.loadDraft(d) })
}

// askDiscard asks before a draft is removed permanently. The offer appears unasked at the
// start, so a letter that was typed for something else must not discard the text.
func (r *Room) askDiscard(d drafts.Draft, discarded, kept func() tea.Cmd) tea.Cmd {
	return r.env.Do(screen.Choose{Title: "discard", Arrows: true,
		Text: fmt.Sprintf("Discard the unsaved text of %s (%s)? This can't be undone.", d.Path, draw.Bytes(int64(len(d.Text)))),
		Options: []screen.Option{
			{Key: "ctrl+d", Label: "discard it for good", Then: func() tea.Cmd { return tea.Batch(r.drops([]string{d.ID}), discarded()) }},
			{Key: "esc", Label: "keep it", Then: kept},
		}})
}

// loadDraft reads the base of a draft, and the current content of its memory.
func (r *Room) loadDraft(d drafts.Draft) tea.Cmd {
	if data := r.tree.Data(); data != nil && d.Memory != "" {
		for _, e := range data.Entries {
			if e.Memory == d.Memory { // it may have been renamed
				d.Path = e.Path
			}
		}
	}
	r.opening.Stop()
	ctx, store, last := r.env.Ctx, r.cfg.Store, r.last()
	return screen.Run(func() leftover { return readDraft(ctx, store, d) }, func(l leftover) tea.Cmd {
		if !last() {
			return nil
		}
		return r.resume(l)
	})
}

// leftover is a draft with what is needed to resume it.
type leftover struct {
	draft drafts.Draft
	base  []byte // its base; nil if there is none or it is unknown
	lost  bool   // the base is unknown
	now   versions.Hash
	err   error
}

func readDraft(ctx context.Context, store Store, d drafts.Draft) leftover {
	l := leftover{draft: d, lost: d.Lost}
	content, err := readAll(ctx, store, d.Path)
	switch {
	case err == nil:
		l.now = sha256.Sum256(content)
	case !errors.Is(err, memfs.ErrNotExist):
		l.err = err
	}
	switch {
	case d.Base == versions.Hash{}:
	case d.Base == l.now:
		l.base = content
	default:
		l.base, l.lost = contentOf(ctx, store, d)
	}
	return l
}

// contentOf finds a content in the history of a memory.
func contentOf(ctx context.Context, store Store, d drafts.Draft) (content []byte, lost bool) {
	const page = 200
	for before := 0; d.Memory != ""; {
		found, err := store.History(ctx, d.Memory, before, page)
		if err != nil || len(found) == 0 {
			break
		}
		for _, v := range found {
			if v.SHA256 == d.Base {
				content, err := store.Content(ctx, v.ID)
				return content, err != nil
			}
		}
		before = found[len(found)-1].Number
	}
	return nil, true
}

// resume opens the editor on a draft, and the merge if its memory changed since.
func (r *Room) resume(l leftover) tea.Cmd {
	d := l.draft
	if l.err != nil {
		return r.say("open the unsaved text of "+d.Path.String()+": "+l.err.Error(), true)
	}
	pane := editor.New(r.env, l.base, d.Base, r.cfg.Clip)
	pane.Replace(d.Text)
	if !r.open(&session{path: d.Path, pane: pane, baseUnknown: l.lost, resumedFrom: []string{d.ID}}) {
		return nil
	}
	switch {
	case l.now == d.Base && !l.lost:
		return r.say("the unsaved text of "+d.Path.String()+" is restored: "+pane.Hint("save")+" saves it", false)
	case l.now == versions.Hash{} && d.Base == versions.Hash{}:
		return r.say(d.Path.String()+" does not exist: "+pane.Hint("save")+" creates it", false)
	}
	return r.merge(draft{of: r.session, content: d.Text, decided: d.Merge})
}
