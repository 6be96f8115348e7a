package actions

import (
	"context"
	"errors"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/deciding"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/merge"
	"github.com/memend/memend/ui/plan"
	"github.com/memend/memend/ui/redact"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	vplan "github.com/memend/memend/versions/plan"
)

// Operations that are planned first: always for a session, a folder or the whole tree, and for
// others if they can't be done as requested.

func (r *Room) showPlan(task plan.Task) tea.Cmd {
	task.By = r.by
	return r.env.Do(screen.Show{Pane: plan.New(r.env, r.store, task)})
}

// reject returns what rejects the changes that a change has undone.
func (r *Room) reject() func(context.Context, int64, string) error {
	store, by := r.store, r.by
	return func(ctx context.Context, undo int64, reason string) error {
		_, err := store.RejectUndone(ctx, by, undo, reason)
		return err
	}
}

// needsPlan reports whether an operation failed because the user has to decide something.
func needsPlan(err error) bool {
	var conflicts *versions.ConflictsError
	var later *versions.LaterChangeError
	return errors.As(err, &conflicts) || errors.As(err, &later)
}

func (r *Room) undoTask(n int64) plan.Task {
	return r.ofChange(plan.Task{Goal: vplan.UndoChange(n), Reject: r.reject()}, "undo", "undid", n)
}

func (r *Room) redoTask(n int64, goal vplan.Goal) plan.Task {
	task := plan.Task{Doing: "redo the last change undone", Did: "redid the last change undone", Goal: goal}
	return r.ofChange(task, "redo", "redid", n)
}

// redoing returns the goal of redoing change n; 0 is the one undone last, after another change.
func (r *Room) redoing(n, after int64) vplan.Goal {
	if n == 0 {
		return vplan.RedoLast{By: r.by.Actor, After: after}
	}
	return vplan.RedoChange(n)
}

// ofChange adds to a task what is known of change n; 0 stands for no certain change.
func (r *Room) ofChange(task plan.Task, do, did string, n int64) plan.Task {
	if n == 0 {
		return task
	}
	store, number := r.store, "change #"+strconv.FormatInt(n, 10)
	task.Doing, task.Did = do+" "+number, did+" "+number
	task.About = func(ctx context.Context) plan.About {
		c, ok := change(ctx, store, n)
		if !ok {
			return plan.About{}
		}
		return plan.About{Doing: do + " " + name(c), Did: did + " " + name(c), When: c.Time, Why: "by " + actors.Short(c.Actor)}
	}
	return task
}

// change reads a change without its versions.
func change(ctx context.Context, store Store, n int64) (versions.Change, bool) {
	list, err := store.Changes(ctx, versions.Filter{}, n+1, 1)
	if err != nil || len(list) == 0 || list[0].Number != n {
		return versions.Change{}, false
	}
	return list[0], true
}

// named names a change by what it did.
func named(ctx context.Context, store Store, n int64) string {
	if c, ok := change(ctx, store, n); ok {
		return name(c)
	}
	return "change #" + strconv.FormatInt(n, 10)
}

// name names a change by its number and by what it did: "#3: renamed /reference → /ref2".
func name(c versions.Change) string {
	return "#" + strconv.FormatInt(c.Number, 10) + ": " + wording.Sentence(c, wording.Screen)
}

// undid returns what makes an undo the last decision of the person.
func (r *Room) undid(what string) func(versions.Change) tea.Cmd {
	return func(c versions.Change) tea.Cmd {
		if c.Number == 0 {
			return nil
		}
		return r.env.Do(deciding.Took{What: wording.Answer(c, what), Changes: []int64{c.Number}, Undo: true})
	}
}

func (r *Room) UndoSession(session versions.SessionID) tea.Cmd {
	store, prompt, what := r.store, r.prompt, "session "+sessionName(session)
	did := "undid " + what
	return r.showPlan(plan.Task{Doing: "undo " + what, Did: did, After: r.undid(did), Reject: r.reject(),
		Goal: vplan.UndoSession(session),
		About: func(ctx context.Context) plan.About {
			list, _, err := store.Sessions(ctx, versions.SessionFilter{ID: session}, "", 1)
			if err != nil || len(list) == 0 {
				return plan.About{}
			}
			what := what + " of " + actors.Short(list[0].Actor)
			return plan.About{Doing: "undo " + what, Did: "undid " + what, When: list[0].Started, Why: prompt(session)}
		}})
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

// UndoChanges undoes several changes together: its plan is always shown.
func (r *Room) UndoChanges(req screen.UndoChanges) tea.Cmd {
	what := draw.Plural(len(req.Changes), "change", "changes")
	task := plan.Task{Doing: "undo " + what, Did: "undid " + what, After: r.undid("undid " + what), Reject: r.reject(),
		Goal: vplan.UndoChanges(req.Changes)}
	if why := req.Why; why != "" {
		task.About = func(context.Context) plan.About { return plan.About{Why: why} }
	}
	return r.showPlan(task)
}

func (r *Room) restoreTask(v versions.Version) plan.Task {
	what := "version " + strconv.Itoa(v.Number) + " of " + v.Path.String()
	return plan.Task{Doing: "restore " + what, Did: "restored " + what, Goal: vplan.Restore(v.ID)}
}

// AskRestore asks what to restore.
func (r *Room) AskRestore(req screen.AskRestore) tea.Cmd {
	number := "#" + strconv.FormatInt(req.At.Change, 10)
	var options []screen.Option
	add := func(key, label string, then func()) {
		options = append(options, screen.Option{Key: key, Label: label, Then: func() tea.Cmd { then(); return nil }})
	}
	at := func(path memfs.Path) func() {
		return func() { r.RestoreAt(screen.RestoreAt{At: req.At, Path: path}) }
	}
	if v := req.Version; v.ID != "" {
		add("v", "the text of v"+strconv.Itoa(v.Number)+" of "+v.Path.String(), func() { r.Restore(v) })
	}
	folder := req.Path
	if !folder.IsRoot() && !req.Folder {
		add("m", req.Path.String()+" as of "+number, at(req.Path))
		folder = folder.Dir()
	}
	if !folder.IsRoot() {
		add("f", folder.String()+"/", at(folder))
	}
	add("e", "everything", at(memfs.Root))
	text := "Restore what to " + number
	if !req.At.Time.IsZero() {
		text += " (" + req.At.Time.Format("2006-01-02 15:04") + ")"
	}
	return r.env.Do(screen.Choose{Title: "restore", Text: text + "? Undo reverts it.", First: true,
		Options: append(options, screen.Option{Key: "n", Label: "nothing"})})
}

func (r *Room) RestoreAt(req screen.RestoreAt) tea.Cmd {
	what := req.Path.String()
	if req.Path.IsRoot() {
		what = "everything"
	}
	return r.restorePaths(what, req.At, req.Path)
}

// RestoreSeveral is restoreAt for several paths.
func (r *Room) RestoreSeveral(req screen.RestoreSeveral) tea.Cmd {
	return r.restorePaths(draw.Plural(len(req.Paths), "entry", "entries"), req.At, req.Paths...)
}

func (r *Room) restorePaths(what string, at versions.Moment, paths ...memfs.Path) tea.Cmd {
	store := r.store
	what += " as of #" + strconv.FormatInt(at.Change, 10)
	return r.showPlan(plan.Task{Doing: "restore " + what, Did: "restored " + what,
		Goal: vplan.RestoreAt{Moment: at, Paths: paths},
		About: func(ctx context.Context) plan.About {
			c, ok := change(ctx, store, at.Change)
			if !ok {
				return plan.About{When: at.Time}
			}
			return plan.About{When: c.Time, Why: "right after " + name(c) + " by " + actors.Short(c.Actor)}
		}})
}

// Redact shows the preview of a redaction.
func (r *Room) Redact(req screen.Redact) tea.Cmd {
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
	return r.showRedaction(target, name, req.Mask)
}

// RedactVersions is redact for several versions.
func (r *Room) RedactVersions(vs []versions.VersionID) tea.Cmd {
	return r.showRedaction(versions.RedactTarget{Versions: vs}, draw.Plural(len(vs), "version", "versions"), "")
}

// showRedaction shows the screen; nothing is redacted before the user confirms it there.
func (r *Room) showRedaction(target versions.RedactTarget, name, mask string) tea.Cmd {
	pane := redact.New(r.env, r.store, r.by, target, name)
	if mask != "" {
		pane.MaskWith(mask)
	}
	return r.env.Do(screen.Show{Pane: pane})
}

// Merge opens the merge screen.
func (r *Room) Merge(req screen.Merge) tea.Cmd {
	in := merge.Input{Path: req.Path, Clip: r.clip, Theirs: req.Theirs, Mine: req.Mine, MineIs: req.MineIs, Base: req.Base}
	env := r.env
	return func() tea.Msg {
		var p *merge.Pane
		p = merge.New(env, in, func(result []byte) tea.Msg {
			return screen.Then(func() tea.Cmd {
				env.Do(screen.Drop{Pane: p})
				return req.Done(result)
			})
		})
		return screen.Show{Pane: p}
	}
}
