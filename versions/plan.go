package versions

import (
	"errors"
	"fmt"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/planning"
)

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

// ConflictsError reports a plan whose conflicts need a decision first. Nothing was
// written.
type ConflictsError struct {
	Doing     string // the requested operation
	Conflicts []PlanItem
	Rest      bool // the plan does more than what conflicts
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

// String returns the actor's name for messages.
func (a Actor) String() string {
	if a.Name == "" {
		return string(a.Kind)
	}
	return a.Name
}

// Reasons why a replacement leaves out a memory.
var (
	ErrNotText   = errors.New("it is not UTF-8 text")
	ErrProtected = errors.New("the file or its folder is read-only")
)
