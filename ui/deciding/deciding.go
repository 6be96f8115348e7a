// Package deciding applies what a person decides about the changes of others, and undoes it.
//
// The room keeps the decisions of this sitting, newest last. Undo, without a change, undoes whatever the person did last: a
// decision, or a change of their own. It asks before it undoes a change of an earlier sitting. Redo, without a change, redoes
// what was undone last, until the person decides or changes something else.
package deciding

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/review"
)

// Store is the part of a store that decisions use.
type Store interface {
	Pending(ctx context.Context, m versions.MemoryID, me versions.Actor) (review.Pending, error)
	Keep(ctx context.Context, me versions.Actor, p review.Pending, was review.Side) (before review.Marks, err error)
	UndoHunks(ctx context.Context, by versions.By, p review.Pending, without review.Side) (c versions.Change, before review.Marks, err error)
	MarkReviewed(ctx context.Context, upTo map[versions.MemoryID]int64) (before review.Marks, err error)
	MarkAllReviewed(ctx context.Context, change int64) (before review.Marks, err error)
	Unmark(ctx context.Context, before review.Marks) error
	Do(ctx context.Context, by versions.By, g plan.Goal) (versions.Change, error)
	Changes(ctx context.Context, f versions.Filter, before int64, limit int) ([]versions.Change, error)
}

// Tree shows what is reviewed, at once.
type Tree interface {
	// See marks memories as reviewed, each up to a change; SeeAll all of them, and returns up to which change, and which were to be
	// reviewed. The functions undo that. Saved reports that the store has these marks.
	See(upTo map[versions.MemoryID]int64) (unsee func())
	SeeAll() (upTo int64, changed map[versions.MemoryID]int64, unsee func())
	Saved(upTo map[versions.MemoryID]int64)
	// Changed returns how many memories are to be reviewed.
	Changed() int
}

// Room applies decisions.
type Room struct {
	env     screen.Env
	store   Store
	tree    Tree
	by      versions.By
	began   int64 // the newest change when the sitting began; -1 until it is known
	taken   []decision
	undone  []decision // whose undo made no change that could be redone, the last one last
	redoes  int64      // undos after this change can be redone: no decision was made after them
	final   int64      // the newest change when the last decision was made that can't be undone, and was to be undone
	writing int        // decisions that are being written
}

// decision is one that can be undone.
type decision struct {
	what  string
	after int64          // the newest change of the store then
	undo  bool           // it undid changes: a redo can redo them
	but   string         // what of it can't be undone; may be empty
	back  []back         // empty: nothing of it can
	then  func() tea.Cmd // is called once it is undone; may be nil
	unsee func()         // undoes it in the tree; may be nil
	again func() tea.Cmd // makes it again; may be nil

	redone  bool // it was made again
	planned bool // the plan that undoes it was shown: it may have been applied
	ask     bool // before it is undone: one that can't be undone came after it
}

// New returns a room without decisions.
func New(env screen.Env, store Store, t Tree, by versions.By) *Room {
	return &Room{env: env, store: store, tree: t, by: by, began: -1}
}

// Began notes the newest change of the store, once: what is older is of an earlier sitting.
func (r *Room) Began(change int64) {
	if r.began < 0 {
		r.began = change
	}
}

// After returns the change after which the person decided nothing: their own changes after it are newer than any decision. It
// fails while a decision is being written.
func (r *Room) After() (change int64, ok bool) {
	change = max(r.began, 0)
	if n := len(r.taken); n > 0 {
		change = max(change, r.taken[n-1].after)
	}
	return change, r.writing == 0
}

// Final returns the change up to which a person's changes are older than a decision that could not be undone.
func (r *Room) Final() int64 { return r.final }

// RedoAfter returns the change after which the undo of a change is newer than any decision, and than the undo of one without a
// change. It fails while a decision is being written.
func (r *Room) RedoAfter() (change int64, ok bool) {
	change = r.redoes
	if n := len(r.undone); n > 0 {
		change = max(change, r.undone[n-1].after)
	}
	return change, r.writing == 0
}

// Keep marks what was shown as reviewed.
func (r *Room) Keep(req Keep) tea.Cmd { return r.keep(req, false) }

func (r *Room) keep(req Keep, redone bool) tea.Cmd {
	store, me := r.store, r.by.Actor
	o := decision{then: req.Undone, again: func() tea.Cmd { return r.keep(req, true) }, redone: redone}
	return r.decide(deed{verb: "keep", did: "kept"}, req.Parts, o, req.Done, func(ctx context.Context, of review.Pending, to sides) (back, error) {
		marks, err := store.Keep(ctx, me, of, to.kept)
		return unmarking(store, marks), err
	})
}

// UndoHunks undoes what was shown, by new versions.
func (r *Room) UndoHunks(req UndoHunks) tea.Cmd { return r.undoHunks(req, false) }

func (r *Room) undoHunks(req UndoHunks, redone bool) tea.Cmd {
	store, by, d := r.store, r.by, deed{verb: "undo", did: "undid"}
	if !slices.ContainsFunc(req.Parts, func(p Part) bool { return !p.Of.ChangedBack() }) {
		d.did, d.but = "kept", "there was nothing to undo"
	}
	o := decision{then: req.Undone, again: func() tea.Cmd { return r.undoHunks(req, true) }, redone: redone}
	return r.decide(d, req.Parts, o, req.Done, func(ctx context.Context, of review.Pending, to sides) (back, error) {
		made, marks, err := store.UndoHunks(ctx, by, of, to.undone)
		if made.Number == 0 {
			return unmarking(store, marks), err
		}
		return undoing(store, by, plan.UndoChanges{made.Number}), err
	})
}

type sides struct{ kept, undone review.Side }

// outcome is what became of a decision about several memories.
type outcome struct {
	decision
	parts     []Part
	all       map[versions.MemoryID]int64 // memories of which nothing is left to decide, each up to the change that was shown
	stale     []Part                      // that changed since they were shown
	elsewhere []Part                      // of which hunks were decided elsewhere since they were shown
	failed    error
}

// deed names a decision: to keep, kept, and what is said of it besides.
type deed struct{ verb, did, but string }

// done says what was decided about a part.
func (d deed) done(p Part) string {
	if p.What == "" || p.What == creation && d.did == "kept" {
		return d.did + " " + p.Path.String()
	}
	return d.did + " " + p.What + " of " + p.Path.String()
}

// decide decides about memories, one after the other.
func (r *Room) decide(d deed, parts []Part, as decision, done func(stale []Part) tea.Cmd, one func(context.Context, review.Pending, sides) (back, error)) tea.Cmd {
	store, me := r.store, r.by.Actor
	r.writing++
	o := outcome{parts: parts, decision: as, all: map[versions.MemoryID]int64{}}
	return r.env.Do(screen.Work{
		Doing: d.verb + " " + draw.Plural(len(parts), "memory", "memories"), Keeps: true,
		Do: func(ctx context.Context) (tea.Msg, error) {
			for _, p := range parts {
				if as.redone { // what was undone since made versions of the same texts
					if of, err := store.Pending(ctx, p.Of.Memory, me); err == nil && of.Now.Same(p.Of.Now) && of.Was.Same(p.Of.Was) {
						p.Of = of
					}
				}
				if o.failed = o.add(ctx, p, one); o.failed != nil {
					o.failed = fmt.Errorf("%s %s: %s", d.verb, p.Path, wording.Why(o.failed))
					break
				}
			}
			o.after = newest(context.WithoutCancel(ctx), store)
			return screen.Then(func() tea.Cmd { return r.decided(d, o, done) }), nil
		},
	})
}

// add decides about one memory.
func (o *outcome) add(ctx context.Context, p Part, one func(context.Context, review.Pending, sides) (back, error)) error {
	to := sides{p.Of.Now, p.Of.Was}
	if p.Sides != nil {
		to.kept, to.undone = p.Sides()
	}
	back, err := one(ctx, p.Of, to)
	switch {
	case errors.Is(err, review.ErrDecidedElsewhere):
		o.elsewhere = append(o.elsewhere, p)
		return nil
	case errors.Is(err, review.ErrShownBefore):
		o.stale = append(o.stale, p)
		return nil
	case err != nil:
		return err
	}
	o.back = append(o.back, back)
	if to.kept.Same(p.Of.Now) || to.undone.Same(p.Of.Was) {
		o.all[p.Of.Memory] = p.Of.Change
	}
	return nil
}

// newest returns the newest change of the store; 0 if it can't be read.
func newest(ctx context.Context, store Store) int64 {
	list, err := store.Changes(ctx, versions.Filter{}, 0, 1)
	if err != nil || len(list) == 0 {
		return 0
	}
	return list[0].Number
}

// decided says what was decided.
func (r *Room) decided(d deed, o outcome, done func(stale []Part) tea.Cmd) tea.Cmd {
	r.writing--
	var said []string
	switch n := len(o.back); {
	case n == 1 && len(o.parts) == 1:
		o.what = d.done(o.parts[0])
	case n > 0:
		o.what = d.did + " " + draw.Plural(n, "memory", "memories")
	}
	if o.what != "" {
		o.unsee = r.tree.See(o.all) // at once, so that the next memory to review is another one
		r.tree.Saved(o.all)
		r.add(o.decision)
		if said = append(said, r.undoable(o.what)); d.but != "" {
			said = append(said, d.but)
		}
	}
	if len(o.stale) > 0 {
		said = append(said, pathsOf(o.stale)+" changed since it was shown: shown again")
	}
	if len(o.elsewhere) > 0 {
		said = append(said, "hunks of "+pathsOf(o.elsewhere)+" were decided elsewhere meanwhile")
	}
	if o.failed != nil {
		said = append(said, o.failed.Error())
	}
	r.env.Do(screen.Notice{Text: strings.Join(said, "; "), Bad: len(o.stale)+len(o.elsewhere) > 0 || o.failed != nil})
	r.env.Do(screen.Reviewed{})
	r.env.Do(screen.ReviewChanged{})
	if done == nil {
		return nil
	}
	return done(o.stale)
}

func pathsOf(parts []Part) string {
	var paths []string
	for _, p := range parts {
		paths = append(paths, p.Path.String())
	}
	return strings.Join(paths, ", ")
}

// add notes a decision. Nothing that was undone before can be redone after it, unless it was redone itself.
func (r *Room) add(d decision) {
	r.taken = append(r.taken, d)
	if d.redone {
		return
	}
	r.undone = nil
	if !d.undo {
		r.redoes = max(r.redoes, d.after)
	}
}

// undoable adds to a decision how to undo it, and whether it was the last one.
func (r *Room) undoable(what string) string {
	what += " · " + r.env.Hint("global.undo") + " undoes that"
	if r.tree.Changed() == 0 {
		what += " · nothing more to review"
	}
	return what
}

func call(do func() tea.Cmd) tea.Cmd {
	if do == nil {
		return nil
	}
	return do()
}

// MarkReviewed marks memories as reviewed, each up to a change.
func (r *Room) MarkReviewed(req screen.MarkReviewed) tea.Cmd { return r.markReviewed(req, false) }

func (r *Room) markReviewed(req screen.MarkReviewed, redone bool) tea.Cmd {
	if len(req.UpTo) == 0 {
		return nil
	}
	store := r.store
	unsee := r.tree.See(req.UpTo)
	r.env.Do(screen.Notice{Text: r.undoable(req.What)})
	d := decision{what: req.What, unsee: unsee, again: func() tea.Cmd { return r.markReviewed(req, true) }, redone: redone}
	return r.mark(d, req.UpTo, func(ctx context.Context) (review.Marks, error) { return store.MarkReviewed(ctx, req.UpTo) })
}

// MarkAllReviewed marks everything as reviewed.
func (r *Room) MarkAllReviewed() tea.Cmd {
	upTo, changed, unsee := r.tree.SeeAll()
	if len(changed) == 0 {
		return r.env.Do(screen.Notice{Text: "nothing to review"})
	}
	store := r.store
	what := "kept all that was to be reviewed: " + draw.Plural(len(changed), "memory", "memories")
	r.env.Do(screen.Notice{Text: what + " · " + r.env.Hint("global.undo") + " undoes that"})
	again := func() tea.Cmd { return r.markReviewed(screen.MarkReviewed{UpTo: changed, What: what}, true) }
	return r.mark(decision{what: what, unsee: unsee, again: again}, changed, func(ctx context.Context) (review.Marks, error) { return store.MarkAllReviewed(ctx, upTo) })
}

// mark writes marks that the tree shows already.
func (r *Room) mark(d decision, upTo map[versions.MemoryID]int64, write func(context.Context) (review.Marks, error)) tea.Cmd {
	ctx, store := r.env.Ctx, r.store
	r.writing++
	r.env.Do(screen.Reviewed{})
	return screen.Run(func() error {
		marks, err := write(ctx)
		if err == nil {
			d.back = append(d.back, unmarking(store, marks))
		}
		d.after = newest(ctx, store)
		return err
	}, func(err error) tea.Cmd {
		r.writing--
		if len(d.back) > 0 { // what it changed can be undone, whether it is marked or not
			r.add(d)
		}
		if err != nil { // it is tried again when the store is left
			return r.env.Do(screen.Notice{Text: "review state not saved: " + err.Error(), Bad: true})
		}
		r.tree.Saved(upTo)
		return nil
	})
}

// Took notes a decision that a pane applied itself.
func (r *Room) Took(d Took) tea.Cmd {
	made := decision{what: d.What, but: d.But, undo: d.Undo, then: d.Undone}
	made.after, _ = r.After()
	if d.Before != nil {
		made.back = append(made.back, unmarking(r.store, *d.Before))
	}
	if len(d.Changes) > 0 {
		made.after = max(made.after, slices.Max(d.Changes))
		made.back = append(made.back, undoing(r.store, r.by, d.Changes))
	}
	switch {
	case len(d.Changes) > 0:
		r.add(made)
	case made.what != "":
		ctx, store := r.env.Ctx, r.store
		r.writing++
		return screen.Run(func() int64 { return newest(ctx, store) }, func(change int64) tea.Cmd {
			r.writing--
			made.after = max(made.after, change)
			r.add(made)
			return nil
		})
	}
	return nil
}
