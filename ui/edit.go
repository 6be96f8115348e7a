package ui

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"path"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
)

// editing is a memory that is edited in place; the zero base of its editor says
// that it is new.
type editing struct {
	path         memfs.Path
	pane         *editor.Editor
	saving       bool
	then         func() tea.Cmd // once it is saved; nil stays here
	warned       bool           // that the memory changed meanwhile
	baseUnknown  bool           // nobody knows any more what the text was made of: its memory was redacted, say
	merge        *merging       // that was begun, to go on with
	memory       versions.MemoryID
	since        time.Time // no later than it was begun
	forceSave    bool      // saved all the same
	baseRedacted bool      // what it was made of was redacted since: it is not kept as a draft, and not saved unasked

	takenUp []string // drafts that it began with
	keep    bool     // its draft stays when the editor is left
}

// maxEdit is how large a text may be to be edited here.
const maxEdit = 64 << 20

type (
	// editLoadedMsg brings the content to edit. reload is for the editor that is
	// open already: the memory changed under it.
	editLoadedMsg struct {
		path    memfs.Path
		content []byte
		hash    versions.Hash
		line    int
		reload  bool
		err     error
	}
	// savedMsg is the outcome of saving what the editor held.
	savedMsg struct {
		path   memfs.Path
		id     int
		hash   versions.Hash
		draft  draft
		change versions.Change
		err    error
	}
)

// draft is a text that was to be saved when something else stood there.
type draft struct {
	path    memfs.Path
	content []byte
	job     *externalJob  // when it was written in an external editor
	merge   *merging      // when it is a merge
	decided *drafts.Merge // of its merge, in an earlier run
}

var errTooBigToEdit = errors.New("too big to edit here")

func loadEdit(ctx context.Context, store Store, p memfs.Path, line int, reload bool) tea.Cmd {
	return func() tea.Msg {
		content, err := readAll(ctx, store, p)
		return editLoadedMsg{p, content, sha256.Sum256(content), line, reload, err}
	}
}

func readAll(ctx context.Context, store Store, p memfs.Path) ([]byte, error) {
	f, err := store.Open(ctx, p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Size() > maxEdit {
		return nil, errTooBigToEdit
	}
	return io.ReadAll(io.NewSectionReader(f, 0, maxEdit))
}

// write saves a draft over what has the hash base; the zero hash wants the path free.
func (a *App) write(id int, d draft, base versions.Hash) tea.Cmd {
	store, by := a.cfg.Store, a.cfg.By
	pre := versions.Pre{SHA256: base, Absent: base == versions.Hash{}}
	return a.jobs.Start(screen.Work{Doing: "save " + d.path.String(), Cancelled: a.notSaved, Do: func(ctx context.Context) (tea.Msg, error) {
		c, err := store.Write(ctx, by, d.path, d.content, pre)
		return savedMsg{path: d.path, id: id, hash: sha256.Sum256(d.content), draft: d, change: c, err: err}, err
	}})
}

// beside is where a text is saved beside the memory that it is a version of.
func beside(p memfs.Path, n int) (memfs.Path, error) {
	name := p.Base()
	ext := path.Ext(name)
	mark := " (mine)"
	if n > 1 {
		mark = " (mine " + string(rune('0'+n)) + ")"
	}
	return p.Dir().Join(strings.TrimSuffix(name, ext) + mark + ext)
}

// writeBeside saves a draft under the first free name beside its own.
func (a *App) writeBeside(d draft) tea.Cmd {
	store, by := a.cfg.Store, a.cfg.By
	return a.jobs.Start(screen.Work{Doing: "save beside " + d.path.String(), Cancelled: a.copyCancelled, Do: func(ctx context.Context) (tea.Msg, error) {
		var err error
		for n := 1; n < 10; n++ {
			var p memfs.Path
			if p, err = beside(d.path, n); err != nil {
				break
			}
			var c versions.Change
			c, err = store.Write(ctx, by, p, d.content, versions.Pre{Absent: true})
			var taken *versions.ConflictError
			if errors.As(err, &taken) {
				continue
			}
			if err == nil {
				return besideMsg{draft: d, path: p, change: c}, nil
			}
			break
		}
		return besideMsg{draft: d, err: err}, err
	}})
}

// besideMsg is the outcome of saving a draft beside its memory.
type besideMsg struct {
	draft  draft
	path   memfs.Path
	change versions.Change
	err    error
}

// startEdit opens the editor on what was loaded.
func (a *App) startEdit(msg editLoadedMsg) tea.Cmd {
	if msg.err != nil {
		if msg.reload {
			return nil // gone, or being written: saving will tell
		}
		return a.say("edit "+msg.path.String()+": "+msg.err.Error(), true)
	}
	if msg.reload {
		if a.edit == nil || a.edit.path != msg.path || a.edit.pane.Base() == msg.hash {
			return nil
		}
		if !a.edit.pane.Dirty() {
			a.edit.pane.Reload(msg.content, msg.hash)
			return a.say("taken over what changed meanwhile · ^Z undoes", false)
		}
		if !a.edit.warned {
			a.edit.warned = true
			return a.say("changed meanwhile: saving will ask", true)
		}
		return nil
	}
	a.edit = &editing{path: msg.path, pane: editor.New(a.env(), msg.content, msg.hash, a.clip)}
	a.prepareEdit()
	a.focus = slotMemory
	a.resize()
	if msg.line > 1 {
		a.edit.pane.GoTo(msg.line)
	}
	return nil
}

// prepareEdit tells a new editor what it can't know.
func (a *App) prepareEdit() {
	a.edit.since = a.now
	a.edit.memory = a.memoryOf(a.edit)
	a.edit.pane.SetLanguage(syntax.Of(a.edit.path.Base()))
	a.edit.pane.SetWrap(a.memory.Wraps())
	a.edit.pane.SetLimit(a.info.Limits.Effective().Bytes)
}

// newEdit opens the editor on a memory that is not there yet.
func (a *App) newEdit(p memfs.Path) tea.Cmd {
	if d := a.tree.Data(); d != nil && d.Has(p) {
		return a.say(p.String()+": already exists", true)
	}
	a.edit = &editing{path: p, pane: editor.New(a.env(), nil, versions.Hash{}, a.clip)}
	a.prepareEdit()
	a.focus = slotMemory
	a.resize()
	return nil
}

// save answers the editor's wish.
func (a *App) save(req editor.SaveRequest) tea.Cmd {
	if a.edit == nil || a.edit.saving {
		return nil
	}
	if a.cfg.ReadOnly {
		a.edit.then = nil
		return a.say("read-only: nothing is written", true)
	}
	if a.edit.baseRedacted {
		return a.askErased(func() tea.Cmd { return a.save(req) })
	}
	a.edit.saving = true
	return a.write(req.ID, draft{path: a.edit.path, content: req.Content}, req.Base)
}

// saved goes on after a save, from the editor here, from an external one, or from a
// merge.
func (a *App) saved(msg savedMsg) tea.Cmd {
	here := a.saveOver(msg)
	var conflict *versions.ConflictError
	if errors.As(msg.err, &conflict) {
		a.conflict(msg.draft, msg.id, conflict)
		return nil
	}
	if msg.err != nil {
		if here {
			a.edit.then = nil
		}
		s := "save " + msg.path.String() + ": " + why(msg.err)
		if j := msg.draft.job; j != nil {
			s += " · the text is kept in " + j.file
		}
		return a.say(s, true)
	}
	a.own(msg.change)
	cmds := []tea.Cmd{a.refreshOwn(msg.change)}
	switch {
	case msg.change.Number == 0:
		cmds = append(cmds, a.say("saved: nothing had changed", false))
	default:
		cmds = append(cmds, a.sayDone("saved "+msg.path.String(), msg.change))
	}
	if m := msg.draft.merge; m != nil {
		a.drop(m.pane)
	}
	if here {
		return tea.Batch(append(cmds, a.savedHere(msg))...)
	}
	if msg.draft.job != nil {
		cmds = append(cmds, msg.draft.job.remove())
	}
	return tea.Batch(append(cmds, a.memory.Show(msg.path, 0))...)
}

// saveOver notes that a save is over, whatever came of it, and reports whether it was
// of the editor that is open.
func (a *App) saveOver(msg savedMsg) (here bool) {
	here = a.edit != nil && a.edit.path == msg.path && msg.draft.job == nil
	if here {
		a.edit.saving = false
	}
	if m := msg.draft.merge; m != nil {
		m.saving = false
	}
	return here
}

// notSaved goes on after a save that was cancelled: the text stays where it is.
func (a *App) notSaved(of tea.Msg) tea.Cmd {
	msg := of.(savedMsg)
	if a.saveOver(msg) {
		a.edit.then = nil
	}
	if j := msg.draft.job; j != nil {
		return a.say("cancelled: save "+msg.path.String()+" · the text is kept in "+j.file, false)
	}
	return nil
}

// savedHere tells the editor, and goes on with what waited for the save.
func (a *App) savedHere(msg savedMsg) tea.Cmd {
	e := a.edit
	e.warned, e.merge, e.baseRedacted, e.forceSave, e.since = false, nil, false, false, a.now
	if msg.draft.merge != nil {
		e.pane.Reload(msg.draft.content, msg.hash)
	} else {
		e.pane.Saved(msg.id, msg.hash)
	}
	then := e.then
	e.then = nil
	if then == nil || e.pane.Dirty() { // more was typed meanwhile
		return nil
	}
	return then()
}
