package deciding

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/review"
)

// Requests to the root about decisions. They are here, so that package screen does not depend on the engine.
type (
	// Keep marks what was shown as reviewed, UndoHunks undoes it, by new versions. What changed since it was shown stays to
	// be decided.
	Keep struct {
		Parts []Part
		After
	}
	UndoHunks struct {
		Parts []Part
		After
	}
	// Took reports a decision that a pane applied itself. Undo undoes the changes, and the reviews. But says what it
	// can't undo, or why it can undo nothing.
	Took struct {
		What, But string
		Changes   []int64
		Before    *review.Marks // the reviews before it; nil if it changed none
		Undo      bool          // the changes are an undo: it can be redone too
		Undone    func() tea.Cmd
	}
)

// Part is what of a memory a person decides about.
type Part struct {
	Path memfs.Path
	What string         // "1 hunk"; empty if it is just the memory
	Of   review.Pending // as it was shown
	// Sides returns what is reviewed of the memory if the part is kept, and the memory if it is undone; nil stands for all that
	// is to be decided. It may compare texts.
	Sides func() (kept, undone review.Side)
}

// Whole is all that is to be decided of a memory.
func Whole(of review.Pending, hunks []review.Hunk) Part {
	p := Part{Path: of.Path(), Of: of, What: draw.Plural(len(hunks), "hunk", "hunks")}
	if len(hunks) == 1 && hunks[0].Kind != review.Edited {
		p.What = map[review.HunkKind]string{review.Created: creation, review.Deleted: "the deletion", review.Renamed: "the rename"}[hunks[0].Kind]
	}
	return p
}

const creation = "the creation"

// Lines are the sides of a Part that is some lines of a memory's edits.
func Lines(of *review.Pending, parts ...diff.Part) func() (kept, undone review.Side) {
	return func() (kept, undone review.Side) { return of.WithLines(parts...), of.WithoutLines(parts...) }
}

// After is what follows a decision: Done at its end, Undone once it is undone. Both may be nil.
type After struct {
	Done   func(stale []Part) tea.Cmd // with what changed since it was shown: it was not decided
	Undone func() tea.Cmd
}

// Root performs these requests; the root of the screens is one.
type Root interface {
	Keep(Keep) tea.Cmd
	UndoHunks(UndoHunks) tea.Cmd
	Took(Took) tea.Cmd
}

func (r Keep) Perform(root screen.Root) tea.Cmd      { return root.(Root).Keep(r) }
func (r UndoHunks) Perform(root screen.Root) tea.Cmd { return root.(Root).UndoHunks(r) }
func (r Took) Perform(root screen.Root) tea.Cmd      { return root.(Root).Took(r) }

// Writes marks a request that changes the store.
func (UndoHunks) Writes() {}
