package ui

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"path"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/ui/editor"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/versions"
)

// editing is a memory that is edited in place; the zero base of its editor says
// that it is new.
type editing struct {
	path   memfs.Path
	pane   *editor.Editor
	saving bool
	close  bool // once it is saved
	told   bool // that the memory changed meanwhile
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
	job     *externalJob // when it was written in an external editor
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
func write(ctx context.Context, store Store, by versions.By, id int, d draft, base versions.Hash) tea.Cmd {
	pre := versions.Pre{SHA256: base, Absent: base == versions.Hash{}}
	return func() tea.Msg {
		c, err := store.Write(ctx, by, d.path, d.content, pre)
		return savedMsg{path: d.path, id: id, hash: sha256.Sum256(d.content), draft: d, change: c, err: err}
	}
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
func writeBeside(ctx context.Context, store Store, by versions.By, d draft) tea.Cmd {
	return func() tea.Msg {
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
				return besideMsg{draft: d, path: p, change: c}
			}
			break
		}
		return besideMsg{draft: d, err: err}
	}
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
		if !a.edit.told {
			a.edit.told = true
			return a.say(msg.path.String()+" was changed meanwhile: saving will ask", true)
		}
		return nil
	}
	a.edit = &editing{path: msg.path, pane: editor.New(msg.content, msg.hash, a.th, a.clip, a.cfg.Keys)}
	a.focus = slotMemory
	a.resize()
	if msg.line > 1 {
		a.edit.pane.GoTo(msg.line)
	}
	return nil
}

// newEdit opens the editor on a memory that is not there yet.
func (a *App) newEdit(p memfs.Path) tea.Cmd {
	if d := a.tree.Data(); d != nil && d.Has(p) {
		return a.say(p.String()+": already exists", true)
	}
	a.edit = &editing{path: p, pane: editor.New(nil, versions.Hash{}, a.th, a.clip, a.cfg.Keys)}
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
		a.edit.close = false
		return a.say("read-only: nothing is written", true)
	}
	a.edit.saving = true
	return write(a.ctx, a.cfg.Store, a.cfg.By, req.ID, draft{path: a.edit.path, content: req.Content}, req.Base)
}

// saved goes on after a save, from the editor here or from an external one.
func (a *App) saved(msg savedMsg) tea.Cmd {
	here := a.edit != nil && a.edit.path == msg.path && msg.draft.job == nil
	if here {
		a.edit.saving = false
	}
	var conflict *versions.ConflictError
	if errors.As(msg.err, &conflict) {
		a.conflict(msg.draft, msg.id, conflict)
		return nil
	}
	if msg.err != nil {
		if here {
			a.edit.close = false
		}
		s := "save " + msg.path.String() + ": " + msg.err.Error()
		if j := msg.draft.job; j != nil {
			s += " · the text is kept in " + j.file
		}
		return a.say(s, true)
	}
	a.own(msg.change)
	cmds := []tea.Cmd{a.reload()}
	switch {
	case msg.change.Number == 0:
		cmds = append(cmds, a.say("saved: nothing had changed", false))
	default:
		cmds = append(cmds, a.say("saved "+msg.path.String()+" · u undoes", false))
	}
	if here {
		a.edit.told = false
		a.edit.pane.Saved(msg.id, msg.hash)
		if a.edit.close {
			cmds = append(cmds, a.leaveEdit())
		}
		return tea.Batch(cmds...)
	}
	if msg.draft.job != nil {
		cmds = append(cmds, msg.draft.job.remove())
	}
	return tea.Batch(append(cmds, a.memory.Show(msg.path, 0))...)
}

// conflict asks what to do with a text whose memory somebody else has written
// meanwhile. Every answer keeps both texts: what is replaced stays in the history.
func (a *App) conflict(d draft, id int, c *versions.ConflictError) {
	by, store := a.cfg.By, a.cfg.Store
	body := d.path.String() + " was changed by somebody else while you edited it. Whatever you choose, both texts stay: what is replaced is in its history."
	theirs := "keep theirs, and put mine aside in the editor's undo"
	if d.job != nil {
		theirs = "keep theirs, and leave mine in " + d.job.file
	}
	if c.Now == (versions.Hash{}) {
		body = d.path.String() + " was deleted or renamed while you edited it."
		theirs = "leave it deleted, and close the editor"
	}
	a.show(&choice{name: "changed meanwhile", body: body, cur: 3, options: []screen.Option{
		{Key: "o", Label: "overwrite with mine", Then: func() tea.Cmd {
			if d.job == nil && a.edit != nil {
				a.edit.saving = true
			}
			return write(a.ctx, store, by, id, d, c.Now)
		}},
		{Key: "b", Label: "save mine beside it, as a new memory", Then: func() tea.Cmd { return writeBeside(a.ctx, store, by, d) }},
		{Key: "t", Label: theirs, Then: func() tea.Cmd { return a.keepTheirs(d, c) }},
		{Key: "e", Label: "back to the editor", Then: func() tea.Cmd {
			if a.edit != nil {
				a.edit.close = false
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
	if d.job != nil || a.edit == nil {
		return a.memory.Show(d.path, 0)
	}
	if c.Now == (versions.Hash{}) {
		return a.leaveEdit()
	}
	a.edit.close = false
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

// closeEdit closes the editor, and asks first when something would be lost.
func (a *App) closeEdit() tea.Cmd {
	if a.edit == nil {
		return nil
	}
	if !a.edit.pane.Dirty() {
		return a.leaveEdit()
	}
	a.show(&choice{name: "not saved", body: a.edit.path.String() + " has changes that are not saved.", options: []screen.Option{
		{Key: "s", Label: "save and close", Then: a.saveAndClose},
		{Key: "d", Label: "close without saving", Then: a.leaveEdit},
		{Key: "e", Label: "back to the editor"},
	}})
	return nil
}

// saveKey is how the root makes the editor save.
var saveKey = tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl}

func (a *App) saveAndClose() tea.Cmd {
	if a.edit == nil {
		return nil
	}
	a.edit.close = true
	return a.edit.pane.Update(saveKey)
}

// leaveEdit shows the memory again in the place of its editor.
func (a *App) leaveEdit() tea.Cmd {
	p := a.edit.path
	isNew := a.edit.pane.Base() == versions.Hash{}
	a.edit = nil
	a.resize()
	if isNew {
		if a.memory.Path().IsRoot() {
			a.setFocus(slotTree)
		}
		return nil
	}
	return a.memory.Show(p, 0)
}
