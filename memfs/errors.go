package memfs

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Errors of paths that are refused before the folder is touched.
var (
	ErrOutsideMemories = errors.New("does not start with /memories")
	ErrEscape          = errors.New("would escape the store")
	ErrControlInPath   = errors.New("contains a control character")
	ErrNotUTF8Path     = errors.New("is not UTF-8")
	ErrNameTooLong     = errors.New("name is too long")
	ErrReserved        = errors.New("is a name reserved for memend's own files")
	ErrUnnamed         = errors.New("is not one of the files of this store") // an UnnamedError
)

// Errors of requests that are refused whatever the folder contains.
var (
	ErrIsRoot     = errors.New("is the store's folder itself")
	ErrIntoItself = errors.New("a folder can't be moved or copied into itself")
	ErrNamedOnly  = errors.New("is a folder in which only some files belong to the store: move these one by one")
)

// Errors that depend on what the folder contains, or that the system returned.
var (
	ErrNotExist     = errors.New("no such memory")
	ErrExist        = errors.New("already exists")
	ErrNotRegular   = errors.New("not a regular file") // FIFO, socket, device; a link where links are not followed
	ErrIsFolder     = errors.New("is a folder")
	ErrNotFolder    = errors.New("is not a folder")
	ErrNotEmpty     = errors.New("folder is not empty")
	ErrLinkOut      = errors.New("symbolic link leaves the store")
	ErrLinkLoop     = errors.New("symbolic links form a loop")
	ErrUnstable     = errors.New("kept changing while it was read")
	ErrTooBig       = errors.New("too big")
	ErrNoSpace      = errors.New("no space left on the disk")
	ErrNoPermission = errors.New("permission denied")
	ErrReadOnlyDisk = errors.New("the file system is read-only")
)

// OpError is a failed operation on one path of a store. It never contains a path of the
// host: an error of the operating system is reduced to its cause.
type OpError struct {
	Op   string
	Path Path
	Err  error
}

func (e *OpError) Error() string { return e.At(e.Path.Tool()) }

// At returns the message with the path written as at.
func (e *OpError) At(at string) string {
	if e.Err == ErrNotExist { // one wording, whichever operation found it
		return e.Err.Error() + ": " + at
	}
	return e.Op + " " + at + ": " + e.Err.Error()
}
func (e *OpError) Unwrap() error { return e.Err }

// errEscapes is the error that os.Root returns for a link that leads out of it. Package os does
// not export it, so this provokes it once with a path that certainly escapes.
var errEscapes = func() error {
	root, err := os.OpenRoot(os.TempDir())
	if err != nil {
		return nil
	}
	defer root.Close()
	_, err = root.Lstat("../x")
	return unwrap(err)
}()

// fail converts an error of package os into an OpError; nil stays nil.
func fail(op string, p Path, err error) error {
	if err == nil {
		return nil
	}
	if oe := (*OpError)(nil); errors.As(err, &oe) {
		return err
	}
	return &OpError{op, p, cause(err)}
}

// unwrap removes the wrapping of package os, which contains paths of the host.
func unwrap(err error) error {
	for {
		switch e := err.(type) {
		case *fs.PathError:
			err = e.Err
		case *os.LinkError:
			err = e.Err
		case *os.SyscallError:
			err = e.Err
		default:
			return err
		}
	}
}

// cause returns this package's sentinel for err, or err without its wrapping.
func cause(err error) error {
	err = unwrap(err)
	if errEscapes != nil && errors.Is(err, errEscapes) {
		return ErrLinkOut
	}
	if c := platformCause(err); c != nil {
		return c
	}
	for _, c := range causes {
		if errors.Is(err, c.from) {
			return c.to
		}
	}
	return err
}

// causes is searched in order. An errno must precede the class that it belongs to: ENOTEMPTY
// is also an fs.ErrExist.
var causes = []struct{ from, to error }{
	{syscall.ENOTEMPTY, ErrNotEmpty},
	{syscall.ENOTDIR, ErrNotFolder},
	{syscall.EISDIR, ErrIsFolder},
	{syscall.ELOOP, ErrLinkLoop},
	{syscall.ENAMETOOLONG, ErrNameTooLong},
	{syscall.ENOSPC, ErrNoSpace},
	{syscall.EDQUOT, ErrNoSpace},
	{syscall.EROFS, ErrReadOnlyDisk},
	{fs.ErrNotExist, ErrNotExist},
	{fs.ErrExist, ErrExist},
	{fs.ErrPermission, ErrNoPermission},
}
