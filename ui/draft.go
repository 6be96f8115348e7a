package ui

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/ui/draw"
	"github.com/memtrail/memtrail/ui/editor"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/versions"
)

// Drafts keeps texts that are not saved, for the case that the program is killed.
// All methods are safe for concurrent use and may block on disk.
type Drafts interface {
	// Keep writes a draft in the place of that of the same memory; of two calls the
	// one with the larger step counts.
	Keep(d versions.Draft, step int) (id string, err error)
	Drop(id string, step int) error
	List() ([]versions.Draft, error)
}

// draftEvery is how often at most a text that is being written is kept.
const draftEvery = time.Second

// keeping is what is known of the draft of the editing under way.
type keeping struct {
	of     *editing
	text   editor.Snapshot // kept, or on its way
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
		drafts []versions.Draft
		path   memfs.Path // they were looked for of one memory; the root for all
		now    time.Time
		then   func() tea.Cmd // to go on with when there is none, or it stays
	}
	// draftLoadedMsg brings what is needed to go on with a draft.
	draftLoadedMsg struct {
		draft versions.Draft
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
	if a.cfg.Drafts == nil {
		return cmd
	}
	k := &a.keeping
	dirty := a.edit != nil && a.edit.pane.Dirty()
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
	if k.due || a.edit.pane.Snapshot() == k.text {
		return cmd
	}
	k.due = true
	return tea.Batch(cmd, a.later(draftEvery, draftDueMsg{a.edit}))
}

// draftDue keeps what the editor holds now.
func (a *App) draftDue(msg draftDueMsg) tea.Cmd {
	if a.keeping.of != msg.of {
		return nil
	}
	a.keeping.due = false
	return a.keepDraft()
}

func (a *App) keepDraft() tea.Cmd {
	d, text, step := a.draftNow()
	a.keeping.text = text
	drafts, of := a.cfg.Drafts, a.edit
	return func() tea.Msg {
		d.Text = text.Bytes()
		id, err := drafts.Keep(d, step)
		return draftKeptMsg{of, id, err}
	}
}

// keepForLater leaves the editor, and what it holds as a draft.
func (a *App) keepForLater() tea.Cmd {
	if a.edit == nil {
		return nil
	}
	a.edit.keep = true
	said := a.say(a.edit.path.String()+": the unsaved text is kept, and offered when it is edited again", false)
	return tea.Batch(a.keepDraft(), a.leaveEdit(), said)
}

// draftNow is the draft of what is edited, without its text.
func (a *App) draftNow() (versions.Draft, editor.Snapshot, int) {
	e := a.edit
	d := versions.Draft{Path: e.path, Base: e.pane.Base(), Lost: e.lost}
	if data := a.tree.Data(); data != nil {
		if entry := data.Entry(e.path); entry != nil {
			d.Memory = entry.Memory
		}
	}
	a.keeping.step++
	return d, e.pane.Snapshot(), a.keeping.step
}

func (a *App) draftKept(msg draftKeptMsg) tea.Cmd {
	k := &a.keeping
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
		return nil
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
	return a.drops(old)
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
	return nil
}

// findDrafts looks for what runs that were killed left, of all memories or of one.
func (a *App) findDrafts(p memfs.Path, then func() tea.Cmd) tea.Cmd {
	if a.cfg.Drafts == nil || a.cfg.ReadOnly {
		return orNothing(then)
	}
	drafts, now := a.cfg.Drafts, a.cfg.Now
	return func() tea.Msg {
		all, err := drafts.List()
		if err != nil {
			return screen.Notice{Text: "look for unsaved texts: " + err.Error(), Bad: true}
		}
		var left []versions.Draft
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
	when := "from a moment ago"
	if age := draw.Age(msg.now, d.Time); age != "now" && age != "" {
		when = "from " + age + " ago"
	}
	a.show(&choice{name: "unsaved text", body: fmt.Sprintf("An unsaved text of %s, %s (%s), is kept.", d.Path, when, draw.Bytes(int64(len(d.Text)))), options: []screen.Option{
		{Key: "o", Label: "open it in the editor", Then: func() tea.Cmd { return a.leaving("open it", func() tea.Cmd { return a.loadDraft(d) }) }},
		{Key: "d", Label: "discard it", Then: func() tea.Cmd { return tea.Batch(a.drops([]string{d.ID}), rest()) }},
		{Key: "l", Label: later, Then: rest},
	}})
	return nil
}

// loadDraft reads what a draft was made of, and what its memory holds now.
func (a *App) loadDraft(d versions.Draft) tea.Cmd {
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
func contentOf(ctx context.Context, store Store, d versions.Draft) (content []byte, lost bool) {
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
	pane := editor.New(msg.base, d.Base, a.th, a.clip, a.cfg.Keys)
	pane.Replace(d.Text)
	a.edit = &editing{path: d.Path, pane: pane, lost: msg.lost, takenUp: []string{d.ID}}
	a.prepareEdit()
	a.setFocus(slotMemory)
	switch {
	case msg.now == d.Base && !msg.lost:
		return a.say("the unsaved text of "+d.Path.String()+" is back: ^S saves it", false)
	case msg.now == versions.Hash{} && d.Base == versions.Hash{}:
		return a.say(d.Path.String()+" is not there: ^S makes it", false)
	}
	return a.merge(draft{path: d.Path, content: d.Text})
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
		d, text, step := a.draftNow()
		d.Text = text.Bytes()
		if kept, err = a.cfg.Drafts.Keep(d, step); err != nil {
			return fmt.Errorf("%s was not saved: %w", a.edit.path, err)
		}
		err = fmt.Errorf("%s was not saved: the text is kept, and offered at the next start", a.edit.path)
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
