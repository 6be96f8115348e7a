package ui

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/merge"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
)

// conflict asks what to do with a text whose memory somebody else has written
// meanwhile. Every answer keeps both texts: what is replaced stays in the history.
func (a *App) conflict(d draft, id int, c *versions.ConflictError) {
	body := d.path.String() + " was changed by somebody else while you edited it. Both texts stay, whatever you choose."
	theirs := "keep theirs, ^Z restores mine"
	if d.job != nil {
		theirs = "keep theirs, and leave mine in " + d.job.file
	}
	back := "back to the editor"
	if d.merge != nil {
		back = "back to the merge"
	}
	if c.Now == (versions.Hash{}) {
		body = d.path.String() + " was deleted or renamed while you edited it."
		theirs = "leave it deleted, and close the editor"
	}
	a.show(&dialog.Choice{Name: "changed meanwhile", Body: body, Options: []screen.Option{
		{Key: "m", Label: "merge the two", Then: func() tea.Cmd { return a.merge(d) }},
		{Key: "o", Label: "overwrite with mine", Then: func() tea.Cmd {
			if d.job == nil && a.edit != nil {
				a.edit.saving = true
			}
			if d.merge != nil {
				d.merge.saving = true
			}
			return a.write(id, d, c.Now)
		}},
		{Key: "b", Label: "save mine as another memory", Then: func() tea.Cmd { return a.writeBeside(d) }},
		{Key: "t", Label: theirs, Then: func() tea.Cmd { return a.keepTheirs(d, c) }},
		{Key: "e", Label: back, Then: func() tea.Cmd {
			if d.merge != nil {
				return nil
			}
			if a.edit != nil {
				a.edit.then = nil
			}
			if d.job != nil {
				return d.job.again()
			}
			return nil
		}},
	}})
}

// keepTheirs drops a draft for what is there now. In the editor here that is a
// step that its undo takes back.
func (a *App) keepTheirs(d draft, c *versions.ConflictError) tea.Cmd {
	if d.merge != nil {
		a.drop(d.merge.pane)
	}
	if d.job != nil || a.edit == nil {
		return a.memory.Show(d.path, 0)
	}
	if c.Now == (versions.Hash{}) {
		return a.leaveEdit()
	}
	a.edit.then = nil
	store, ctx, p := a.cfg.Store, a.ctx, d.path
	return func() tea.Msg {
		content, err := readAll(ctx, store, p)
		return theirsMsg{path: p, content: content, hash: sha256.Sum256(content), err: err}
	}
}

// theirsMsg brings what the editor takes over instead of its own text.
type theirsMsg struct {
	path    memfs.Path
	content []byte
	hash    versions.Hash
	err     error
}

// merging is a text that is put together with what stands in its place.
type merging struct {
	pane   *merge.Pane
	draft  draft
	theirs []byte        // nil when the memory is gone
	hash   versions.Hash // of theirs
	saving bool
	mine   editor.Snapshot // the text of the editor that it is of
	unfit  bool            // what was decided in an earlier run is of another text of theirs
}

type (
	// mergeReadyMsg brings the screen of a merge.
	mergeReadyMsg struct {
		merging *merging
		err     error
	}
	// mergedMsg brings what was made of two texts; nil is no memory.
	mergedMsg struct {
		merging *merging
		result  []byte
	}
)

// merge reads what stands there now and puts the draft together with it.
func (a *App) merge(d draft) tea.Cmd {
	in := merge.Input{Path: d.path, Mine: d.content, MineName: "not saved", Clip: a.clip, Base: a.madeOf(d)}
	in.Lost = in.Base == nil && d.job == nil && d.merge == nil && a.edit != nil && a.edit.baseUnknown
	theirs := map[versions.Hash]string{}
	if data := a.tree.Data(); data != nil {
		if e := data.Entry(d.path); e != nil {
			theirs[e.SHA256] = actors.Short(e.Actor)
			theirs[e.SHA256] += ago(a.now, e.Time)
		}
	}
	m := &merging{draft: d}
	in.Leave = a.leaveMerge(m)
	ctx, store, env := a.ctx, a.cfg.Store, a.env()
	return func() tea.Msg {
		content, err := readAll(ctx, store, d.path)
		switch {
		case errors.Is(err, memfs.ErrNotExist):
		case err != nil:
			return mergeReadyMsg{err: err}
		default:
			m.theirs, m.hash = content, sha256.Sum256(content)
		}
		in.Theirs, in.TheirsName = m.theirs, theirs[m.hash]
		m.pane = merge.New(env, in, func(result []byte) tea.Msg { return mergedMsg{m, result} })
		m.unfit = d.decided != nil && (d.decided.Theirs != m.hash || !m.pane.Decide(d.decided))
		return mergeReadyMsg{merging: m}
	}
}

// madeOf is what a draft was made of; nil when that was nothing, or is not known.
func (a *App) madeOf(d draft) []byte {
	switch {
	case d.merge != nil:
		return d.merge.theirs
	case d.job != nil:
		return d.job.original
	case a.edit == nil || a.edit.baseUnknown || a.edit.pane.Base() == versions.Hash{}:
		return nil
	}
	return a.edit.pane.Original()
}

// leaveMerge are the ways out of a merge that is not saved.
func (a *App) leaveMerge(m *merging) []screen.Option {
	d := m.draft
	beside := screen.Option{Key: "b", Label: "save mine as another memory", Then: func() tea.Cmd {
		a.drop(m.pane)
		return a.writeBeside(d)
	}}
	if j := d.job; j != nil {
		return []screen.Option{
			{Key: "e", Label: "edit mine again", Then: func() tea.Cmd { a.drop(m.pane); return j.again() }}, beside,
			{Key: "l", Label: "leave mine in " + j.file, Then: func() tea.Cmd {
				a.drop(m.pane)
				return a.say(d.path.String()+": the text is kept in "+j.file, false)
			}},
		}
	}
	edit := func() tea.Cmd {
		a.drop(m.pane)
		if a.edit != nil {
			a.edit.then = nil
			a.edit.merge = m
		}
		return nil
	}
	options := []screen.Option{{Key: "e", Label: "back to the editor, all is kept", Then: edit}, beside}
	if a.cfg.Drafts != nil {
		options = append(options, screen.Option{Key: "l", Label: "go on later: all is kept", Then: func() tea.Cmd {
			a.drop(m.pane)
			return a.keepForLater()
		}})
	}
	return options
}

// mergeReady shows a merge, or the one that was begun of the same texts.
func (a *App) mergeReady(msg mergeReadyMsg) tea.Cmd {
	if msg.err != nil {
		return a.say("merge: "+msg.err.Error(), true)
	}
	m := msg.merging
	if m.draft.job == nil {
		if a.edit == nil || a.edit.path != m.draft.path {
			return nil // it was left meanwhile
		}
		if old := a.edit.merge; old != nil && old.pane.Of(m.theirs, m.draft.content) {
			m = old
		}
		if m.draft.merge == nil && bytes.Equal(a.edit.pane.Content(), m.draft.content) {
			m.mine = a.edit.pane.Snapshot()
		}
		a.edit.merge = m
	}
	if last := m.draft.merge; last != nil {
		a.drop(last.pane)
	}
	a.push(m.pane)
	if m.unfit {
		return a.say("changed once more since: the conflicts are to be decided anew", false)
	}
	return nil
}

// mergeState is how far the merge of what the editor holds is decided.
func (e *editing) mergeState() (s merge.State) {
	if m := e.merge; m != nil && m.mine == e.pane.Snapshot() {
		s = m.pane.State()
	}
	return s
}

// decided is that, to be kept with the text; nil where there is nothing.
func (e *editing) decided() *drafts.Merge {
	if m := e.merge; m != nil && m.mine == e.pane.Snapshot() {
		return m.pane.Decided(m.hash)
	}
	return nil
}

// drop takes a screen away, wherever it stands.
func (a *App) drop(p screen.Pane) {
	if i := slices.Index(a.screens, p); i >= 0 {
		a.screens = slices.Delete(a.screens, i, i+1)
		a.resize()
	}
}

// merged saves what was made of two texts, if the store still holds theirs.
func (a *App) merged(msg mergedMsg) tea.Cmd {
	m := msg.merging
	d := draft{path: m.draft.path, content: msg.result, job: m.draft.job, merge: m}
	switch {
	case m.saving || !slices.Contains(a.screens, screen.Pane(m.pane)):
		return nil
	case a.cfg.ReadOnly:
		return a.say("read-only: nothing is written", true)
	case msg.result == nil:
		return a.leaveDeleted(d)
	case d.job == nil && a.edit != nil && a.edit.baseRedacted:
		return a.askErased(func() tea.Cmd { return a.merged(msg) })
	}
	m.saving = true
	return a.write(0, d, m.hash)
}

// leaveDeleted ends the editing of a memory that is to stay deleted.
func (a *App) leaveDeleted(d draft) tea.Cmd {
	a.drop(d.merge.pane)
	said := a.say(d.path.String()+" stays deleted", false)
	if d.job != nil {
		return tea.Batch(said, d.job.remove())
	}
	if a.edit == nil || a.edit.path != d.path {
		return said
	}
	return tea.Batch(said, a.leaveEdit())
}

// ago says when something was, to be put behind who did it.
func ago(now, t time.Time) string {
	switch age := draw.Age(now, t); age {
	case "":
		return ""
	case "now":
		return ", just now"
	default:
		return ", " + age + " ago"
	}
}
