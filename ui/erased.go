package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
)

// A redaction, here or by another program, may erase what a text under the editor was
// made of. The text stays on the screen, and nowhere else: it is not kept as a draft
// any more, and saving it asks.

const erasedNote = "redacted meanwhile: the text is on this screen only, no draft of it is kept"

// erasedMsg says that what a text was made of, or its draft, was erased.
type erasedMsg struct{ of *editing }

// erasure is the question whether that happened.
type erasure struct {
	ctx   context.Context
	end   context.CancelFunc
	store Store
	of    *editing
	about editing // as it was when it was asked
	hash  []versions.Hash
}

// memoryOf is the memory that is edited, as long as somebody knew it.
func (a *App) memoryOf(e *editing) versions.MemoryID {
	if data := a.tree.Data(); data != nil {
		if entry := data.Entry(e.path); entry != nil && entry.Memory != "" {
			e.memory = entry.Memory
		}
	}
	return e.memory
}

// lookErased asks about the text under the editor; the answer of a zero question is no.
func (a *App) lookErased() (q erasure) {
	e := a.edit
	if e == nil || e.baseRedacted || e.forceSave || a.memoryOf(e) == "" {
		return q
	}
	q = erasure{ctx: a.ctx, store: a.cfg.Store, of: e, about: *e}
	if h := e.pane.Base(); h != (versions.Hash{}) {
		q.hash = append(q.hash, h)
	}
	if e.merge != nil && e.merge.hash != (versions.Hash{}) {
		q.hash = append(q.hash, e.merge.hash)
	}
	return q
}

// answer looks through the history of the memory: what it was made of is not there
// any more, and something was redacted since.
func (q erasure) answer() bool {
	for _, h := range q.hash {
		if q.gone(h) {
			return true
		}
	}
	return false
}

func (q erasure) gone(h versions.Hash) bool {
	redacted := false
	for before, page := 0, 4; ; page = 200 { // it is nearly always one of the newest
		found, err := q.store.History(q.ctx, q.about.memory, before, page)
		if err != nil {
			return false
		}
		for _, v := range found {
			if v.SHA256 == h {
				return false
			}
			redacted = redacted || !v.Redacted.IsZero() && !v.Redacted.Before(q.about.since)
		}
		if len(found) < page {
			return redacted
		}
		before = found[len(found)-1].Number
	}
}

func (q erasure) cmd() tea.Cmd {
	if len(q.hash) == 0 {
		return nil
	}
	return func() tea.Msg {
		if q.answer() {
			return erasedMsg{q.of}
		}
		return nil
	}
}

// keepUnlessErased keeps a draft. It looks before, so that what was erased is not
// written, and after: a redaction that comes later finds the draft by itself.
func keepUnlessErased(keeper Drafts, d drafts.Draft, step int, seen erasure) (id string, err error) {
	if seen.answer() {
		return "", drafts.ErrErased
	}
	if id, err = keeper.Keep(d, step); err != nil || !seen.answer() {
		return id, err
	}
	return id, errors.Join(drafts.ErrErased, keeper.Drop(id, step))
}

// erased begins anew where nothing was written, and warns where something was.
func (a *App) erased(msg erasedMsg) tea.Cmd {
	e := a.edit
	if e == nil || e != msg.of || e.baseRedacted {
		return nil
	}
	if !e.pane.Dirty() { // its undo would bring the text back
		line, _, _ := e.pane.Position()
		p := e.path
		return tea.Batch(a.leaveEdit(), a.say(p.String()+" was redacted", false), loadEdit(a.ctx, a.cfg.Store, p, line, false))
	}
	e.baseRedacted = true
	return a.say(e.path.String()+" was "+erasedNote, true)
}

// askErased asks before a text is written whose memory was redacted meanwhile.
func (a *App) askErased(then func() tea.Cmd) tea.Cmd {
	e := a.edit
	a.show(&dialog.Choice{Name: "redacted meanwhile", Cur: 2, Body: e.path.String() + " was redacted while you were editing. Saving writes whatever your text still contains of it to the store and its history.", Options: []screen.Option{
		{Key: "s", Label: "save anyway", Then: func() tea.Cmd {
			e.baseRedacted, e.forceSave = false, true // it is as any other now
			return then()
		}},
		{Key: "d", Label: "discard the text", Then: func() tea.Cmd {
			a.leaveScreens()
			return a.leaveEdit()
		}},
		{Key: "e", Label: "back to the text", Then: func() tea.Cmd {
			e.then = nil
			return nil
		}},
	}})
	return nil
}
