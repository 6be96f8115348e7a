package editing

import (
	"bytes"
	"crypto/sha256"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/merge"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
)

// conflict asks what to do with a text whose memory someone else has written meanwhile.
// Every answer keeps both texts: a replaced one stays in the history.
func (r *Room) conflict(d draft, c *versions.ConflictError) {
	body := d.path().String() + " was changed by someone else while you edited it. Both texts are kept, whatever you choose."
	theirs := "take it as it is now, " + r.env.Hint("editor.undo") + " undoes"
	if d.job != nil {
		theirs = "take it as it is now, and leave mine in " + d.job.file
	}
	back := "back to the editor"
	if d.merge != nil {
		back = "back to the merge"
	}
	if c.Now == (versions.Hash{}) {
		body = d.path().String() + " was deleted or renamed while you edited it."
		theirs = "leave it deleted, and close the editor"
	}
	r.env.Do(screen.Choose{Title: "changed meanwhile", Text: body, First: true, Options: []screen.Option{
		{Key: "m", Label: "merge the two", Then: func() tea.Cmd { return r.merge(d) }},
		{Key: "o", Label: "overwrite with mine", Then: func() tea.Cmd {
			if d.of != nil {
				d.of.saving = true
			}
			if d.merge != nil {
				d.merge.saving = true
			}
			return r.write(d, c.Now)
		}},
		{Key: "b", Label: "save mine as another memory", Then: func() tea.Cmd { return r.saveCopy(d) }},
		{Key: "n", Label: theirs, Then: func() tea.Cmd { return r.keepTheirs(d, c) }},
		{Key: "e", Label: back, Then: func() tea.Cmd {
			if d.merge != nil {
				return nil
			}
			if d.job != nil {
				return r.run(d.job)
			}
			d.of.then = nil
			return nil
		}},
	}})
}

// keepTheirs replaces a draft with the current text. In the editor that is one undo step.
func (r *Room) keepTheirs(d draft, c *versions.ConflictError) tea.Cmd {
	if d.merge != nil {
		r.drop(d.merge)
	}
	if !r.isOpen(d) {
		return r.memory.Show(d.path(), 0)
	}
	if c.Now == (versions.Hash{}) {
		return r.leave()
	}
	d.of.then = nil
	return r.read(d.path(), func(t text) tea.Cmd {
		if r.isOpen(d) && t.err == nil {
			d.of.reload(t)
		}
		return nil
	})
}

// merging is the merge of an unsaved text with the current one.
type merging struct {
	pane   *merge.Pane
	draft  draft
	theirs []byte        // nil if the memory was deleted
	hash   versions.Hash // of theirs
	saving bool
	mine   editor.Snapshot // the text of the editor that is merged
	stale  bool            // the earlier decisions are for another text of theirs
}

// merge reads the current text and merges the draft with it.
func (r *Room) merge(d draft) tea.Cmd {
	p := d.path()
	in := merge.Input{Path: p, Mine: d.content, MineName: "unsaved", Clip: r.cfg.Clip, Base: d.base()}
	in.BaseLost = in.Base == nil && d.merge == nil && d.of != nil && d.of.baseUnknown
	theirs := map[versions.Hash]string{}
	if data := r.tree.Data(); data != nil {
		if e := data.Entry(p); e != nil {
			theirs[e.SHA256] = actors.Short(e.Actor)
			theirs[e.SHA256] += ago(r.now, e.Time)
		}
	}
	m := &merging{draft: d}
	in.Leave = r.leaveMerge(m)
	ctx, store, env := r.env.Ctx, r.cfg.Store, r.env
	return func() tea.Msg {
		content, err := readAll(ctx, store, p)
		switch {
		case errors.Is(err, memfs.ErrNotExist):
		case err != nil:
			return screen.Notice{Text: "merge: " + err.Error(), Bad: true}
		default:
			m.theirs, m.hash = content, sha256.Sum256(content)
		}
		in.Theirs, in.TheirsName = m.theirs, theirs[m.hash]
		m.pane = merge.New(env, in, func(result []byte) tea.Msg {
			return screen.Then(func() tea.Cmd { return r.merged(m, result) })
		})
		m.stale = d.decided != nil && (d.decided.Theirs != m.hash || !m.pane.Decide(d.decided))
		return screen.Then(func() tea.Cmd { return r.showMerge(m) })
	}
}

// base returns the text that a draft is based on, or nil if there is none or it is
// unknown.
func (d draft) base() []byte {
	switch {
	case d.merge != nil:
		return d.merge.theirs
	case d.job != nil:
		return d.job.original
	case d.of.baseUnknown || d.of.pane.Base() == versions.Hash{}:
		return nil
	}
	return d.of.pane.Original()
}

// leaveMerge returns the options for leaving an unsaved merge.
func (r *Room) leaveMerge(m *merging) []screen.Option {
	d := m.draft
	beside := screen.Option{Key: "b", Label: "save mine as another memory", Then: func() tea.Cmd {
		r.drop(m)
		return r.saveCopy(d)
	}}
	if j := d.job; j != nil {
		return []screen.Option{
			{Key: "e", Label: "edit mine again", Then: func() tea.Cmd { r.drop(m); return r.run(j) }}, beside,
			{Key: "l", Label: "leave mine in " + j.file, Then: func() tea.Cmd {
				r.drop(m)
				return r.say(j.path.String()+": the text is kept in "+j.file, false)
			}},
		}
	}
	edit := func() tea.Cmd {
		r.drop(m)
		if r.session != nil {
			r.session.then = nil
			r.session.merge = m
		}
		return nil
	}
	options := []screen.Option{{Key: "e", Label: "back to the editor: everything is kept", Then: edit}, beside}
	if r.cfg.Drafts != nil {
		options = append(options, screen.Option{Key: "l", Label: "continue later: everything is kept", Then: func() tea.Cmd {
			r.drop(m)
			return r.keepForLater()
		}})
	}
	return options
}

// showMerge shows a merge, or the one that was begun with the same texts.
func (r *Room) showMerge(m *merging) tea.Cmd {
	if m.draft.job == nil {
		if !r.isOpen(m.draft) {
			return nil // it was left meanwhile
		}
		if old := r.session.merge; old != nil && old.pane.Of(m.theirs, m.draft.content) {
			m = old
		}
		if m.draft.merge == nil && bytes.Equal(r.session.pane.Content(), m.draft.content) {
			m.mine = r.session.pane.Snapshot()
		}
		r.session.merge = m
	}
	if last := m.draft.merge; last != nil {
		r.drop(last)
	}
	r.env.Do(screen.Show{Pane: m.pane})
	if m.stale {
		return r.say("changed again meanwhile: decide the conflicts again", false)
	}
	return nil
}

// mergeState returns the decisions in the merge of the editor's text.
func (e *session) mergeState() (s merge.State) {
	if m := e.merge; m != nil && m.mine == e.pane.Snapshot() {
		s = m.pane.State()
	}
	return s
}

// decided returns the decisions to keep with the draft, or nil.
func (e *session) decided() *drafts.Merge {
	if m := e.merge; m != nil && m.mine == e.pane.Snapshot() {
		return m.pane.Decided(m.hash)
	}
	return nil
}

// drop removes the screen of a merge.
func (r *Room) drop(m *merging) { r.env.Do(screen.Drop{Pane: m.pane}) }

// merged saves the result of a merge, if the store still has theirs; nil means no memory.
func (r *Room) merged(m *merging, result []byte) tea.Cmd {
	d := draft{of: m.draft.of, job: m.draft.job, content: result, merge: m}
	switch {
	case m.saving || !m.pane.Shown():
		return nil
	case r.cfg.ReadOnly:
		return r.readOnly()
	case result == nil:
		return r.leaveDeleted(d)
	case d.job == nil && r.session != nil && r.session.baseRedacted:
		return r.askRedacted(func() tea.Cmd { return r.merged(m, result) })
	}
	m.saving = true
	return r.write(d, m.hash)
}

// leaveDeleted ends the editing of a memory that stays deleted.
func (r *Room) leaveDeleted(d draft) tea.Cmd {
	r.drop(d.merge)
	r.say(d.path().String()+" stays deleted", false)
	if d.job != nil {
		return d.job.remove()
	}
	if !r.isOpen(d) {
		return nil
	}
	return r.leave()
}
