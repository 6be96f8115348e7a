package actions

import (
	"bytes"
	"context"
	"errors"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/merge"
	"github.com/memend/memend/ui/plan"
	"github.com/memend/memend/ui/redact"
	"github.com/memend/memend/ui/request"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Operations that are planned first: always for a session, a folder or the whole tree, and for
// others if they can't be done as requested.

func (r *Room) showPlan(task plan.Task) {
	task.By = r.by
	r.env.Ask(screen.Show{Pane: plan.New(r.env, r.store, task)})
}

// needsPlan reports whether an operation failed because the user has to decide something.
func needsPlan(err error) bool {
	var conflicts *versions.ConflictsError
	var later *versions.LaterChangeError
	return errors.As(err, &conflicts) || errors.As(err, &later)
}

func (r *Room) undoTask(n int64) plan.Task {
	store, actor := r.store, r.by.Actor
	what := "the last change"
	if n > 0 {
		what = "change #" + strconv.FormatInt(n, 10)
	}
	return plan.Task{Doing: "undo " + what, Did: "undid " + what,
		Make: func(ctx context.Context) (*versions.Plan, error) { return store.PlanUndo(ctx, actor, n) }}
}

func (r *Room) redoTask(n int64) plan.Task {
	store, actor := r.store, r.by.Actor
	what := "the last change undone"
	if n > 0 {
		what = "change #" + strconv.FormatInt(n, 10)
	}
	return plan.Task{Doing: "redo " + what, Did: "redid " + what,
		Make: func(ctx context.Context) (*versions.Plan, error) { return store.PlanRedo(ctx, actor, n) }}
}

func (r *Room) undoSession(req request.UndoSession) {
	store, name := r.store, sessionName(req.Session)
	r.showPlan(plan.Task{Doing: "undo session " + name, Did: "undid session " + name,
		Make: func(ctx context.Context) (*versions.Plan, error) { return store.PlanUndoSession(ctx, req.Session) }})
}

// sessionName returns the id of a session as in the lists, unless the session belongs to a
// person.
func sessionName(id versions.SessionID) string {
	const made = 24 // length from which a name is not readable
	if len(id) < made {
		return string(id)
	}
	return draw.ShortID(string(id), 8)
}

// undoChanges undoes several changes together: its plan is always shown.
func (r *Room) undoChanges(req request.UndoChanges) {
	store, changes := r.store, req.Changes
	what := draw.Plural(len(changes), "change", "changes")
	r.showPlan(plan.Task{Doing: "undo " + what, Did: "undid " + what,
		Make: func(ctx context.Context) (*versions.Plan, error) { return store.PlanUndoChanges(ctx, changes...) }})
}

func (r *Room) restoreTask(v versions.Version) plan.Task {
	store := r.store
	what := "version " + strconv.Itoa(v.Number) + " of " + v.Path.String()
	return plan.Task{Doing: "restore " + what, Did: "restored " + what,
		Make: func(ctx context.Context) (*versions.Plan, error) { return store.PlanRestore(ctx, v.ID) }}
}

func (r *Room) restoreAt(req request.RestoreAt) {
	what := req.Path.String()
	if req.Path.IsRoot() {
		what = "everything"
	}
	r.restorePaths(what, req.At, req.Path)
}

// restoreSeveral is restoreAt for several paths.
func (r *Room) restoreSeveral(req request.RestoreSeveral) {
	r.restorePaths(draw.Plural(len(req.Paths), "entry", "entries"), req.At, req.Paths...)
}

func (r *Room) restorePaths(what string, at versions.Moment, paths ...memfs.Path) {
	store := r.store
	what += " as of #" + strconv.FormatInt(at.Change, 10)
	r.showPlan(plan.Task{Doing: "restore " + what, Did: "restored " + what,
		Make: func(ctx context.Context) (*versions.Plan, error) { return store.PlanRestoreAt(ctx, at, paths...) }})
}

// redact shows the preview of a redaction.
func (r *Room) redact(req request.Redact) {
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
	r.showRedaction(target, name)
}

// redactVersions is redact for several versions.
func (r *Room) redactVersions(req request.RedactVersions) {
	r.showRedaction(versions.RedactTarget{Versions: req.Versions}, draw.Plural(len(req.Versions), "version", "versions"))
}

// showRedaction shows the screen; nothing is redacted before the user confirms it there.
func (r *Room) showRedaction(target versions.RedactTarget, name string) {
	r.env.Ask(screen.Show{Pane: redact.New(r.env, r.store, r.by, target, name)})
}

// merge opens the merge screen for a conflict of a plan, between the current text and the
// earlier one.
func (r *Room) merge(req plan.Merge) tea.Cmd {
	var base, now, before [][]byte
	for _, region := range req.Item.Merge.Regions {
		base, now, before = append(base, region.Base), append(now, region.Ours), append(before, region.Theirs)
	}
	in := merge.Input{
		Path: req.Item.Now.Path, Clip: r.clip,
		Theirs: bytes.Join(now, nil), TheirsName: "as it is now",
		Mine: bytes.Join(before, nil), MineName: "as it was before",
		Base: bytes.Join(base, nil),
	}
	env := r.env
	return func() tea.Msg {
		var p *merge.Pane
		p = merge.New(env, in, func(result []byte) tea.Msg {
			return screen.Then(func() tea.Cmd {
				env.Ask(screen.Drop{Pane: p})
				return env.Ask(req.Done(result))
			})
		})
		return screen.Show{Pane: p}
	}
}
