// Package actions turns requests of the user into operations of the engine, or into plans if
// the user has to decide something.
//
// Each operation is one change of the trail, and its message says how to undo it. The package
// keeps no state: dialogs and messages are requests to the root.
package actions

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/plan"
	"github.com/memend/memend/ui/redact"
	"github.com/memend/memend/ui/relink"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	vplan "github.com/memend/memend/versions/plan"
)

// Store is the part of a store that actions use. Making a plan changes nothing.
type Store interface {
	plan.Store
	redact.Store
	relink.Store
	talk.Store
	// Do reaches a goal without a preview.
	Do(ctx context.Context, by versions.By, g vplan.Goal) (versions.Change, error)
	// RejectUndone makes what the change undo has undone stay rejected, as Reject does with a held change.
	RejectUndone(ctx context.Context, by versions.By, undo int64, reason string) ([]int64, error)

	// Changes lists changes, newest first, before the change with the number before, Sessions
	// sessions.
	Changes(ctx context.Context, f versions.Filter, before int64, limit int) ([]versions.Change, error)
	Sessions(ctx context.Context, f versions.SessionFilter, before versions.Cursor, limit int) ([]versions.Session, versions.Cursor, error)
	// Version returns a version by its id.
	Version(ctx context.Context, v versions.VersionID) (versions.Version, error)
	// Write creates or replaces the memory at p if the precondition holds. Writing the same
	// content again is not a change: it succeeds with a zero Change. If the precondition
	// fails, versions.ConflictError describes the current memory.
	Write(ctx context.Context, by versions.By, p memfs.Path, content []byte, pre versions.Pre) (versions.Change, error)
	// Rename moves a memory or a folder, with edits of others; the destination must be free.
	Rename(ctx context.Context, by versions.By, from, to memfs.Path, edits ...versions.Edit) (versions.Change, error)
	// Move moves memories and folders into a folder and keeps their names, all in one change.
	Move(ctx context.Context, by versions.By, into memfs.Path, paths ...memfs.Path) (versions.Change, error)
	Info() versions.StoreInfo
	// Delete deletes memories and folders, all in one change.
	Delete(ctx context.Context, by versions.By, paths ...memfs.Path) (versions.Change, error)
}

// Room handles the requests that change the store or compare its contents.
type Room struct {
	env     screen.Env
	linksTo screen.Load[relink.Links] // of what is renamed
	store   Store
	by      versions.By
	tree    *tree.Pane
	clip    *editor.Clipboard
	prompt  Prompt
	home    Home // nil if there is only this store
}

// Prompt returns the first line of what a session was asked, or "" if it is unknown. It may block.
type Prompt func(versions.SessionID) string

// New returns the actions of a person on a store. Names are looked up in the tree.
func New(env screen.Env, store Store, by versions.By, t *tree.Pane, clip *editor.Clipboard, prompt Prompt) *Room {
	return &Room{env: env, store: store, by: by, tree: t, clip: clip, prompt: prompt}
}

func (r *Room) say(text string, bad bool) tea.Cmd {
	return r.env.Do(screen.Notice{Text: text, Bad: bad})
}

// work starts an operation that may take long.
func (r *Room) work(doing string, do func(context.Context) (tea.Msg, error)) tea.Cmd {
	return r.env.Do(screen.Work{Doing: doing, Do: do})
}

// change starts an operation that makes a change of the store.
func (r *Room) change(doing, did string, do func(context.Context) (versions.Change, error)) tea.Cmd {
	return r.work(doing, func(ctx context.Context) (tea.Msg, error) {
		c, err := do(ctx)
		what := did
		if err != nil {
			what = doing
		}
		return screen.Did{What: what, Change: c, Err: err}, err
	})
}

// Act starts the operation that a pane requests.
func (r *Room) Act(req screen.Act) tea.Cmd {
	work := screen.Work{Doing: cmp.Or(req.Doing, req.Did), Do: func(ctx context.Context) (tea.Msg, error) {
		c, err := req.Do(ctx)
		did := screen.Did{What: wording.Answer(c, req.Did), Change: c, Err: err, Then: req.Done}
		if err != nil {
			did.What = cmp.Or(req.Doing, req.Did)
		}
		return did, err
	}}
	if req.Done != nil {
		work.Cancelled = func(msg tea.Msg) tea.Cmd {
			did := msg.(screen.Did)
			return func() tea.Msg { return req.Done(did.Change, did.Err) }
		}
	}
	return r.env.Do(work)
}

// orPlan starts an operation that becomes a plan if the user has to decide something.
func (r *Room) orPlan(task plan.Task, do func(context.Context) (tea.Msg, error)) tea.Cmd {
	return r.work(task.Doing, func(ctx context.Context) (tea.Msg, error) {
		msg, err := do(ctx)
		if needsPlan(err) {
			return screen.Then(func() tea.Cmd { r.showPlan(task); return nil }), ctx.Err()
		}
		return msg, err
	})
}

// Undo undoes change n. If it is somebody else's, that is a decision of the person, which the next undo undoes.
func (r *Room) Undo(n int64) tea.Cmd {
	store, by, lifetime, task := r.store, r.by, r.env.Ctx, r.undoTask(n)
	task.After = func(c versions.Change) tea.Cmd {
		return screen.Run(func() bool { return undidOthers(lifetime, store, by, c) }, func(others bool) tea.Cmd {
			if !others {
				return nil
			}
			return r.undid(task.Did)(c)
		})
	}
	return r.orPlan(task, func(ctx context.Context) (tea.Msg, error) {
		c, err := store.Do(ctx, by, vplan.UndoChange(n))
		if err != nil {
			return screen.Did{What: "undo", Err: err}, err
		}
		done := screen.Did{What: did(ctx, store, c), Change: c}
		if undidOthers(ctx, store, by, c) {
			done.Then = then(r.undid(done.What))
		}
		return done, nil
	})
}

// undidOthers reports whether a change undid what somebody else than its author did, or several changes.
func undidOthers(ctx context.Context, store Store, by versions.By, undo versions.Change) bool {
	c, ok := change(ctx, store, undo.Undoes)
	return undo.Kind == versions.KindUndo && !(ok && c.Actor.Kind == by.Actor.Kind && c.Actor.Name == by.Actor.Name)
}

// then returns what follows a change that was made, for screen.Did.
func then(next func(versions.Change) tea.Cmd) func(versions.Change, error) tea.Msg {
	return func(c versions.Change, _ error) tea.Msg { return screen.Then(func() tea.Cmd { return next(c) }) }
}

// UndoNewest undoes the user's newest change after another one; none is called if there is none. It asks before it undoes one
// that was not made in this sitting, or made before a decision that can't be undone, at the change asked.
func (r *Room) UndoNewest(after, asked int64, now time.Time, none func() tea.Cmd) tea.Cmd {
	store, by := r.store, r.by
	return r.work("undo the last change", func(ctx context.Context) (tea.Msg, error) {
		c, err := r.newest(ctx, after)
		switch {
		case errors.Is(err, versions.ErrNoOwnChange):
			return screen.Then(none), ctx.Err()
		case err != nil:
			return screen.Did{What: "undo", Err: err}, err
		case c.Session != by.Session && !r.redone(ctx, c.Number):
			return r.askUndo(c, "You did not make your newest change here: ", now), nil
		case c.Number <= asked:
			return r.askUndo(c, "What you did last can't be undone. Before it: ", now), nil
		}
		u, err := store.Do(ctx, by, vplan.UndoChange(c.Number))
		if needsPlan(err) {
			task := r.undoTask(c.Number)
			return screen.Then(func() tea.Cmd { r.showPlan(task); return nil }), ctx.Err()
		}
		if err != nil {
			return screen.Did{What: "undo", Err: err}, err
		}
		return screen.Did{What: did(ctx, store, u), Change: u}, nil
	})
}

// newest returns the user's newest change after another one that is in effect.
func (r *Room) newest(ctx context.Context, after int64) (versions.Change, error) {
	p, err := r.store.Plan(ctx, vplan.UndoLast{By: r.by.Actor, After: after})
	if err != nil {
		return versions.Change{}, err
	}
	n := int64(p.Goal.(vplan.UndoChange)) // UndoLast becomes one
	c, _ := change(ctx, r.store, n)
	c.Number = n
	return c, nil
}

// redone reports whether a change was redone in this sitting.
func (r *Room) redone(ctx context.Context, n int64) bool {
	list, err := r.store.Changes(ctx, versions.Filter{Session: r.by.Session}, 0, maxLookedBack)
	return err == nil && slices.ContainsFunc(list, func(c versions.Change) bool { return c.Kind == versions.KindRedo && c.Undoes == n })
}

func (r *Room) askUndo(c versions.Change, why string, now time.Time) screen.Choose {
	return screen.Choose{
		Title: "undo",
		Text:  why + name(c) + ", " + draw.Ago(now, c.Time) + ". Undo it?",
		Fresh: true,
		Options: []screen.Option{
			{Key: "y", Label: "undo it", Then: func() tea.Cmd { return r.Undo(c.Number) }},
			{Key: "n", Label: "leave it"},
		},
	}
}

// AskUndo asks whether to undo the user's newest change, which is of an earlier sitting.
func (r *Room) AskUndo(now time.Time) tea.Cmd {
	return r.work("undo", func(ctx context.Context) (tea.Msg, error) {
		c, err := r.newest(ctx, 0)
		switch {
		case errors.Is(err, versions.ErrNoOwnChange):
			return screen.Notice{Text: "nothing of yours to undo: " + r.env.Hint("global.history") + ", then " + r.env.Hint("change.undo") + " undoes others' changes", Bad: true}, nil
		case err != nil:
			return screen.Did{What: "undo", Err: err}, err
		}
		return r.askUndo(c, "Nothing that you did since you opened the store is left to undo. Your newest change is of an earlier sitting: ", now), nil
	})
}

// Redo redoes change n; 0 is the one undone last, if it was undone after another change. None is called if there is none.
func (r *Room) Redo(n, after int64, none func() tea.Cmd) tea.Cmd {
	store, by, goal := r.store, r.by, r.redoing(n, after)
	return r.orPlan(r.redoTask(n, goal), func(ctx context.Context) (tea.Msg, error) {
		c, err := store.Do(ctx, by, goal)
		if n == 0 && errors.Is(err, versions.ErrNothing) {
			return screen.Then(none), ctx.Err()
		}
		if err != nil {
			return screen.Did{What: "redo", Err: err}, err
		}
		return screen.Did{What: did(ctx, store, c), Change: c}, nil
	})
}

// did says what an undo or a redo did, as the lists of changes do, and what the change was that it undid or redid.
func did(ctx context.Context, store Store, c versions.Change) string {
	if c.Undoes != 0 {
		return wording.Verb(c) + " " + named(ctx, store, c.Undoes)
	}
	return wording.Sentence(c, wording.Screen)
}

// Restore restores a memory to a version.
func (r *Room) Restore(v versions.Version) tea.Cmd {
	store, by, task := r.store, r.by, r.restoreTask(v)
	return r.orPlan(task, func(ctx context.Context) (tea.Msg, error) {
		c, err := store.Do(ctx, by, task.Goal)
		if errors.Is(err, versions.ErrNothing) {
			return screen.Notice{Text: "version " + strconv.Itoa(v.Number) + " is already current"}, nil
		}
		return screen.Did{What: task.Did, Change: c, Err: err}, err
	})
}

// UndoSessionOf undoes the session that made a version.
func (r *Room) UndoSessionOf(id versions.VersionID) tea.Cmd {
	store := r.store
	return r.work("undo the session", func(ctx context.Context) (tea.Msg, error) {
		v, err := store.Version(ctx, id)
		if err != nil {
			return screen.Notice{Text: "undo the session: " + err.Error(), Bad: true}, err
		}
		session, err := sessionOver(ctx, store, v)
		switch {
		case err != nil:
			return screen.Notice{Text: "undo the session: " + err.Error(), Bad: true}, err
		case session == "":
			return screen.Notice{Text: "no change of " + v.Path.String() + " by a session of an agent is in effect", Bad: true}, nil
		}
		return screen.UndoSession{Session: session}, nil
	})
}

// maxLookedBack is how many versions of a memory are read to find an agent's session, and how many changes of this sitting.
const maxLookedBack = 200

// sessionOver returns the session that made the newest version in effect, up to v, that is not a person's own; empty for none.
func sessionOver(ctx context.Context, store Store, v versions.Version) (versions.SessionID, error) {
	list, err := store.History(ctx, v.Memory, v.Number+1, maxLookedBack)
	for _, v := range list {
		if v.Session != "" && v.UndoneBy == 0 && v.Actor.Kind != versions.Person {
			return v.Session, nil
		}
	}
	return "", err
}

// maxCopied is the maximum size of a text that is copied through the terminal: a larger one
// would block the screen, and most terminals drop it silently.
const maxCopied = 1 << 20

// Copy copies a text to the clipboards of the terminal and the editor.
func (r *Room) Copy(req screen.Copy) tea.Cmd {
	if n := len(req.Text); n > maxCopied {
		return r.say("copy "+req.What+": "+draw.Bytes(int64(n))+" is too much for the terminal's clipboard, at most "+draw.Bytes(maxCopied), true)
	}
	r.clip.Set(req.Text)
	r.say("copied "+req.What+" ("+draw.Bytes(int64(len(req.Text)))+")", false)
	return r.env.Do(screen.Terminal{Do: tea.SetClipboard(req.Text)})
}
