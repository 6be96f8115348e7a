package ui

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/merge"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
)

// Drafts keeps texts that are not saved, for the case that the program is killed.
// All methods are safe for concurrent use and may block on disk.
type Drafts interface {
	// Keep writes a draft in the place of that of the same memory; of two calls the
	// one with the larger step counts.
	Keep(d drafts.Draft, step int) (id string, err error)
	Drop(id string, step int) error
	List() ([]drafts.Draft, error)
}

// draftWait is how long a text that was changed waits to be kept, and so how much typing
// a kill of the program can cost: a quarter of a second. A large text is written less
// often.
func draftWait(bytes int) time.Duration {
	if bytes > largeDraft {
		return 2 * time.Second
	}
	return 250 * time.Millisecond
}

// largeDraft is how large a text is that takes a while to write.
const largeDraft = 4 << 20

// keeping is what is known of the draft of the editing under way.
type keeping struct {
	of     *editing
	text   editor.Snapshot // kept, or on its way
	merge  merge.State     // what is decided of its merge, the same
	ids    map[string]bool // of the drafts that are there: one, or also one that was taken up
	due    bool            // a moment is set at which it is kept
	step   int
	failed bool            // and the person was told
	going  map[string]bool // drafts that are being removed
}

type (
	// draftDueMsg says that a text has waited long enough.
	draftDueMsg struct{ of *editing }
	// draftKeptMsg says that a draft is on the disk.
	draftKeptMsg struct {
		of  *editing
		id  string
		err error
	}
	draftsDroppedMsg struct {
		ids []string
		err error
	}
	// draftsFoundMsg brings what runs that were killed left.
	draftsFoundMsg struct {
		drafts []drafts.Draft
		path   memfs.Path // they were looked for of one memory; the root for all
		now    time.Time
		then   func() tea.Cmd // to go on with when there is none, or it stays
	}
	// draftsListedMsg brings the drafts that there are, without their texts.
	draftsListedMsg struct{ drafts []drafts.Draft }
	// draftLoadedMsg brings what is needed to go on with a draft.
	draftLoadedMsg struct {
		draft drafts.Draft
		base  []byte // what it was made of; nil when that was nothing or is not known
		lost  bool   // it is not known
		now   versions.Hash
		err   error
	}
)

// watchDraft follows every message: it sets the moment at which a text that changed
// is kept, and drops the draft of one that was saved or given up. What the draft is to
// be follows from what is edited, so no way out of the editor can be forgotten.
func (a *App) watchDraft(cmd tea.Cmd) tea.Cmd {
	dirty := a.edit != nil && a.edit.pane.Dirty()
	a.tree.Editing(memfs.Root)
	if dirty {
		a.tree.Editing(a.edit.path)
	}
	if a.cfg.Drafts == nil {
		return cmd
	}
	k := &a.keeping
	dirty = dirty && !a.edit.baseRedacted
	if k.of != nil && (k.of != a.edit || !dirty) {
		cmd = tea.Batch(cmd, a.dropDraft())
	}
	if !dirty {
		return cmd
	}
	if k.of == nil {
		*k = keeping{of: a.edit, step: k.step, ids: map[string]bool{}, failed: k.failed, going: k.going}
		for _, id := range a.edit.takenUp {
			k.ids[id] = true
		}
	}
	if k.due || a.edit.pane.Snapshot() == k.text && a.edit.mergeState() == k.merge {
		return cmd
	}
	k.due = true
	return tea.Batch(cmd, a.later(draftWait(a.edit.pane.Snapshot().Len()), draftDueMsg{a.edit}))
}

// draftDue keeps what the editor holds now.
func (a *App) draftDue(msg draftDueMsg) tea.Cmd {
	if a.keeping.of != msg.of {
		return nil
	}
	a.keeping.due = false
	return a.keepDraft()
}

// flushDraft keeps what the editor holds without waiting: when the program may not get
// the processor again soon, or the person turns to something else.
func (a *App) flushDraft() tea.Cmd {
	k := &a.keeping
	if k.of == nil || k.of != a.edit || a.edit.pane.Snapshot() == k.text && a.edit.mergeState() == k.merge {
		return nil
	}
	return a.keepDraft()
}

func (a *App) keepDraft() tea.Cmd {
	d, text, step := a.draftNow()
	a.keeping.text, a.keeping.merge = text, a.edit.mergeState()
	drafts, of, seen := a.cfg.Drafts, a.edit, a.lookErased()
	return func() tea.Msg {
		d.Text = text.Bytes()
		id, err := keepUnlessErased(drafts, d, step, seen)
		return draftKeptMsg{of, id, err}
	}
}

// keepForLater leaves the editor, and what it holds as a draft.
func (a *App) keepForLater() tea.Cmd {
	if a.edit == nil {
		return nil
	}
	if a.edit.baseRedacted {
		return a.say(a.edit.path.String()+": "+erasedNote, true)
	}
	a.edit.keep = true
	said := a.say(a.edit.path.String()+": the unsaved text is kept, and offered when it is edited again", false)
	return tea.Batch(a.keepDraft(), a.leaveEdit(), said)
}

// draftNow is the draft of what is edited, without its text.
func (a *App) draftNow() (drafts.Draft, editor.Snapshot, int) {
	e := a.edit
	d := drafts.Draft{Path: e.path, Base: e.pane.Base(), Lost: e.baseUnknown, Memory: a.memoryOf(e), Merge: e.decided()}
	a.keeping.step++
	return d, e.pane.Snapshot(), a.keeping.step
}

func (a *App) draftKept(msg draftKeptMsg) tea.Cmd {
	k := &a.keeping
	if errors.Is(msg.err, drafts.ErrErased) {
		return a.erased(erasedMsg{msg.of})
	}
	if msg.err != nil {
		if k.failed {
			return nil
		}
		k.failed = true
		return a.say("the unsaved text is not kept: "+msg.err.Error(), true)
	}
	k.failed = false
	switch {
	case k.of == msg.of:
	case msg.of.keep || k.of != nil && k.of.path == msg.of.path:
		return a.listDrafts()
	default: // what it was kept for is over
		return a.drops([]string{msg.id})
	}
	var old []string
	for id := range k.ids { // that was taken up, or named after a path that is no more
		if id != msg.id {
			old = append(old, id)
		}
	}
	k.ids = map[string]bool{msg.id: true}
	return tea.Batch(a.drops(old), a.listDrafts())
}

// dropDraft ends what was kept for an editing.
func (a *App) dropDraft() tea.Cmd {
	k := &a.keeping
	var ids []string
	if !k.of.keep {
		for id := range k.ids {
			ids = append(ids, id)
		}
	}
	a.keeping = keeping{step: k.step, failed: k.failed, going: k.going}
	return a.drops(ids)
}

func (a *App) drops(ids []string) tea.Cmd {
	if len(ids) == 0 {
		return nil
	}
	k := &a.keeping
	k.step++
	if k.going == nil {
		k.going = map[string]bool{}
	}
	for _, id := range ids {
		k.going[id] = true
	}
	drafts, step := a.cfg.Drafts, k.step
	return func() tea.Msg {
		var err error
		for _, id := range ids {
			err = errors.Join(err, drafts.Drop(id, step))
		}
		return draftsDroppedMsg{ids, err}
	}
}

func (a *App) draftsDropped(msg draftsDroppedMsg) tea.Cmd {
	for _, id := range msg.ids {
		delete(a.keeping.going, id)
	}
	if msg.err != nil {
		return a.say("remove a draft: "+msg.err.Error(), true)
	}
	return a.listDrafts()
}

// listDrafts tells the tree which memories have an unsaved text, here or in another
// program.
func (a *App) listDrafts() tea.Cmd {
	drafts := a.cfg.Drafts
	if drafts == nil {
		return nil
	}
	return func() tea.Msg {
		all, err := drafts.List()
		if err != nil {
			return nil // findDrafts says so, once
		}
		for i := range all {
			all[i].Text = nil
		}
		return draftsListedMsg{all}
	}
}

// recover keeps what was being edited when the program ended, however it ended, and
// removes the drafts that nobody needs.
func (a *App) recover() (err error) {
	dirty := a.edit != nil && a.edit.pane.Dirty()
	if a.cfg.Drafts == nil {
		if dirty {
			return fmt.Errorf("%s was not saved", a.edit.path)
		}
		return nil
	}
	k := &a.keeping
	kept := ""
	if dirty {
		if kept, err = a.keepLast(); errors.Is(err, drafts.ErrErased) {
			kept, err = "", fmt.Errorf("%s was not saved: %s", a.edit.path, erasedNote)
		} else if err != nil {
			return fmt.Errorf("%s was not saved: %w", a.edit.path, err)
		} else {
			err = fmt.Errorf("%s was not saved: the text is kept, and offered at the next start", a.edit.path)
		}
	}
	k.step++
	for _, ids := range []map[string]bool{k.ids, k.going} {
		for id := range ids {
			if id != kept {
				err = errors.Join(err, a.cfg.Drafts.Drop(id, k.step))
			}
		}
	}
	return err
}

// keepLast keeps what is edited when nothing else runs any more.
func (a *App) keepLast() (id string, err error) {
	if a.edit.baseRedacted {
		return "", drafts.ErrErased
	}
	seen := a.lookErased()
	d, text, step := a.draftNow()
	d.Text = text.Bytes()
	seen.ctx, seen.end = context.WithTimeout(context.Background(), 2*time.Second)
	defer seen.end()
	return keepUnlessErased(a.cfg.Drafts, d, step, seen)
}
