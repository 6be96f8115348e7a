package versions

import (
	"fmt"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/planning"
)

// Goal is what a plan is for: UndoChange, UndoLast, UndoChanges, UndoSession, RedoChange, RedoLast, Restore,
// RestoreAt, Replacement, MergeTexts or Accept.
type Goal interface {
	// String names the goal in error messages.
	String() string
	// collect adds the memories of the goal to a plan, with the states that they get. A goal whose meaning
	// changes as the history grows replaces the planner's goal by what it means now: Apply must do what was shown.
	collect(p *planner) error
}

// Plan is a preview of what reaches a goal, memory by memory. Store.Plan makes it and changes nothing. Apply
// executes it if nothing it depends on has changed since.
type Plan struct {
	Kind    ChangeKind // KindUndo, KindRedo, KindRestore, KindEdit for a replacement, or that of a held change
	Change  int64      // the change that is undone or redone; 0 for several, a session or a restore
	Session SessionID  // the session that is undone
	Moment  Moment     // the moment that is restored
	Path    memfs.Path // for a change, the path it named; else the memory or folder that is restored or searched
	Changes []int64    // the changes that are undone, oldest first

	Clean     []PlanItem // can be done as requested
	Merged    []PlanItem // changed since in other lines; both changes stay
	Conflicts []PlanItem // changed since in the same lines; someone must choose
	Nothing   []PlanItem // already in the requested state
	Others    []Other    // links, folders and files without versions that it restores, moves or removes

	Held    int64        // the held change that is accepted
	Replace *Replacement // set for a replacement
	Skipped []UnreadText // memories that a replacement leaves out, and why

	goal Goal // as the plan found it: of the last change, that change
}

// Place is the path and content of a memory. The zero Place means that the memory doesn't
// exist.
type Place struct {
	Path    memfs.Path
	Version VersionID // a version with the same content; zero if a merge made the content
	SHA256  Hash
	Size    int64
}

// There reports whether the memory exists.
func (p Place) There() bool { return p.SHA256 != (Hash{}) }

// PlanItem is what a plan does to one memory.
type PlanItem struct {
	Memory  MemoryID
	Now     Place // the state the plan found; Apply fails if it has changed
	Then    Place // the state after Apply; the current state for a conflict
	Added   int   // lines
	Removed int
	Text    []byte         // text of a merge or a replacement; nil if it is the text of a version
	Merge   *diff.Merged   // sides: undone, current and earlier text; the last merge if several
	Clash   planning.Clash // why it is a conflict
	Reason  error          // the same as an error: *LaterChangeError or ErrRedacted

	Hits     int              // for a replacement, the number of hits
	Replaced []match.Replaced // the first hits
}

// Empty reports whether the plan has nothing to change, counting conflicts as changes.
func (p *Plan) Empty() bool { return len(p.Clean)+len(p.Merged)+len(p.Conflicts)+len(p.Others) == 0 }

// ConflictsError reports a plan whose conflicts need a decision first. Nothing was
// written.
type ConflictsError struct {
	Doing     string // the requested operation
	Conflicts []PlanItem
}

func (e *ConflictsError) Error() string {
	why := make([]string, 0, 3)
	for _, it := range e.Conflicts[:min(3, len(e.Conflicts))] {
		why = append(why, strings.TrimPrefix(it.Reason.Error(), e.Doing+": "))
	}
	if more := len(e.Conflicts) - len(why); more > 0 {
		why = append(why, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("%s: %s", e.Doing, strings.Join(why, "; "))
}

func (e *ConflictsError) Unwrap() error { return e.Conflicts[0].Reason }

// StalePlanError reports a plan that a later change made obsolete. Nothing was written. A
// new plan takes the change into account.
type StalePlanError struct {
	Doing string
	Path  memfs.Path // the memory that differs from the plan; root if it isn't one of the plan's
}

func (e *StalePlanError) Error() string {
	if e.Path.IsRoot() {
		return e.Doing + ": other memories are concerned than when it was planned"
	}
	return fmt.Sprintf("%s: %s changed since it was planned", e.Doing, e.Path.Tool())
}
