package storesapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"syscall"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// The API's error types.
const (
	invalidRequest      = "invalid_request_error"
	authenticationError = "authentication_error"
	permissionError     = "permission_error"
	notFound            = "not_found_error"
	pathConflict        = "memory_path_conflict_error"
	preconditionFailed  = "memory_precondition_failed_error"
	conflictError       = "conflict_error"
	requestTooLarge     = "request_too_large"
	apiError            = "api_error"
)

// failure is an error response.
type failure struct {
	status  int
	kind    string
	message string
	blocker *versions.TakenError // of a path conflict
	final   bool                 // a retry can't succeed
}

func (f *failure) Error() string { return f.message }

// closing answers what a server that closes does not do any more.
var closing = &failure{status: http.StatusServiceUnavailable, kind: apiError, message: "the server is closing; nothing was written, try again"}

// invalid returns a failure with status 400.
func invalid(format string, args ...any) error {
	return &failure{status: http.StatusBadRequest, kind: invalidRequest, message: fmt.Sprintf(format, args...)}
}

// failureOf converts an error of the engine.
func failureOf(err error) *failure {
	var known *failure
	var taken *versions.TakenError
	var conflict *versions.ConflictError
	var limit *versions.LimitError
	var path *memfs.PathError
	var folder *versions.FolderError
	var upstream *versions.UpstreamError
	var held *versions.HeldError
	var denied *versions.DeniedError
	var unnamed *memfs.UnnamedError
	bad := func(message string) *failure {
		return &failure{status: http.StatusBadRequest, kind: invalidRequest, message: message}
	}
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &taken):
		f := &failure{status: http.StatusConflict, kind: pathConflict, blocker: taken, message: "path is used by " + string(taken.Memory)}
		if taken.Memory == "" {
			f.message = "something that is no memory is in the way at " + taken.Path.String()
		}
		return f
	case errors.As(err, &conflict):
		return &failure{status: http.StatusConflict, kind: preconditionFailed, message: "content has changed"}
	case errors.As(err, &folder): // before the error that it wraps
		return &failure{status: http.StatusInternalServerError, kind: apiError, message: "the store's folder can't be used: " + plainCause(err), final: true}
	case errors.As(err, &path):
		return bad(path.Error())
	case errors.As(err, &limit):
		return bad(limit.Error())
	case errors.Is(err, versions.ErrInvalid), errors.Is(err, memfs.ErrNameTooLong), errors.Is(err, memfs.ErrTooBig), errors.Is(err, versions.ErrNotUndoable):
		return bad(err.Error())
	case errors.Is(err, memfs.ErrControlFile):
		return bad("path: " + memfs.ErrControlFile.Error())
	case errors.As(err, &unnamed):
		return bad("path: " + unnamed.Error())
	case errors.Is(err, memfs.ErrExist): // as a hosted store's service reports it, without details
		return &failure{status: http.StatusConflict, kind: pathConflict, message: err.Error(), blocker: &versions.TakenError{}}
	case errors.As(err, &upstream), errors.Is(err, versions.ErrNoUpstream): // of a hosted store
		return &failure{status: http.StatusBadGateway, kind: apiError, message: err.Error()}
	case errors.Is(err, versions.ErrNoStore):
		return &failure{status: http.StatusNotFound, kind: notFound, message: err.Error()}
	case errors.Is(err, versions.ErrNoMemory), errors.Is(err, versions.ErrNoVersion):
		return &failure{status: http.StatusNotFound, kind: notFound, message: err.Error()}
	case errors.As(err, &held), errors.As(err, &denied):
		return &failure{status: http.StatusForbidden, kind: permissionError, message: err.Error(), final: true}
	case errors.Is(err, versions.ErrUnidentified):
		return &failure{status: http.StatusForbidden, kind: permissionError, message: versions.ErrUnidentified.Error()}
	case errors.Is(err, versions.ErrAdministers):
		return &failure{status: http.StatusForbidden, kind: permissionError, message: versions.ErrAdministers.Error()}
	case errors.Is(err, versions.ErrArchived):
		return bad("the store is archived: its memories can only be read and deleted, and its versions redacted")
	case errors.Is(err, versions.ErrReadingOnly):
		return &failure{status: http.StatusForbidden, kind: permissionError, message: err.Error(), final: true}
	case errors.Is(err, versions.ErrCurrent):
		return bad("this version is current: write a new one or delete the memory first")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &failure{status: http.StatusServiceUnavailable, kind: apiError, message: "another program has locked the trail for too long; nothing was written, try again"}
	case errors.Is(err, memfs.ErrUnstable):
		return &failure{status: http.StatusConflict, kind: conflictError, message: "another program keeps writing this memory; nothing was written"}
	}
	return &failure{status: http.StatusInternalServerError, kind: apiError, message: "the store failed: " + plainCause(err), final: unchanging(err)}
}

// unchanging reports whether the error lasts until somebody fixes its cause.
func unchanging(err error) bool {
	for _, e := range []error{memfs.ErrNoPermission, memfs.ErrReadOnlyDisk, versions.ErrHomeGone, versions.ErrDamaged} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// plainCause returns the cause of an error if it certainly names no file of this machine. The log has the
// whole error.
func plainCause(err error) string {
	for _, e := range []error{versions.ErrFolderGone, versions.ErrHomeGone, versions.ErrDamaged, memfs.ErrNoSpace, memfs.ErrNoPermission, memfs.ErrReadOnlyDisk} {
		if errors.Is(err, e) {
			return e.Error()
		}
	}
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return errno.Error()
	}
	return "see the server's log"
}
