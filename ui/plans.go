package ui

import (
	"context"
	"errors"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/plan"
	"github.com/memend/memend/ui/redact"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// What is planned before it is done: always for a session, a folder or the whole
// tree, and for the rest when it can't be done as asked.

// Planner is what plans need of a store. Making a plan changes nothing.
type Planner interface {
	plan.Store
	redact.Store
	PlanUndo(ctx context.Context, actor versions.Actor, n int64) (*versions.Plan, error)
	PlanRedo(ctx context.Context, actor versions.Actor, n int64) (*versions.Plan, error)
	PlanUndoChanges(ctx context.Context, changes ...int64) (*versions.Plan, error)
	PlanUndoSession(ctx context.Context, id versions.SessionID) (*versions.Plan, error)
	PlanRestore(ctx context.Context, id versions.VersionID) (*versions.Plan, error)
	PlanRestoreAt(ctx context.Context, m versions.Moment, paths ...memfs.Path) (*versions.Plan, error)
	PlanReplace(ctx context.Context, r versions.Replacement) (*versions.Plan, error)
}

// planMsg shows a plan: what was asked for can't be done as it is.
type planMsg struct{ task plan.Task }

func (a *App) showPlan(task plan.Task) tea.Cmd {
	if cmd, ok := a.writable(); !ok {
		return cmd
	}
	task.By = a.cfg.By
	p := plan.New(a.env(), a.cfg.Store, task)
	a.push(p)
	return p.Start()
}

// needsPlan reports whether an act was refused because somebody must choose.
func needsPlan(err error) bool {
	var conflicts *versions.ConflictsError
	var later *versions.LaterChangeError
	return errors.As(err, &conflicts) || errors.As(err, &later)
}

func (a *App) undoTask(n int64) plan.Task {
	store, actor := a.cfg.Store, a.cfg.By.Actor
	what := "the last change"
	if n > 0 {
		what = "change #" + strconv.FormatInt(n, 10)
	}
	return plan.Task{Doing: "undo " + what, Did: "undid " + what,
		Make: func(ctx context.Context) (*versions.Plan, error) { return store.PlanUndo(ctx, actor, n) }}
}

func (a *App) redoTask(n int64) plan.Task {
	store, actor := a.cfg.Store, a.cfg.By.Actor
	what := "the last change undone"
	if n > 0 {
		what = "change #" + strconv.FormatInt(n, 10)
	}
	return plan.Task{Doing: "redo " + what, Did: "redid " + what,
		Make: func(ctx context.Context) (*versions.Plan, error) { return store.PlanRedo(ctx, actor, n) }}
}

func (a *App) undoSession(req screen.UndoSession) tea.Cmd {
	store, name := a.cfg.Store, sessionName(req.Session)
	return a.showPlan(plan.Task{Doing: "undo session " + name, Did: "undid session " + name,
		Make: func(ctx context.Context) (*versions.Plan, error) { return store.PlanUndoSession(ctx, req.Session) }})
}

// sessionName is the id of a session as the lists have it, where somebody else than a
// person made it.
func sessionName(id versions.SessionID) string {
	const made = 24 // characters from which on nobody reads it
	if len(id) < made {
		return string(id)
	}
	return draw.ShortID(string(id), 8)
}

// undoChanges takes several changes back together: its plan is always shown.
func (a *App) undoChanges(req screen.UndoChanges) tea.Cmd {
	store, changes := a.cfg.Store, req.Changes
	what := draw.Plural(len(changes), "change", "changes")
	return a.showPlan(plan.Task{Doing: "undo " + what, Did: "undid " + what,
		Make: func(ctx context.Context) (*versions.Plan, error) { return store.PlanUndoChanges(ctx, changes...) }})
}

func restoreTask(store Store, v versions.Version) plan.Task {
	what := "version " + strconv.Itoa(v.Number) + " of " + v.Path.String()
	return plan.Task{Doing: "restore " + what, Did: "restored " + what,
		Make: func(ctx context.Context) (*versions.Plan, error) { return store.PlanRestore(ctx, v.ID) }}
}

func (a *App) restoreAt(req screen.RestoreAt) tea.Cmd {
	what := req.Path.String()
	if req.Path.IsRoot() {
		what = "everything"
	}
	return a.restorePaths(what, req.At, req.Path)
}

// restoreSeveral is restoreAt for several paths.
func (a *App) restoreSeveral(req screen.RestoreSeveral) tea.Cmd {
	return a.restorePaths(draw.Plural(len(req.Paths), "entry", "entries"), req.At, req.Paths...)
}

func (a *App) restorePaths(what string, at versions.Moment, paths ...memfs.Path) tea.Cmd {
	store := a.cfg.Store
	what += " as of #" + strconv.FormatInt(at.Change, 10)
	return a.showPlan(plan.Task{Doing: "restore " + what, Did: "restored " + what,
		Make: func(ctx context.Context) (*versions.Plan, error) { return store.PlanRestoreAt(ctx, at, paths...) }})
}

// redact shows what an erasing would do.
func (a *App) redact(req screen.Redact) tea.Cmd {
	target := versions.RedactTarget{Version: req.Version, Memory: req.Memory}
	name := req.Path.String()
	switch {
	case req.Match != "":
		target.Match, name = []byte(req.Match), "a text"
	case req.Memory != "":
		name = "every version of " + name
	case req.Version != "":
		name = "a version of " + name
	}
	return a.showRedaction(target, name)
}

// redactVersions is redact for several versions.
func (a *App) redactVersions(req screen.RedactVersions) tea.Cmd {
	return a.showRedaction(versions.RedactTarget{Versions: req.Versions}, draw.Plural(len(req.Versions), "version", "versions"))
}

// showRedaction shows the screen; nothing is erased before somebody says so there.
func (a *App) showRedaction(target versions.RedactTarget, name string) tea.Cmd {
	if cmd, ok := a.writable(); !ok {
		return cmd
	}
	p := redact.New(a.env(), a.cfg.Store, a.cfg.By, target, name)
	a.push(p)
	return p.Start()
}

// refresh reads again what lists may hold of what was erased.
func (a *App) refresh() tea.Cmd {
	cmds := []tea.Cmd{a.reload(), a.refreshOpen()}
	for _, p := range a.panes() {
		if w, ok := p.(screen.Watcher); ok {
			cmds = append(cmds, w.Event(versions.Event{Reload: true}))
		}
	}
	return tea.Batch(cmds...)
}
