package ui

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// What the person can do to the store. Each act is one change of the trail, and
// the message it ends in says how to take it back.

// writable tells the person when nothing can be written.
func (a *App) writable() (tea.Cmd, bool) {
	if a.cfg.ReadOnly {
		return a.say("read-only: nothing is written", true), false
	}
	return nil, true
}

// undo takes change n back, 0 is the newest of this person's own.
func (a *App) undo(n int64) tea.Cmd {
	if cmd, ok := a.writable(); !ok {
		return cmd
	}
	store, by, task := a.cfg.Store, a.cfg.By, a.undoTask(n)
	return a.work(task.Doing, func(ctx context.Context) (tea.Msg, error) {
		c, err := store.Undo(ctx, by, n)
		if needsPlan(err) {
			return planMsg{task}, ctx.Err()
		}
		if err != nil {
			return doneMsg{did: "undo", err: err}, err
		}
		return doneMsg{did: "undid change #" + strconv.FormatInt(c.Undoes, 10), change: c}, nil
	})
}

// redo brings change n back, 0 is the one undone last.
func (a *App) redo(n int64) tea.Cmd {
	if cmd, ok := a.writable(); !ok {
		return cmd
	}
	store, by, task := a.cfg.Store, a.cfg.By, a.redoTask(n)
	return a.work(task.Doing, func(ctx context.Context) (tea.Msg, error) {
		c, err := store.Redo(ctx, by, n)
		if needsPlan(err) {
			return planMsg{task}, ctx.Err()
		}
		if err != nil {
			return doneMsg{did: "redo", err: err}, err
		}
		return doneMsg{did: "redid " + what(c), change: c}, nil
	})
}

// what is the change that a redo brought back; of several that were undone
// together there is no one number.
func what(redo versions.Change) string {
	if redo.Undoes == 0 {
		return "all that was undone together"
	}
	return "change #" + strconv.FormatInt(redo.Undoes, 10)
}

// act does what a pane asks for.
func (a *App) act(req screen.Act) tea.Cmd {
	if cmd, ok := a.writable(); !ok {
		return cmd
	}
	work := screen.Work{Doing: cmp.Or(req.Doing, req.Did), Do: func(ctx context.Context) (tea.Msg, error) {
		c, err := req.Do(ctx)
		msg := doneMsg{did: req.Did, change: c, err: err, then: req.Done}
		if err != nil {
			msg.did = cmp.Or(req.Doing, req.Did)
		}
		return msg, err
	}}
	if req.Done != nil {
		work.Cancelled = func(msg tea.Msg) tea.Cmd {
			done := msg.(doneMsg)
			return func() tea.Msg { return req.Done(done.change, done.err) }
		}
	}
	return a.jobs.Start(work)
}

// maxCopied is what a clipboard is given through the terminal: more would stop
// the screen, and most terminals drop it without a word.
const maxCopied = 1 << 20

// copy brings a text to the terminal's clipboard and the editor's.
func (a *App) copy(req screen.Copy) tea.Cmd {
	if n := len(req.Text); n > maxCopied {
		return a.say("copy "+req.What+": "+draw.Bytes(int64(n))+" is too much for the terminal's clipboard, at most "+draw.Bytes(maxCopied), true)
	}
	a.clip.Set([]byte(req.Text))
	return tea.Batch(tea.SetClipboard(req.Text), a.say("copied "+req.What+" ("+draw.Bytes(int64(len(req.Text)))+")", false))
}

// restore makes a memory what it was in a version.
func (a *App) restore(v versions.Version) tea.Cmd {
	if cmd, ok := a.writable(); !ok {
		return cmd
	}
	store, by, task := a.cfg.Store, a.cfg.By, restoreTask(a.cfg.Store, v)
	return a.work(task.Doing, func(ctx context.Context) (tea.Msg, error) {
		c, err := store.Restore(ctx, by, v.ID)
		if needsPlan(err) {
			return planMsg{task}, ctx.Err()
		}
		if err == nil && c.Number == 0 {
			return screen.Notice{Text: "version " + strconv.Itoa(v.Number) + " is already current"}, nil
		}
		return doneMsg{did: task.Did, change: c, err: err}, err
	})
}

// folderPrefix is a folder as one begins to type a path in it.
func folderPrefix(p memfs.Path) string {
	if p.IsRoot() {
		return "/"
	}
	return p.String() + "/"
}

func (a *App) askNew(folder memfs.Path) tea.Cmd {
	if cmd, ok := a.writable(); !ok {
		return cmd
	}
	return a.leaving("make a new memory", func() tea.Cmd { return a.promptNew(folder) })
}

func (a *App) promptNew(folder memfs.Path) tea.Cmd {
	a.ask(&prompt{label: "new memory", Input: draw.NewInput(folderPrefix(folder)), then: func(s string) tea.Cmd {
		p, err := memfs.ParsePath(s)
		if err != nil {
			return a.say("new memory: "+why(err), true)
		}
		if p.IsRoot() || strings.HasSuffix(strings.TrimSpace(s), "/") {
			return a.say("new memory: a name is missing after the folder", true)
		}
		return a.findDrafts(p, func() tea.Cmd { return a.newEdit(p) })
	}})
	return nil
}

// create begins a memory at a path.
func (a *App) create(p memfs.Path) tea.Cmd {
	if cmd, ok := a.writable(); !ok {
		return cmd
	}
	if a.edit != nil && a.edit.pane.Dirty() {
		return a.say(a.edit.path.String()+" is not saved: ^S saves, Esc closes", true)
	}
	return a.newEdit(p)
}

func (a *App) askRename(from memfs.Path) tea.Cmd {
	if cmd, ok := a.writable(); !ok {
		return cmd
	}
	a.ask(&prompt{label: "rename to", Input: draw.NewInput(from.String()), then: func(s string) tea.Cmd {
		to, err := memfs.ParsePath(s)
		if err != nil {
			return a.say("rename: "+why(err), true)
		}
		if to == from || to.IsRoot() {
			return nil
		}
		store, by := a.cfg.Store, a.cfg.By
		return a.change("rename "+from.String(), "renamed "+from.String()+" to "+to.String(), func(ctx context.Context) (versions.Change, error) {
			return store.Rename(ctx, by, from, to)
		})
	}})
	return nil
}

// askMove brings what is chosen to a folder, all in one change.
func (a *App) askMove(req screen.Move) tea.Cmd {
	if cmd, ok := a.writable(); !ok {
		return cmd
	}
	if len(req.Paths) == 0 {
		return nil
	}
	what := req.Paths[0].String()
	if len(req.Paths) > 1 {
		what = strconv.Itoa(len(req.Paths)) + " entries"
	}
	a.ask(&prompt{topic: "move", label: "move " + what + " to", Input: draw.NewInput(folderPrefix(req.Folder)), then: func(s string) tea.Cmd {
		into := memfs.Root
		if strings.Trim(s, "/ ") != "" {
			var err error
			if into, err = memfs.ParsePath(strings.TrimRight(s, "/ ")); err != nil {
				return a.say("move: "+why(err), true)
			}
		}
		a.tree.Unchoose()
		store, by := a.cfg.Store, a.cfg.By
		did := "moved " + what + " to " + into.String()
		return a.work("move "+what, func(ctx context.Context) (tea.Msg, error) {
			msg := doneMsg{did: did, moved: map[memfs.Path]memfs.Path{}}
			for _, from := range req.Paths {
				if to, err := into.Join(from.Base()); err == nil {
					msg.moved[from] = to
				}
			}
			msg.change, msg.err = store.Move(ctx, by, into, req.Paths...)
			return msg, msg.err
		})
	}})
	return nil
}

// askDelete deletes. It asks only when folders are meant: one row on the screen,
// and who knows how many memories. The answer to a mistake is undo.
func (a *App) askDelete(paths []memfs.Path) tea.Cmd {
	if cmd, ok := a.writable(); !ok {
		return cmd
	}
	if len(paths) == 0 {
		return nil
	}
	count, folders := 0, 0
	for _, p := range paths {
		n, folder := a.tree.Data().Count(p)
		count += n
		if folder {
			folders++
		}
	}
	what := paths[0].String()
	if len(paths) > 1 {
		what = strconv.Itoa(len(paths)) + " entries"
	}
	store, by := a.cfg.Store, a.cfg.By
	do := func() tea.Cmd {
		a.tree.Unchoose()
		return a.change("delete "+what, "deleted "+what, func(ctx context.Context) (versions.Change, error) {
			return store.Delete(ctx, by, paths...)
		})
	}
	if folders == 0 {
		return do()
	}
	a.show(&dialog.Choice{Name: "delete", Body: "Delete " + what + " with " + draw.Plural(count, "memory", "memories") + "? " + a.wayBack("undo") + " it.", Cur: 1, Options: []screen.Option{
		{Key: "y", Label: "delete", Then: do},
		{Key: "n", Label: "keep"},
	}})
	return nil
}

func (a *App) editHere(msg screen.Edit) tea.Cmd {
	if cmd, ok := a.writable(); !ok {
		return cmd
	}
	a.stopFollowing()
	return a.leaving("edit "+msg.Path.String(), func() tea.Cmd {
		return a.findDrafts(msg.Path, func() tea.Cmd { return loadEdit(a.ctx, a.cfg.Store, msg.Path, msg.Line, false) })
	})
}

func (a *App) editOutside(msg screen.External) tea.Cmd {
	if cmd, ok := a.writable(); !ok {
		return cmd
	}
	return a.leaving("edit "+msg.Path.String(), func() tea.Cmd { return prepareExternal(a.ctx, a.cfg.Store, msg.Path, msg.Line, a.cfg.Editor) })
}

// copySaved goes on after a text was saved beside its memory.
func (a *App) copySaved(msg besideMsg) tea.Cmd {
	if msg.err != nil {
		s := "save beside " + msg.draft.path.String() + ": " + msg.err.Error()
		if msg.draft.job != nil {
			s += " · the text is kept in " + msg.draft.job.file
		}
		return a.say(s, true)
	}
	a.own(msg.change)
	cmds := []tea.Cmd{a.refreshOwn(msg.change), a.sayDone("saved as "+msg.path.String(), msg.change)}
	if msg.draft.job != nil {
		cmds = append(cmds, msg.draft.job.remove())
	} else {
		a.edit = nil
	}
	return tea.Batch(append(cmds, a.openMemory(screen.Open{Path: msg.path}))...)
}

// copyCancelled goes on after that was cancelled.
func (a *App) copyCancelled(of tea.Msg) tea.Cmd {
	msg := of.(besideMsg)
	if j := msg.draft.job; j != nil {
		return a.say("cancelled: save beside "+msg.draft.path.String()+" · the text is kept in "+j.file, false)
	}
	return nil
}
