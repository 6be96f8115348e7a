package editing

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/merge"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions/drafts"
)

// Drafts keeps unsaved texts, in case the program is killed. All methods are safe for
// concurrent use and may block on disk.
type Drafts interface {
	// Keep writes a draft, replacing that of the same memory; of two calls the one with the
	// larger step wins.
	Keep(d drafts.Draft, step int) (id string, err error)
	Drop(id string, step int) error
	List() ([]drafts.Draft, error)
}

// draftWait is the delay before changed text is kept, and so the most typing that is lost
// if the program is killed: a quarter of a second. A large text is written less often.
func draftWait(bytes int) time.Duration {
	if bytes > largeDraft {
		return 2 * time.Second
	}
	return 250 * time.Millisecond
}

// largeDraft is the size from which writing a text takes a while.
const largeDraft = 4 << 20

// keeping is the state of the draft of the current session.
type keeping struct {
	of     *session
	text   editor.Snapshot // kept, or being written
	merge  merge.State     // the kept decisions of its merge
	ids    map[string]bool // the existing drafts: one, and possibly the one that was resumed
	due    bool            // a write is scheduled
	step   int
	failed bool            // and that was reported
	going  map[string]bool // drafts that are being removed
}

// Watch is called after every message: it schedules the writing of a changed text, and
// drops the draft of a text that was saved or discarded. Because the draft is derived from
// the state of the editor, no way out of the editor can be forgotten.
func (r *Room) Watch() tea.Cmd {
	dirty := r.Dirty()
	r.tree.Editing(memfs.Root)
	if dirty {
		r.tree.Editing(r.session.path)
	}
	if r.session != nil { // wrapping is a property of the person's view, not of the text
		r.memory.SetWrap(r.session.pane.Wraps())
	}
	if r.cfg.Drafts == nil {
		return nil
	}
	k := &r.keeping
	dirty = dirty && !r.session.baseRedacted
	var dropped tea.Cmd
	if k.of != nil && (k.of != r.session || !dirty) {
		dropped = r.dropDraft()
	}
	if !dirty {
		return dropped
	}
	if k.of == nil {
		*k = keeping{of: r.session, step: k.step, ids: map[string]bool{}, failed: k.failed, going: k.going}
		for _, id := range r.session.resumedFrom {
			k.ids[id] = true
		}
	}
	if k.due || r.kept() {
		return dropped
	}
	k.due = true
	of := r.session
	due := screen.Then(func() tea.Cmd { return r.draftDue(of) })
	return tea.Batch(dropped, r.env.Later(draftWait(of.pane.Snapshot().Len()), due))
}

// kept reports whether the draft is up to date.
func (r *Room) kept() bool {
	return r.session.pane.Snapshot() == r.keeping.text && r.session.mergeState() == r.keeping.merge
}

// draftDue keeps the editor's text now.
func (r *Room) draftDue(of *session) tea.Cmd {
	if r.keeping.of != of {
		return nil
	}
	r.keeping.due = false
	return r.keepDraft()
}

// Flush keeps the editor's text without delay: before the program may be suspended, or when
// the person turns to something else.
func (r *Room) Flush() tea.Cmd {
	k := &r.keeping
	if k.of == nil || k.of != r.session || r.kept() {
		return nil
	}
	return r.keepDraft()
}

func (r *Room) keepDraft() tea.Cmd {
	d, text, step := r.draftNow()
	r.keeping.text, r.keeping.merge = text, r.session.mergeState()
	keeper, of, seen := r.cfg.Drafts, r.session, r.redaction()
	return func() tea.Msg {
		d.Text = text.Bytes()
		id, err := keepUnlessRedacted(keeper, d, step, seen)
		return screen.Then(func() tea.Cmd { return r.draftKept(of, id, err) })
	}
}

// keepForLater keeps the editor's text as a draft, and then closes the editor.
func (r *Room) keepForLater() tea.Cmd {
	if r.session == nil {
		return nil
	}
	if r.session.baseRedacted {
		return r.say(r.session.path.String()+": "+redactedNote, true)
	}
	r.session.keep = true
	return r.keepDraft()
}

// draftNow returns the draft of the current session, without its text.
func (r *Room) draftNow() (drafts.Draft, editor.Snapshot, int) {
	e := r.session
	d := drafts.Draft{Path: e.path, Base: e.pane.Base(), Lost: e.baseUnknown, Memory: r.memoryOf(e), Merge: e.decided()}
	r.keeping.step++
	return d, e.pane.Snapshot(), r.keeping.step
}

func (r *Room) draftKept(of *session, id string, err error) tea.Cmd {
	k := &r.keeping
	if errors.Is(err, drafts.ErrErased) {
		of.keep = false
		return r.redacted(of)
	}
	if err != nil {
		again := k.failed && !of.keep
		k.failed, of.keep = true, false
		if again {
			return nil
		}
		return r.say("the unsaved text is not kept: "+err.Error(), true)
	}
	k.failed = false
	var left tea.Cmd
	switch { // asked for a text that is kept for later
	case !of.keep || of != r.session:
	case !r.kept(): // more was typed meanwhile
		return r.keepDraft()
	default:
		r.say(of.path.String()+": the unsaved text is kept, and offered when it is edited again", false)
		left = r.leave()
	}
	switch {
	case k.of == of:
	case of.keep || k.of != nil && k.of.path == of.path:
		return tea.Batch(left, r.ListDrafts())
	default: // the session has ended
		return r.drops([]string{id})
	}
	var old []string
	for was := range k.ids { // resumed, or named after an old path
		if was != id {
			old = append(old, was)
		}
	}
	k.ids = map[string]bool{id: true}
	return tea.Batch(left, r.drops(old), r.ListDrafts())
}

// dropDraft removes the draft of a session.
func (r *Room) dropDraft() tea.Cmd {
	k := &r.keeping
	var ids []string
	if !k.of.keep {
		for id := range k.ids {
			ids = append(ids, id)
		}
	}
	r.keeping = keeping{step: k.step, failed: k.failed, going: k.going}
	return r.drops(ids)
}

func (r *Room) drops(ids []string) tea.Cmd {
	if len(ids) == 0 {
		return nil
	}
	k := &r.keeping
	k.step++
	if k.going == nil {
		k.going = map[string]bool{}
	}
	for _, id := range ids {
		k.going[id] = true
	}
	keeper, step := r.cfg.Drafts, k.step
	return func() tea.Msg {
		var err error
		for _, id := range ids {
			err = errors.Join(err, keeper.Drop(id, step))
		}
		return screen.Then(func() tea.Cmd { return r.dropped(ids, err) })
	}
}

func (r *Room) dropped(ids []string, err error) tea.Cmd {
	for _, id := range ids {
		delete(r.keeping.going, id)
	}
	if err != nil {
		return r.say("remove a draft: "+err.Error(), true)
	}
	return r.ListDrafts()
}

// ListDrafts sends the tree the memories with drafts, from here and from other programs.
func (r *Room) ListDrafts() tea.Cmd {
	keeper := r.cfg.Drafts
	if keeper == nil {
		return nil
	}
	return func() tea.Msg {
		all, err := keeper.List()
		if err != nil {
			return nil // findDrafts reports it, once
		}
		for i := range all {
			all[i].Text = nil
		}
		return screen.Then(func() tea.Cmd { r.tree.SetDrafts(all); return nil })
	}
}

// Recover keeps unsaved text when the program ends, however it ends, and removes drafts
// that are no longer needed.
func (r *Room) Recover() (err error) {
	dirty := r.Dirty()
	if r.cfg.Drafts == nil {
		if dirty {
			return fmt.Errorf("%s was not saved", r.session.path)
		}
		return nil
	}
	k := &r.keeping
	kept := ""
	if dirty {
		if kept, err = r.keepLast(); errors.Is(err, drafts.ErrErased) {
			kept, err = "", fmt.Errorf("%s was not saved: %s", r.session.path, redactedNote)
		} else if err != nil {
			return fmt.Errorf("%s was not saved: %w", r.session.path, err)
		} else {
			err = fmt.Errorf("%s was not saved: the text is kept, and offered at the next start", r.session.path)
		}
	}
	k.step++
	for _, ids := range []map[string]bool{k.ids, k.going} {
		for id := range ids {
			if id != kept {
				err = errors.Join(err, r.cfg.Drafts.Drop(id, k.step))
			}
		}
	}
	return err
}

// keepLast keeps the text when nothing else runs any more.
func (r *Room) keepLast() (id string, err error) {
	if r.session.baseRedacted {
		return "", drafts.ErrErased
	}
	seen := r.redaction()
	d, text, step := r.draftNow()
	d.Text = text.Bytes()
	seen.ctx, seen.end = context.WithTimeout(context.Background(), 2*time.Second)
	defer seen.end()
	return keepUnlessRedacted(r.cfg.Drafts, d, step, seen)
}
