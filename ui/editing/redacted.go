package editing

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
)

// A redaction, here or by another program, may erase the content that the text in the
// editor is based on. The text stays on the screen only: it is no longer kept as a draft,
// and saving it asks first.

const redactedNote = "redacted meanwhile: the text is on this screen only, no draft of it is kept"

// redaction is the question whether that happened.
type redaction struct {
	ctx    context.Context
	end    context.CancelFunc
	store  Store
	memory versions.MemoryID
	since  time.Time
	hash   []versions.Hash
}

// memoryOf returns the memory that is edited, if its id is known.
func (r *Room) memoryOf(e *session) versions.MemoryID {
	if data := r.tree.Data(); data != nil {
		if entry := data.Entry(e.path); entry != nil && entry.Memory != "" {
			e.memory = entry.Memory
		}
	}
	return e.memory
}

// CheckRedacted checks whether the content that the editor's text is based on was redacted.
func (r *Room) CheckRedacted() tea.Cmd {
	q, of := r.redaction(), r.session
	if len(q.hash) == 0 {
		return nil
	}
	return func() tea.Msg {
		if !q.answer() {
			return nil
		}
		return screen.Then(func() tea.Cmd { return r.redacted(of) })
	}
}

// redaction returns the question for the editor's text; the answer to a zero question is
// no.
func (r *Room) redaction() (q redaction) {
	e := r.session
	if e == nil || e.baseRedacted || e.forceSave || r.memoryOf(e) == "" {
		return q
	}
	q = redaction{ctx: r.env.Ctx, store: r.cfg.Store, memory: e.memory, since: e.since}
	if h := e.pane.Base(); h != (versions.Hash{}) {
		q.hash = append(q.hash, h)
	}
	if e.merge != nil && e.merge.hash != (versions.Hash{}) {
		q.hash = append(q.hash, e.merge.hash)
	}
	return q
}

// answer searches the history of the memory: the base of the text is missing, and something
// was redacted since.
func (q redaction) answer() bool {
	for _, h := range q.hash {
		if q.redacted(h) {
			return true
		}
	}
	return false
}

func (q redaction) redacted(h versions.Hash) bool {
	redacted := false
	for before, page := 0, 4; ; page = 200 { // it is nearly always one of the newest
		found, err := q.store.History(q.ctx, q.memory, before, page)
		if err != nil {
			return false
		}
		for _, v := range found {
			if v.SHA256 == h {
				return false
			}
			redacted = redacted || !v.Redacted.IsZero() && !v.Redacted.Before(q.since)
		}
		if len(found) < page {
			return redacted
		}
		before = found[len(found)-1].Number
	}
}

// keepUnlessRedacted keeps a draft. It checks before, so that erased content is not
// written, and after; a later redaction finds the draft itself.
func keepUnlessRedacted(keeper Drafts, d drafts.Draft, step int, seen redaction) (id string, err error) {
	if seen.answer() {
		return "", drafts.ErrErased
	}
	if id, err = keeper.Keep(d, step); err != nil || !seen.answer() {
		return id, err
	}
	return id, errors.Join(drafts.ErrErased, keeper.Drop(id, step))
}

// redacted empties an unchanged editor, and warns if something was typed.
func (r *Room) redacted(of *session) tea.Cmd {
	e := r.session
	if e == nil || e != of || e.baseRedacted {
		return nil
	}
	if !e.pane.Dirty() { // its undo would restore the text
		line, column, row := e.pane.Place()
		r.say(e.path.String()+" was redacted", false)
		return tea.Batch(r.leave(), r.load(screen.Edit{Path: e.path, Line: line, Column: column, Row: row}))
	}
	e.baseRedacted = true
	return r.say(e.path.String()+" was "+redactedNote, true)
}

// askRedacted asks before saving a text whose memory was redacted meanwhile.
func (r *Room) askRedacted(then func() tea.Cmd) tea.Cmd {
	e := r.session
	return r.env.Do(screen.Choose{Title: "redacted meanwhile", Text: e.path.String() + " was redacted while you were editing. Saving writes whatever your text still contains of it to the store and its history.", Options: []screen.Option{
		{Key: "s", Label: "save anyway", Then: func() tea.Cmd {
			e.baseRedacted, e.forceSave = false, true // treat it like any other now
			return then()
		}},
		{Key: "d", Label: "discard the text", Then: func() tea.Cmd {
			if e.merge != nil {
				r.drop(e.merge)
			}
			return r.leave()
		}},
		{Key: "e", Label: "back to the text", Then: func() tea.Cmd {
			e.then = nil
			return nil
		}},
	}})
}
