package deciding

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/review"
)

var errUndone = errors.New("undone already")

// back undoes a part of a decision. It returns the change that does so, if one does, or errUndone.
type back = func(context.Context) (versions.Change, error)

func unmarking(store Store, marks review.Marks) back {
	return func(ctx context.Context) (none versions.Change, _ error) { return none, store.Unmark(ctx, marks) }
}

func undoing(store Store, by versions.By, changes plan.UndoChanges) back {
	return func(ctx context.Context) (versions.Change, error) {
		c, err := store.Do(ctx, by, changes)
		if len(changes) == 1 && errors.Is(err, versions.ErrUndone) {
			err = errUndone
		}
		var later *versions.LaterChangeError
		var conflicts *versions.ConflictsError
		if errors.As(err, &later) || errors.As(err, &conflicts) {
			err = &conflictError{changes, err}
		}
		return c, err
	}
}

// conflictError means that changes were not undone, because later ones conflict with them: the person decides in a plan.
type conflictError struct {
	changes plan.UndoChanges
	error
}

// UndoDecision undoes the newest decision; it returns false if there is none. One that can't be undone now stays the newest.
func (r *Room) UndoDecision() (tea.Cmd, bool) {
	at := len(r.taken) - 1
	switch {
	case r.writing > 0:
		return r.env.Do(screen.Notice{Text: "your decision is being written", Bad: true}), true
	case at < 0:
		return nil, false
	}
	last := r.taken[at]
	switch {
	case len(last.back) == 0:
		r.taken, r.final = r.taken[:at], last.after
		for i := range r.taken {
			r.taken[i].ask = true
		}
		return r.env.Do(screen.Notice{Text: last.what + ": " + last.but, Bad: true}), true
	case last.ask:
		return r.env.Do(screen.Choose{
			Title: "undo", Text: "What you did last can't be undone. Before it: " + last.what + ". Undo that?", Fresh: true,
			Options: []screen.Option{
				{Key: "y", Label: "undo it", Then: func() tea.Cmd { r.taken[at].ask = false; cmd, _ := r.UndoDecision(); return cmd }},
				{Key: "n", Label: "leave it"},
			},
		}), true
	}
	store := r.store
	r.writing++
	return r.env.Do(screen.Work{
		Doing: "undo your decision: " + last.what, Keeps: true,
		Do: func(ctx context.Context) (tea.Msg, error) {
			t := undone{newest: newest(context.WithoutCancel(ctx), store), already: true}
			for _, back := range slices.Backward(last.back) {
				t.try(ctx, back)
			}
			return screen.Then(func() tea.Cmd { return r.undid(at, t) }), nil
		},
	}), true
}

// RedoDecision makes the decision again that was undone last, unless the person changed something after that.
func (r *Room) RedoDecision() tea.Cmd {
	ctx, store, me, after := r.env.Ctx, r.store, r.by.Actor, int64(0)
	if n := len(r.undone); n > 0 {
		after = r.undone[n-1].after
	}
	return screen.Run(func() bool { return changed(ctx, store, me, after) }, func(changed bool) tea.Cmd {
		if changed {
			r.undone = nil
		}
		n := len(r.undone) - 1
		if n < 0 {
			return r.env.Do(screen.Notice{Text: "nothing to redo: you undid nothing since your last change or decision", Bad: true})
		}
		last := r.undone[n]
		r.undone = r.undone[:n]
		return last.again()
	})
}

// changed reports whether a person changed something after a change, and did not only undo and redo.
func changed(ctx context.Context, store Store, me versions.Actor, after int64) bool {
	list, err := store.Changes(ctx, versions.Filter{}, 0, maxAfter)
	return err != nil || slices.ContainsFunc(list, func(c versions.Change) bool {
		return c.Number > after && c.Actor == me && c.Kind != versions.KindUndo && c.Kind != versions.KindRedo
	})
}

// maxAfter is how many changes are read to find what a person changed since an undo.
const maxAfter = 1000

// undone is what became of the parts of a decision that is undone.
type undone struct {
	left    []back           // may succeed later
	planned plan.UndoChanges // conflict with later changes
	already bool             // all of it had been undone
	changed bool             // it can be redone like any undo of a change
	newest  int64            // the newest change before
	failed  error
}

func (t *undone) try(ctx context.Context, back back) {
	c, err := back(ctx)
	t.changed = t.changed || c.Number > 0
	if errors.Is(err, errUndone) {
		return
	}
	t.already = false
	conflict := (*conflictError)(nil)
	switch {
	case err == nil:
		return
	case errors.As(err, &conflict):
		t.planned = append(t.planned, conflict.changes...)
	case errors.Is(err, versions.ErrRedacted), errors.Is(err, versions.ErrUndone), errors.Is(err, versions.ErrNoMemory), errors.Is(err, versions.ErrNoChange):
		t.failed = errors.Join(t.failed, err)
		return
	default:
		t.failed = errors.Join(t.failed, err)
	}
	t.left = slices.Insert(t.left, 0, back)
}

// undid says what was undone of the decision at an index, and keeps what is left of it. What conflicts is decided in a plan.
func (r *Room) undid(at int, t undone) tea.Cmd {
	r.writing--
	last := &r.taken[at]
	then, shown := last.then, last.planned
	last.planned = len(t.planned) > 0
	text := "undid your decision: " + last.what
	switch {
	case t.failed != nil:
		text = "undo your decision: " + last.what + ": " + wording.Why(t.failed)
		if len(t.left) == 0 {
			text += ": it can never be undone"
		}
	case t.already:
		text = "your decision was undone already: " + last.what
	}
	if last.but != "" && t.failed == nil {
		text += "; " + last.but
	}
	if last.back = t.left; len(t.left) == 0 {
		if last.unsee != nil && t.failed == nil {
			last.unsee()
		}
		if t.failed == nil && !t.changed && !t.already && last.again != nil {
			r.undone = append(r.undone, decision{after: t.newest, again: last.again})
		}
		r.taken = slices.Delete(r.taken, at, at+1)
	}
	switch {
	case t.already && shown: // in its plan
		return r.env.Do(screen.Undo{})
	case len(t.planned) == 0 || t.failed != nil:
		r.env.Do(screen.Notice{Text: text, Bad: t.failed != nil})
	case len(t.planned) == 1:
		r.env.Do(screen.Undo{Change: t.planned[0]})
	default:
		r.env.Do(screen.UndoChanges{Changes: t.planned})
	}
	r.env.Do(screen.ReviewChanged{})
	return call(then)
}
