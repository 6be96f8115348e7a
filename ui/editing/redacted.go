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

// A redaction, here or by another program, may erase what a text under the editor was
// made of. The text stays on the screen, and nowhere else: it is not kept as a draft
// any more, and saving it asks.

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

// memoryOf is the memory that is edited, as long as somebody knew it.
func (r *Room) memoryOf(e *session) versions.MemoryID {
	if data := r.tree.Data(); data != nil {
		if entry := data.Entry(e.path); entry != nil && entry.Memory != "" {
			e.memory = entry.Memory
		}
	}
	return e.memory
}

// CheckRedacted looks whether what the text under the editor was made of was redacted.
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

// redaction asks about the text under the editor; the answer of a zero question is no.
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

// answer looks through the history of the memory: what it was made of is not there
// any more, and something was redacted since.
func (q redaction) answer() bool {
	for _, h := range q.hash {
		if q.gone(h) {
			return true
		}
	}
	return false
}

func (q redaction) gone(h versions.Hash) bool {
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

// keepUnlessRedacted keeps a draft. It looks before, so that what was erased is not
// written, and after: a redaction that comes later finds the draft by itself.
func keepUnlessRedacted(keeper Drafts, d drafts.Draft, step int, seen redaction) (id string, err error) {
	if seen.answer() {
		return "", drafts.ErrErased
	}
	if id, err = keeper.Keep(d, step); err != nil || !seen.answer() {
		return id, err
	}
	return id, errors.Join(drafts.ErrErased, keeper.Drop(id, step))
}

// redacted begins anew where nothing was written, and warns where something was.
func (r *Room) redacted(of *session) tea.Cmd {
	e := r.session
	if e == nil || e != of || e.baseRedacted {
		return nil
	}
	if !e.pane.Dirty() { // its undo would bring the text back
		line, _, _ := e.pane.Position()
		r.say(e.path.String()+" was redacted", false)
		return tea.Batch(r.leave(), r.load(e.path, line))
	}
	e.baseRedacted = true
	return r.say(e.path.String()+" was "+redactedNote, true)
}

// askRedacted asks before a text is written whose memory was redacted meanwhile.
func (r *Room) askRedacted(then func() tea.Cmd) tea.Cmd {
	e := r.session
	return r.env.Ask(screen.Choose{Title: "redacted meanwhile", Text: e.path.String() + " was redacted while you were editing. Saving writes whatever your text still contains of it to the store and its history.", Options: []screen.Option{
		{Key: "s", Label: "save anyway", Then: func() tea.Cmd {
			e.baseRedacted, e.forceSave = false, true // it is as any other now
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
