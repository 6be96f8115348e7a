package editing

import (
	"context"
	"crypto/sha256"
	"errors"
	"path"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
)

// draft is a text to save, of the editor or of an external one. The memory may have changed by then.
type draft struct {
	of      *session
	job     *externalJob
	content []byte
	text    editor.Snapshot // of the editor, which has the content
	merge   *merging        // if it is a merge
	decided *drafts.Merge   // decisions of its merge from an earlier run
}

// path returns the memory, which may be renamed while it is in the editor.
func (d draft) path() memfs.Path {
	if d.job != nil {
		return d.job.path
	}
	return d.of.path
}

// isOpen reports whether a draft is of the editor that is open.
func (r *Room) isOpen(d draft) bool { return d.of != nil && d.of == r.session }

// keptIn says where the text of an external editor is kept, or returns "".
func (d draft) keptIn() string {
	if d.job == nil {
		return ""
	}
	return " · the text is kept in " + d.job.file
}

// saved is the outcome of a save.
type saved struct {
	draft
	hash   versions.Hash
	change versions.Change
	err    error
}

// save handles the editor's request to save.
func (r *Room) save(req editor.SaveRequest) tea.Cmd {
	if r.session == nil || r.session.saving {
		return nil
	}
	if r.cfg.ReadOnly {
		r.session.then = nil
		return r.readOnly()
	}
	if r.session.baseRedacted {
		return r.askRedacted(func() tea.Cmd { return r.save(req) })
	}
	r.session.saving = true
	return r.write(draft{of: r.session, content: req.Content, text: req.Text}, req.Base)
}

// write saves a draft if the current hash is base; with a zero hash, if the path is free.
func (r *Room) write(d draft, base versions.Hash) tea.Cmd {
	store, by, p := r.cfg.Store, r.cfg.By, d.path()
	pre := versions.Pre{SHA256: base, Absent: base == versions.Hash{}}
	return r.env.Do(screen.Work{
		Doing:     "save " + p.String(),
		Cancelled: func(tea.Msg) tea.Cmd { return r.notSaved(d) },
		Do: func(ctx context.Context) (tea.Msg, error) {
			c, err := store.Write(ctx, by, p, d.content, pre)
			s := saved{draft: d, hash: sha256.Sum256(d.content), change: c, err: err}
			return screen.Then(func() tea.Cmd { return r.afterSave(s) }), err
		},
	})
}

// afterSave goes on after a save, from the editor here, from an external one, or from a
// merge.
func (r *Room) afterSave(s saved) tea.Cmd {
	here := r.saveOver(s.draft)
	var conflict *versions.ConflictError
	if errors.As(s.err, &conflict) {
		r.conflict(s.draft, conflict)
		return nil
	}
	if s.err != nil {
		if here {
			r.session.then = nil
		}
		return r.say("save "+s.path().String()+": "+wording.Why(s.err)+s.keptIn(), true)
	}
	did := screen.Did{What: "saved " + s.path().String(), Change: s.change}
	if s.change.Number == 0 {
		did.What = "saved: nothing had changed"
	}
	r.env.Do(did)
	if s.merge != nil {
		r.drop(s.merge)
	}
	if here {
		return r.savedHere(s)
	}
	show := r.memory.Show(s.path(), 0)
	if s.job != nil {
		return tea.Batch(s.job.remove(), show)
	}
	return show
}

// saveOver records the end of a save, whatever its outcome, and reports whether it was of
// the open editor.
func (r *Room) saveOver(d draft) (here bool) {
	if d.of != nil {
		d.of.saving = false
	}
	if d.merge != nil {
		d.merge.saving = false
	}
	return r.isOpen(d)
}

// notSaved goes on after a cancelled save: the text stays where it is.
func (r *Room) notSaved(d draft) tea.Cmd {
	if r.saveOver(d) {
		r.session.then = nil
	}
	if d.job != nil {
		return r.say("cancelled: save "+d.path().String()+d.keptIn(), false)
	}
	return nil
}

// savedHere notifies the editor, and continues what waited for the save.
func (r *Room) savedHere(s saved) tea.Cmd {
	e := r.session
	e.warned, e.baseUnknown, e.merge, e.baseRedacted, e.forceSave, e.since = false, false, nil, false, false, r.now
	if s.merge != nil {
		e.pane.Reload(s.content, s.hash)
	} else {
		e.pane.Saved(s.text, s.hash)
	}
	then := e.then
	e.then = nil
	if then == nil || e.pane.Dirty() { // more was typed meanwhile
		return nil
	}
	return then()
}

// copyPath returns the path for saving a text beside its memory.
func copyPath(p memfs.Path, n int) (memfs.Path, error) {
	name := p.Base()
	ext := path.Ext(name)
	mark := " (mine)"
	if n > 1 {
		mark = " (mine " + string(rune('0'+n)) + ")"
	}
	return p.Dir().Join(strings.TrimSuffix(name, ext) + mark + ext)
}

// saveCopy saves a draft under the first free name beside its memory.
func (r *Room) saveCopy(d draft) tea.Cmd {
	store, by, beside := r.cfg.Store, r.cfg.By, d.path()
	if d.of != nil {
		d.text = d.of.pane.Snapshot()
	}
	return r.env.Do(screen.Work{
		Doing: "save beside " + beside.String(),
		Cancelled: func(tea.Msg) tea.Cmd {
			if d.job == nil {
				return nil
			}
			return r.say("cancelled: save beside "+beside.String()+d.keptIn(), false)
		},
		Do: func(ctx context.Context) (tea.Msg, error) {
			p, c, err := writeCopy(ctx, store, by, beside, d.content)
			return screen.Then(func() tea.Cmd { return r.copySaved(d, p, c, err) }), err
		},
	})
}

// writeCopy writes a text to a free path beside another.
func writeCopy(ctx context.Context, store Store, by versions.By, beside memfs.Path, content []byte) (p memfs.Path, c versions.Change, err error) {
	for n := 1; n < 10; n++ {
		if p, err = copyPath(beside, n); err != nil {
			break
		}
		c, err = store.Write(ctx, by, p, content, versions.Pre{Absent: true})
		if !errors.As(err, new(*versions.ConflictError)) {
			break
		}
	}
	return p, c, err
}

func (r *Room) copySaved(d draft, p memfs.Path, c versions.Change, err error) tea.Cmd {
	if err != nil {
		return r.say("save beside "+d.path().String()+": "+err.Error()+d.keptIn(), true)
	}
	r.env.Do(screen.Did{What: "saved as " + p.String(), Change: c})
	if r.isOpen(d) && d.of.pane.Snapshot() == d.text { // else more was typed meanwhile
		r.Close()
	}
	r.env.Do(screen.Open{Path: p})
	if d.job != nil {
		return d.job.remove()
	}
	return nil
}
