package versions

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
)

// AlikeError refuses a new path that people can't tell from an existing one: macOS composes
// letters in another way than most editors and models do, and a model often changes the case
// of a name that it remembers.
type AlikeError struct {
	Path   memfs.Path // the refused one
	Exists memfs.Path // the memory, or the folder above it, that looks alike
}

func (e *AlikeError) Error() string { return fmt.Sprintf("create %s: %s", e.Path.Tool(), e.Why()) }

// Why is the error without the operation and the path.
func (e *AlikeError) Why() string {
	return e.Exists.Tool() + " exists, and its name differs only by case or Unicode form"
}

// Unwrap makes errors.Is(err, memfs.ErrExist) true.
func (e *AlikeError) Unwrap() error { return memfs.ErrExist }

// ErrSameStore means that a copy or move between stores names one store twice.
var ErrSameStore = errors.New("both are the same store")

// Transfer is a memory, or a folder of memories, and its path in another store.
type Transfer struct{ From, To memfs.Path }

// OriginalError means that a move or merge between stores wrote the text to one store, and then could not delete the
// original in the other.
type OriginalError struct {
	What   string // what was written: "copy" or "merged text"
	Store  string // where it stands
	Path   memfs.Path
	Change int64 // that wrote it; 0 if it was there already
	From   string
	Left   memfs.Path // the original, in From
	Err    error
}

func (e *OriginalError) Error() string {
	by := ""
	if e.Change > 0 {
		by = fmt.Sprintf(" (change %d)", e.Change)
	}
	return fmt.Sprintf("store %s has the %s %s%s, but the original %s is still in store %s: %v", e.Store, e.What, e.Path.Tool(), by, e.Left.Tool(), e.From, e.Err)
}

func (e *OriginalError) Unwrap() error { return e.Err }

// MemoryUpdate is an update of a memory. A nil field leaves its value unchanged.
type MemoryUpdate struct {
	Content *[]byte
	Path    *memfs.Path
	SHA256  *Hash // the precondition: the hash of the current content
}

// LinkChange is what another program did to a link: it may change what an agent reads at its path.
type LinkChange struct {
	Path     memfs.Path
	Was, Now string // its targets; empty if there was, or is, no link
}

// MergeText is the text that a memory has elsewhere, and that a merge takes over.
type MergeText struct {
	Path memfs.Path
	Text []byte
}

// Other is what a plan does to a link, a folder, or a file that has no versions. The root as From means
// that it is created, and as To that it is removed.
type Other struct {
	Kind     memfs.Kind
	From, To memfs.Path
}

// OtherError reports a plan that can't restore a link, a folder or a file without versions. Nothing was
// written.
type OtherError struct {
	Doing string
	Path  memfs.Path
	Err   error // memfs.ErrExist: something else is there; memfs.ErrNotExist: it was moved or removed since
}

func (e *OtherError) Error() string {
	if errors.Is(e.Err, memfs.ErrExist) {
		return fmt.Sprintf("%s: restore %s: something else is there now", e.Doing, e.Path.Tool())
	}
	return fmt.Sprintf("%s: %s was moved, changed or removed since", e.Doing, e.Path.Tool())
}

// Unwrap returns the cause of e.
func (e *OtherError) Unwrap() error { return e.Err }

// TakenError reports that a memory can't be at a path because something is at that path,
// above it or below it. Nothing was written.
type TakenError struct {
	Path   memfs.Path // what is in the way
	Memory MemoryID   // its id; empty if it isn't a memory
}

func (e *TakenError) Error() string { return fmt.Sprintf("%s: %v", e.Path.Tool(), memfs.ErrExist) }
func (e *TakenError) Unwrap() error { return memfs.ErrExist }

// Edit is a new text for the memory at Path, if it still has the content Was.
type Edit struct {
	Path memfs.Path
	Was  Hash
	Text []byte
}

// Common returns the path itself, or the deepest folder that contains all of them.
func Common(paths []memfs.Path) memfs.Path {
	if len(paths) == 0 {
		return memfs.Root
	}
	c := paths[0]
	for _, p := range paths[1:] {
		for !p.In(c) {
			c = c.Dir()
		}
	}
	return c
}

// Key returns a path in the form that the trail's tables store.
func Key(p memfs.Path) string { return p.String()[1:] }

// ComparePaths orders paths as the tables do.
func ComparePaths(a, b memfs.Path) int { return cmp.Compare(Key(a), Key(b)) }

// ErrSameMemory means that a merge names one memory twice.
var ErrSameMemory = errors.New("both are the same memory")

// Merging is one of two memories that are merged: where it is, and the content that was merged.
type Merging struct {
	Store  StoreID
	Path   memfs.Path
	SHA256 Hash // the precondition: the memory still has this content
}

// ErrNotUndoable means that an undo could not bring back what a mutation would destroy. Nothing was
// written.
var ErrNotUndoable = errors.New("an undo could not bring it back")
