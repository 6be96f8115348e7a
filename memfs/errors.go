package memfs

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// A path that is refused before the folder is touched.
var (
	ErrOutsideMemories = errors.New("does not start with /memories")
	ErrEscape          = errors.New("would escape the store")
	ErrControlInPath   = errors.New("holds a control character")
	ErrNotUTF8Path     = errors.New("is not UTF-8")
	ErrNameTooLong     = errors.New("name is too long")
	ErrReserved        = errors.New("is a name that memend keeps for files of its own")
)

// A request that is refused whatever the folder holds.
var (
	ErrIsRoot     = errors.New("is the store's folder itself")
	ErrIntoItself = errors.New("a folder can't be moved or copied into itself")
)

// What the folder answered.
var (
	ErrNotExist     = errors.New("no such memory")
	ErrExist        = errors.New("already exists")
	ErrNotRegular   = errors.New("not a regular file") // FIFO, socket, device; a link where none is followed
	ErrIsFolder     = errors.New("is a folder")
	ErrNotFolder    = errors.New("is not a folder")
	ErrNotEmpty     = errors.New("folder is not empty")
	ErrLinkOut      = errors.New("symbolic link leaves the store")
	ErrLinkLoop     = errors.New("symbolic links lead in a circle")
	ErrUnstable     = errors.New("keeps changing while it is read")
	ErrTooBig       = errors.New("too big")
	ErrNoSpace      = errors.New("no space left on the disk")
	ErrNoPermission = errors.New("permission denied")
	ErrReadOnlyDisk = errors.New("the file system is read-only")
)

// OpError is a failed step on one path of a store. It never holds a path of the
// host: what the operating system said is reduced to its cause.
type OpError struct {
	Op   string
	Path Path
	Err  error
}

func (e *OpError) Error() string {
	if e.Err == ErrNotExist { // one wording, whichever step found it
		return e.Err.Error() + ": " + e.Path.Tool()
	}
	return e.Op + " " + e.Path.Tool() + ": " + e.Err.Error()
}
func (e *OpError) Unwrap() error { return e.Err }

// escapes is what os.Root answers when a link leads out of it. The package os
// keeps that error to itself, so it is caught once, from a path that surely
// escapes.
var escapes = func() error {
	root, err := os.OpenRoot(os.TempDir())
	if err != nil {
		return nil
	}
	defer root.Close()
	_, err = root.Lstat("../x")
	return bare(err)
}()

// fail makes an OpError of whatever a call of the package os gave; nil stays nil.
func fail(op string, p Path, err error) error {
	if err == nil {
		return nil
	}
	if oe := (*OpError)(nil); errors.As(err, &oe) {
		return err
	}
	return &OpError{op, p, cause(err)}
}

// bare strips what the package os wraps around a cause, host paths among it.
func bare(err error) error {
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

// cause is the sentinel of this package for err, or err without its wrapping.
func cause(err error) error {
	err = bare(err)
	if escapes != nil && errors.Is(err, escapes) {
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

// causes is searched in order: an errno comes before the class it belongs to,
// as ENOTEMPTY is also an fs.ErrExist.
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
