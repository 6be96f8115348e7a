package versions

import (
	"fmt"
	"io"
	"time"

	"github.com/memtrail/memtrail/memfs"
)

// StoreInfo says which store this is.
type StoreInfo struct {
	ID          StoreID
	Name        string
	Description string
	Folder      string // on this machine
	Created     time.Time
	LastUsed    time.Time
}

// Pre is a precondition of a write, checked and held in one step with it.
// The zero Pre asks for nothing.
type Pre struct {
	Absent bool // nothing may stand at the path
	SHA256 Hash // the memory must hold exactly this; the zero Hash asks for nothing
}

// File is an open file, read by ranges. What another program does to the file
// meanwhile shows in what is read.
type File interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// Filter chooses changes. Zero fields choose all.
type Filter struct {
	Session SessionID
	Actor   ActorKind
	Kind    ChangeKind
	In      memfs.Path // this memory's path, or below this folder
	Since   time.Time
	Until   time.Time
}

// SyncReport counts what a scan saw.
type SyncReport struct {
	Files   int // regular files looked at
	Read    int // of these, read because they looked changed
	Adopted int // versions made
}

// ConflictError is a refused precondition. Nothing was written.
type ConflictError struct {
	Path memfs.Path
	Want Hash // what the caller took for current; zero when it wanted the path free
	Now  Hash // what is there; zero when nothing is
}

func (e *ConflictError) Error() string {
	switch {
	case e.Want == (Hash{}):
		return fmt.Sprintf("%s: already exists", e.Path.Tool())
	case e.Now == (Hash{}):
		return fmt.Sprintf("%s: was deleted since it was read", e.Path.Tool())
	}
	return fmt.Sprintf("%s: changed since it was read", e.Path.Tool())
}
