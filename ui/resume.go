package ui

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
)

// Texts that were not saved are offered again, and opened.

// findDrafts looks for what runs that were killed left, of all memories or of one.
func (a *App) findDrafts(p memfs.Path, then func() tea.Cmd) tea.Cmd {
	if a.cfg.Drafts == nil || a.cfg.ReadOnly {
		return orNothing(then)
	}
	keeper, now := a.cfg.Drafts, a.cfg.Now
	return func() tea.Msg {
		all, err := keeper.List()
		if err != nil {
			return screen.Notice{Text: "look for unsaved texts: " + err.Error(), Bad: true}
		}
		var left []drafts.Draft
		for _, d := range all {
			if (!d.Held || d.Own) && (p.IsRoot() || d.Path == p) {
				left = append(left, d)
			}
		}
		return draftsFoundMsg{left, p, now(), then}
	}
}

func orNothing(then func() tea.Cmd) tea.Cmd {
	if then == nil {
		return nil
	}
	return then()
}

// offerDrafts asks what to do with the first of them, and then with the others.
func (a *App) offerDrafts(msg draftsFoundMsg) tea.Cmd {
	if len(msg.drafts) == 0 || a.edit != nil {
		return orNothing(msg.then)
	}
	d := msg.drafts[0]
	rest := func() tea.Cmd {
		msg.drafts = msg.drafts[1:]
		return a.offerDrafts(msg)
	}
	later := "keep it for later"
	if msg.then != nil {
		later = "leave it, and edit what is saved"
	}
	what, open := "An unsaved text of "+d.Path.String(), "open it in the editor"
	if d.Merge != nil {
		open = "go on with it"
		what = "An unsaved text of " + d.Path.String() + " and its merge"
	}
	when := "from a moment ago"
	if age := draw.Age(msg.now, d.Time); age != "now" && age != "" {
		when = "from " + age + " ago"
	}
	a.show(&dialog.Choice{Name: "unsaved text", Body: fmt.Sprintf("%s, %s (%s), is kept.", what, when, draw.Bytes(int64(len(d.Text)))), Options: []screen.Option{
		{Key: "o", Label: open, Then: func() tea.Cmd { return a.leaving("open it", func() tea.Cmd { return a.loadDraft(d) }) }},
		{Key: "d", Label: "discard it…", Then: func() tea.Cmd { return a.askDiscard(d, rest, func() tea.Cmd { return a.offerDrafts(msg) }) }},
		{Key: "l", Label: later, Then: rest},
	}})
	return nil
}

// askDiscard asks before an unsaved text is removed for good. The offer comes by itself
// when the program starts, and a "d" that was typed for something else must not do it.
func (a *App) askDiscard(d drafts.Draft, discarded, kept func() tea.Cmd) tea.Cmd {
	a.show(&dialog.Choice{Name: "discard", Arrows: true, Cur: 1,
		Body: fmt.Sprintf("Discard the unsaved text of %s (%s)? This can't be undone.", d.Path, draw.Bytes(int64(len(d.Text)))),
		Options: []screen.Option{
			{Label: "discard it for good", Then: func() tea.Cmd { return tea.Batch(a.drops([]string{d.ID}), discarded()) }},
			{Label: "keep it", Then: kept},
		}})
	return nil
}

// loadDraft reads what a draft was made of, and what its memory holds now.
func (a *App) loadDraft(d drafts.Draft) tea.Cmd {
	if data := a.tree.Data(); data != nil && d.Memory != "" {
		for _, e := range data.Entries {
			if e.Memory == d.Memory { // it may have been renamed
				d.Path = e.Path
			}
		}
	}
	ctx, store := a.ctx, a.cfg.Store
	return func() tea.Msg {
		m := draftLoadedMsg{draft: d, lost: d.Lost}
		content, err := readAll(ctx, store, d.Path)
		switch {
		case err == nil:
			m.now = sha256.Sum256(content)
		case !errors.Is(err, memfs.ErrNotExist):
			m.err = err
		}
		switch {
		case d.Base == versions.Hash{}:
		case d.Base == m.now:
			m.base = content
		default:
			m.base, m.lost = contentOf(ctx, store, d)
		}
		return m
	}
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

// resume opens the editor on a draft, and the merge when its memory changed since.
func (a *App) resume(msg draftLoadedMsg) tea.Cmd {
	d := msg.draft
	if msg.err != nil {
		return a.say("open the unsaved text of "+d.Path.String()+": "+msg.err.Error(), true)
	}
	if a.edit != nil && a.edit.pane.Dirty() {
		return nil // another text is being written
	}
	pane := editor.New(a.env(), msg.base, d.Base, a.clip)
	pane.Replace(d.Text)
	a.edit = &editing{path: d.Path, pane: pane, baseUnknown: msg.lost, takenUp: []string{d.ID}}
	a.prepareEdit()
	a.setFocus(slotMemory)
	switch {
	case msg.now == d.Base && !msg.lost:
		return a.say("the unsaved text of "+d.Path.String()+" is back: ^S saves it", false)
	case msg.now == versions.Hash{} && d.Base == versions.Hash{}:
		return a.say(d.Path.String()+" is not there: ^S makes it", false)
	}
	return a.merge(draft{path: d.Path, content: d.Text, decided: d.Merge})
}
