// Package actions turns what a person asks for into acts of the engine, or into plans
// where the act needs somebody to decide.
//
// Each act is one change of the trail, and what is told of it says how to undo it. The
// package keeps no state: what it needs to ask or show it asks of the root.
package actions

import (
	"cmp"
	"context"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/plan"
	"github.com/memend/memend/ui/redact"
	"github.com/memend/memend/ui/request"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/versions"
)

// Store is what acts need of a store. Making a plan changes nothing.
type Store interface {
	plan.Store
	redact.Store
	talk.Store
	PlanUndo(ctx context.Context, actor versions.Actor, n int64) (*versions.Plan, error)
	PlanRedo(ctx context.Context, actor versions.Actor, n int64) (*versions.Plan, error)
	PlanUndoChanges(ctx context.Context, changes ...int64) (*versions.Plan, error)
	PlanUndoSession(ctx context.Context, id versions.SessionID) (*versions.Plan, error)
	PlanRestore(ctx context.Context, id versions.VersionID) (*versions.Plan, error)
	PlanRestoreAt(ctx context.Context, m versions.Moment, paths ...memfs.Path) (*versions.Plan, error)
	PlanReplace(ctx context.Context, r versions.Replacement) (*versions.Plan, error)

	// Version is a version by its id.
	Version(ctx context.Context, v versions.VersionID) (versions.Version, error)
	// Write creates or replaces the memory at p, if the precondition holds.
	// The same content again is no change: ok with a zero Change.
	// versions.ConflictError tells what stands there instead.
	Write(ctx context.Context, by versions.By, p memfs.Path, content []byte, pre versions.Pre) (versions.Change, error)
	// Rename moves a memory or a folder; the destination must be free.
	Rename(ctx context.Context, by versions.By, from, to memfs.Path) (versions.Change, error)
	// Move brings memories and folders into a folder under their own names, all in one change.
	Move(ctx context.Context, by versions.By, into memfs.Path, paths ...memfs.Path) (versions.Change, error)
	// Delete removes memories and folders, all in one change.
	Delete(ctx context.Context, by versions.By, paths ...memfs.Path) (versions.Change, error)
	// Restore makes the memory what it was in version v, as a new version.
	Restore(ctx context.Context, by versions.By, v versions.VersionID) (versions.Change, error)
	// Undo undoes change n by a new change; 0 is the newest change of by's own that is
	// not undone. Redo redoes an undone change; 0 is the one undone last.
	Undo(ctx context.Context, by versions.By, n int64) (versions.Change, error)
	Redo(ctx context.Context, by versions.By, n int64) (versions.Change, error)
}

// Room answers the requests that change the store or compare what is in it.
type Room struct {
	env      screen.Env
	store    Store
	by       versions.By
	readOnly bool
	tree     *tree.Pane
	clip     *editor.Clipboard
}

// New makes the acts of a person on a store. Names are looked up in the tree.
func New(env screen.Env, store Store, by versions.By, readOnly bool, t *tree.Pane, clip *editor.Clipboard) *Room {
	return &Room{env: env, store: store, by: by, readOnly: readOnly, tree: t, clip: clip}
}

// Update obeys a request, and reports whether it is one of this room's.
func (r *Room) Update(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	switch msg := msg.(type) {
	case request.Compare:
		r.compare(msg)
	case request.CopyDiff:
		r.copyDiff(msg.Version)
	case screen.Copy:
		return r.copy(msg), true
	case plan.Merge:
		return r.merge(msg), true
	default:
		change := r.changing(msg)
		if change == nil {
			return nil, false
		}
		if r.readOnly {
			return r.say("read-only: nothing is written", true), true
		}
		change()
	}
	return nil, true
}

// changing is what a request that changes the store begins; nil for any other.
func (r *Room) changing(msg tea.Msg) func() {
	switch msg := msg.(type) {
	case request.Act:
		return func() { r.act(msg) }
	case screen.Rename:
		return func() { r.askRename(msg.Path) }
	case screen.Move:
		return func() { r.askMove(msg) }
	case screen.Delete:
		return func() { r.askDelete(msg.Paths) }
	case request.Duplicate:
		return func() { r.askDuplicate(msg) }
	case request.Undo:
		return func() { r.undo(msg.Change) }
	case request.Redo:
		return func() { r.redo(msg.Change) }
	case request.Restore:
		return func() { r.restore(msg.Version) }
	case request.UndoChanges:
		return func() { r.undoChanges(msg) }
	case request.UndoSession:
		return func() { r.undoSession(msg) }
	case request.RestoreAt:
		return func() { r.restoreAt(msg) }
	case request.RestoreSeveral:
		return func() { r.restoreSeveral(msg) }
	case request.Redact:
		return func() { r.redact(msg) }
	case request.RedactVersions:
		return func() { r.redactVersions(msg) }
	}
	return nil
}

func (r *Room) say(text string, bad bool) tea.Cmd {
	return r.env.Ask(screen.Notice{Text: text, Bad: bad})
}

// work begins something that may take a while.
func (r *Room) work(doing string, do func(context.Context) (tea.Msg, error)) {
	r.env.Ask(screen.Work{Doing: doing, Do: do})
}

// change is work that makes a change of the store.
func (r *Room) change(doing, did string, do func(context.Context) (versions.Change, error)) {
	r.work(doing, func(ctx context.Context) (tea.Msg, error) {
		c, err := do(ctx)
		return request.Did{What: did, Change: c, Err: err}, err
	})
}

// act does what a pane asks for.
func (r *Room) act(req request.Act) {
	work := screen.Work{Doing: cmp.Or(req.Doing, req.Did), Do: func(ctx context.Context) (tea.Msg, error) {
		c, err := req.Do(ctx)
		did := request.Did{What: req.Did, Change: c, Err: err, Then: req.Done}
		if err != nil {
			did.What = cmp.Or(req.Doing, req.Did)
		}
		return did, err
	}}
	if req.Done != nil {
		work.Cancelled = func(msg tea.Msg) tea.Cmd {
			did := msg.(request.Did)
			return func() tea.Msg { return req.Done(did.Change, did.Err) }
		}
	}
	r.env.Ask(work)
}

// orPlan is work that becomes a plan where somebody must choose.
func (r *Room) orPlan(task plan.Task, do func(context.Context) (tea.Msg, error)) {
	r.work(task.Doing, func(ctx context.Context) (tea.Msg, error) {
		msg, err := do(ctx)
		if needsPlan(err) {
			return screen.Then(func() tea.Cmd { r.showPlan(task); return nil }), ctx.Err()
		}
		return msg, err
	})
}

// undo undoes change n; 0 is the newest of this person's own.
func (r *Room) undo(n int64) {
	store, by := r.store, r.by
	r.orPlan(r.undoTask(n), func(ctx context.Context) (tea.Msg, error) {
		c, err := store.Undo(ctx, by, n)
		if err != nil {
			return request.Did{What: "undo", Err: err}, err
		}
		return request.Did{What: "undid change #" + strconv.FormatInt(c.Undoes, 10), Change: c}, nil
	})
}

// redo redoes change n; 0 is the one undone last.
func (r *Room) redo(n int64) {
	store, by := r.store, r.by
	r.orPlan(r.redoTask(n), func(ctx context.Context) (tea.Msg, error) {
		c, err := store.Redo(ctx, by, n)
		if err != nil {
			return request.Did{What: "redo", Err: err}, err
		}
		return request.Did{What: "redid " + redone(c), Change: c}, nil
	})
}

// redone names the change that a redo made again; of several that were undone together
// there is no one number.
func redone(redo versions.Change) string {
	if redo.Undoes == 0 {
		return "all that was undone together"
	}
	return "change #" + strconv.FormatInt(redo.Undoes, 10)
}

// restore makes a memory what it was in a version.
func (r *Room) restore(v versions.Version) {
	store, by, task := r.store, r.by, r.restoreTask(v)
	r.orPlan(task, func(ctx context.Context) (tea.Msg, error) {
		c, err := store.Restore(ctx, by, v.ID)
		if err == nil && c.Number == 0 {
			return screen.Notice{Text: "version " + strconv.Itoa(v.Number) + " is already current"}, nil
		}
		return request.Did{What: task.Did, Change: c, Err: err}, err
	})
}

// maxCopied is what a clipboard is given through the terminal: more would stop
// the screen, and most terminals drop it without a word.
const maxCopied = 1 << 20

// copy brings a text to the terminal's clipboard and the editor's.
func (r *Room) copy(req screen.Copy) tea.Cmd {
	if n := len(req.Text); n > maxCopied {
		return r.say("copy "+req.What+": "+draw.Bytes(int64(n))+" is too much for the terminal's clipboard, at most "+draw.Bytes(maxCopied), true)
	}
	r.clip.Set([]byte(req.Text))
	r.say("copied "+req.What+" ("+draw.Bytes(int64(len(req.Text)))+")", false)
	return r.env.Ask(screen.Terminal{Do: tea.SetClipboard(req.Text)})
}
