package mcp

import (
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// refusal is a mistake in a call of one of the six tools or in the reading of a resource. It
// contains no path of this machine.
type refusal struct {
	path string // as given
	err  error
}

func (e *refusal) Error() string {
	if e.path == "" {
		return e.err.Error()
	}
	return e.path + ": " + e.err.Error()
}
func (e *refusal) Unwrap() error { return e.err }

// refused words an error of the engine about a path for the model. ok is false if the error is
// a failure of the store.
func refused(path string, err error) (modelErr error, ok bool) {
	var given *refusal
	var named *memfs.PathError
	var conflict *versions.ConflictError
	var limit *versions.LimitError
	var held *versions.HeldError
	var denied *versions.DeniedError
	var unnamed *memfs.UnnamedError
	switch {
	case errors.As(err, &given):
		return given, true
	case errors.As(err, &named):
		return named, true
	case errors.As(err, &unnamed):
		return &refusal{path, unnamed}, true
	case errors.As(err, &conflict):
		return conflicted(path, conflict), true
	case errors.As(err, &held):
		return &refusal{path, errors.New(held.What())}, true
	case errors.As(err, &denied):
		return &refusal{path, errors.New("denied: " + denied.Why)}, true
	case errors.As(err, &limit) && limit.Bytes > 0:
		return &refusal{path, fmt.Errorf("it would have %d bytes; the limit is %d. Keep it shorter, or split it into several memories", limit.Bytes, limit.Limit)}, true
	case errors.As(err, &limit):
		return &refusal{path, fmt.Errorf("the memory store is full; it may hold %d memories. Delete or merge some first", limit.Limit)}, true
	}
	for _, known := range refusals {
		if errors.Is(err, known) {
			return &refusal{path, known}, true
		}
	}
	return err, false
}

// conflicted reports a violated precondition with the current state.
func conflicted(path string, e *versions.ConflictError) error {
	switch {
	case e.Want == versions.Hash{}:
		return &refusal{path, fmt.Errorf("memory_precondition_failed: there is a memory at this path already; its content_sha256 is %s", e.Now)}
	case e.Now == versions.Hash{}:
		return &refusal{path, errors.New("memory_precondition_failed: there is no memory at this path")}
	}
	return &refusal{path, fmt.Errorf("memory_precondition_failed: the memory changed since you read it; its content_sha256 is now %s. Read it again, then decide", e.Now)}
}

var refusals = []error{
	versions.ErrReadOnly, versions.ErrReadingOnly, versions.ErrUnattached, versions.ErrNoMemory, versions.ErrNotUndoable,
	memfs.ErrNotExist, memfs.ErrExist, memfs.ErrNotRegular, memfs.ErrIsFolder, memfs.ErrNotFolder, memfs.ErrIsRoot,
	memfs.ErrLinkOut, memfs.ErrLinkLoop, memfs.ErrUnstable, memfs.ErrTooBig, memfs.ErrNameTooLong, memfs.ErrName, memfs.ErrIntoItself, memfs.ErrControlFile, memfs.ErrNamedOnly,
}
