package versions

import (
	"fmt"

	"github.com/memend/memend/memfs"
)

// Defaults of a store's limits. The first two are those of the memory-stores API (content
// of 0 to 102,400 bytes, at most 10,000 memories). Views are not cut by default, as in the
// memory tool's protocol.
const (
	DefaultBytes     = 102_400
	DefaultMemories  = 10_000
	DefaultViewChars = NoLimit
)

// NoLimit switches a limit off. What memend writes must still be smaller than the largest
// file that is versioned (DefaultMaxBytes).
const NoLimit = -1

// Limits bound what anyone writes into a store through memend, and what one view shows. A
// zero field means the default, and NoLimit no limit.
//
// They only stop growth: a memory over the limit may be made smaller, Restore and Undo may
// bring back earlier contents, and what other programs wrote is adopted unchanged.
type Limits struct {
	Bytes     int64 // maximum size of one memory
	Memories  int64 // maximum number of memories in the store
	ViewChars int64 // maximum size of one view by the memory tool
}

// Effective returns l with defaults for its zero fields.
func (l Limits) Effective() Limits {
	for _, f := range []struct {
		field *int64
		def   int64
	}{{&l.Bytes, DefaultBytes}, {&l.Memories, DefaultMemories}, {&l.ViewChars, DefaultViewChars}} {
		if *f.field == 0 {
			*f.field = f.def
		}
	}
	return l
}

// LimitError reports a write that exceeds a limit of the store. Nothing was written.
type LimitError struct {
	Store string
	Path  memfs.Path
	Bytes int64 // the size the memory would have; 0 if the store has too many memories
	Limit int64
}

func (e *LimitError) Error() string {
	if e.Bytes > 0 {
		return fmt.Sprintf("write %s: it would have %d bytes, and a memory of store %s may have %d", e.Path.Tool(), e.Bytes, e.Store, e.Limit)
	}
	return fmt.Sprintf("create %s: store %s is full: it may hold %d memories", e.Path.Tool(), e.Store, e.Limit)
}

// Result words the error for the model.
func (e *LimitError) Result(c memfs.Command) memfs.Result {
	if e.Bytes > 0 {
		return memfs.TooLong(c, e.Bytes, e.Limit)
	}
	return memfs.Full(c, e.Limit)
}

// TooBigError reports that a mutation would replace or delete a file that is too large to be
// versioned: no undo could bring it back. Nothing was written.
type TooBigError struct {
	Path  memfs.Path
	Limit int64
}

func (e *TooBigError) Error() string {
	return e.Path.Tool() + ": " + e.Why()
}

// Why is the error without its path.
func (e *TooBigError) Why() string {
	return fmt.Sprintf("it is over %s and has no version: %v", SizeText(e.Limit), ErrNotUndoable)
}

// SizeText words a limit for people.
func SizeText(n int64) string {
	if n < 1<<20 {
		return fmt.Sprint(n, " bytes")
	}
	return fmt.Sprint(n>>20, " MiB")
}

// Unwrap returns the causes of e.
func (e *TooBigError) Unwrap() []error { return []error{memfs.ErrTooBig, ErrNotUndoable} }
