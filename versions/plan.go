package versions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/match"
)

// Plan is what taking changes back, going back to a moment, or replacing a text
// would do, memory by memory. Making one changes nothing; Apply carries it out, if everything it
// rests on is still so.
type Plan struct {
	Kind    ChangeKind // KindUndo, KindRedo, KindRestore, or KindEdit for a replacement
	Change  int64      // the change that is undone or brought back; 0 for several, a session and a restore
	Session SessionID  // the session that is undone
	Moment  Moment     // the moment that is restored
	Path    memfs.Path // where: of a change what it was asked of, else the memory or folder that is restored, or searched
	Changes []int64    // those that are undone, oldest first

	Clean     []PlanItem // can be done as asked
	Merged    []PlanItem // was changed since elsewhere in the text, and both stay
	Conflicts []PlanItem // was changed since in the same place: somebody must choose
	Nothing   []PlanItem // is as asked already

	Replace *Replacement // of a replacement what it was
	Skipped []UnreadText // memories that it leaves out, and why

	goal goal
}

// Place is where a memory stands and what it holds; the zero Place is nowhere.
type Place struct {
	Path    memfs.Path
	Version VersionID // that holds the same content; none when a merge made it
	SHA256  Hash
	Size    int64
}

// There reports whether the memory stands.
func (p Place) There() bool { return p.SHA256 != (Hash{}) }

// PlanItem is what a plan does to one memory.
type PlanItem struct {
	Memory  MemoryID
	Now     Place // as the plan found it; applied only while this is so
	Then    Place // what it becomes; of a conflict, as it is now
	Added   int   // lines
	Removed int
	Text    []byte       // that a merge or a replacement made; none when it is that of a version
	Merge   *diff.Merged // of a merge its sides: what was undone, what is there now, what was there before; of several, the last
	Clash   Clash        // why it is a conflict
	Reason  error        // the same, as *LaterChangeError or ErrRedacted

	Hits     int              // of a replacement, how many places
	Replaced []match.Replaced // the first of them
}

// Clash says why a plan can't do what was asked to a memory.
type Clash string

const (
	ClashNone     Clash = ""
	ClashText     Clash = "text"     // the same lines were changed since
	ClashPath     Clash = "path"     // it was moved elsewhere since
	ClashEdited   Clash = "edited"   // it was created, and changed since; to take that back would lose the change
	ClashDeleted  Clash = "deleted"  // it was deleted since
	ClashRevived  Clash = "revived"  // it was deleted, and something else was made of it since
	ClashTaken    Clash = "taken"    // something else stands at its path
	ClashRedacted Clash = "redacted" // the content that is needed was redacted
)

// ChoiceKind is how somebody decides about a memory of a plan.
type ChoiceKind uint8

const (
	Undecided  ChoiceKind = iota
	Skip                  // leave the memory as it is now, all of it; its changes are not taken for undone
	KeepOurs              // where the two conflict, what is there now
	TakeTheirs            // where the two conflict, what was there before
	OwnText               // a text of the person's own
	SomeHits              // of a replacement, all hits but those of Except
)

// Choice is one decision.
type Choice struct {
	Kind   ChoiceKind
	Text   []byte // of OwnText
	Except []int  // of SomeHits: the hits that stay, by their numbers from 0
}

// Empty reports whether the plan would change nothing, conflicts or not.
func (p *Plan) Empty() bool { return len(p.Clean)+len(p.Merged)+len(p.Conflicts) == 0 }

// ConflictsError is a plan that can't be applied before somebody chooses.
// Nothing was written.
type ConflictsError struct {
	Doing     string // what was asked
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

// StalePlanError is a plan that something overtook. Nothing was written; a new
// plan takes it into account.
type StalePlanError struct {
	Doing string
	Path  memfs.Path // the memory that is no longer what the plan says; root when it is not one of them
}

func (e *StalePlanError) Error() string {
	if e.Path.IsRoot() {
		return e.Doing + ": other memories are concerned than when it was planned"
	}
	return fmt.Sprintf("%s: %s changed since it was planned", e.Doing, e.Path.Tool())
}

// goal is what a plan is made for. With the trail it is all that a plan depends on.
type goal struct {
	change  int64        // undo this
	changes []int64      // or all of these, oldest first
	session SessionID    // or all of this
	version VersionID    // or restore this
	moment  *Moment      // or this
	path    memfs.Path   // what is at or below it
	among   []memfs.Path // and there at or below one of these
	replace *replacing   // or this
}

// holds reports whether a path is one of those that a restore is for.
func (g goal) holds(p memfs.Path) bool {
	return slices.ContainsFunc(g.among, func(at memfs.Path) bool { return p.In(at) })
}

// doing names the goal in messages.
func (g goal) doing() string {
	switch {
	case g.change != 0:
		return fmt.Sprintf("undo change %d", g.change)
	case len(g.changes) > 0:
		return fmt.Sprintf("undo %d changes", len(g.changes))
	case g.session != "":
		return fmt.Sprintf("undo session %s", g.session)
	case g.version != "":
		return fmt.Sprintf("restore version %s", g.version)
	case g.replace != nil:
		return fmt.Sprintf("replace %s", g.replace.Query.Text)
	}
	return fmt.Sprintf("restore %s to change %d", g.path.Tool(), g.moment.Change)
}
