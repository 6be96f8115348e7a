package plan

import (
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// Goal is what a plan is for: UndoChange, UndoLast, UndoChanges, UndoSession, UndoHunks, RedoChange, RedoLast, Restore,
// RestoreAt, Replacement, MergeTexts or Accept.
type Goal interface {
	// String names the goal in error messages.
	String() string
	// collect adds the memories of the goal to a plan, with the states that they get. A goal whose meaning
	// changes as the history grows replaces the planner's goal by what it means now: Apply must do what was shown.
	collect(p *Planner) error
}

// Plan is a preview of what reaches a goal, memory by memory. Store.Plan makes it and changes nothing. Apply
// executes it if nothing it depends on has changed since.
type Plan struct {
	Kind    versions.ChangeKind // KindUndo, KindRedo, KindRestore, KindEdit for a replacement, or that of a held change
	Change  int64               // the change that is undone or redone; 0 for several, a session or a restore
	Session versions.SessionID  // the session that is undone
	Moment  versions.Moment     // the moment that is restored
	Path    memfs.Path          // for a change, the path it named; else the memory or folder that is restored or searched
	Changes []int64             // the changes that are undone, oldest first

	Clean     []versions.PlanItem // can be done as requested
	Merged    []versions.PlanItem // changed since in other lines; both changes stay
	Conflicts []versions.PlanItem // changed since in the same lines; someone must choose
	Nothing   []versions.PlanItem // already in the requested state
	Others    []versions.Other    // links, folders and files without versions that it restores, moves or removes

	Held    int64                 // the held change that is accepted
	Replace *Replacement          // set for a replacement
	Skipped []versions.UnreadText // memories that a replacement leaves out, and why

	Goal Goal // as the plan found it: of the last change, that change
}

// Restores reports whether what does not exist now was there before: the plan is of an undo, a redo or a restore that nobody holds.
func (p *Plan) Restores() bool {
	return p.Held == 0 && (p.Kind == versions.KindUndo || p.Kind == versions.KindRedo || p.Kind == versions.KindRestore || p.Kind == versions.KindUndoHunks)
}

// Empty reports whether the plan has nothing to change, counting conflicts as changes.
func (p *Plan) Empty() bool { return len(p.Clean)+len(p.Merged)+len(p.Conflicts)+len(p.Others) == 0 }
