package memfs

import "errors"

// Class is what an error means for the caller, whatever the operation was. Is takes several of them, joined by |.
type Class uint8

// The classes say what a caller does about an error.
const (
	Absent  Class = 1 << iota // nothing is at the path: there is no memory, and nothing to do
	NotFile                   // something else is at the path, or a link on the way: there is no memory, and nothing of ours to remove
	Blocked                   // something is in the way, or the disk takes no such name: skip the path, a retry fails again
	Denied                    // permissions forbid it: skip the path; if all paths are denied, read only
	Busy                      // the file is too big or is being written: keep the known state, a later scan tries again
	Disk                      // nothing can be written anywhere: stop writing, read only
	Invalid                   // the request is refused whatever the folder contains: tell whoever made it
)

const (
	// NoMemory are the errors that mean that no memory can be at the path now.
	NoMemory = Absent | NotFile
	// OnlyPath are the errors of one path that last until somebody changes what is there. They must not stop what is
	// done at other paths.
	OnlyPath = NoMemory | Blocked | Denied
)

// Is reports whether an error is of one of the classes. An error of another package states its class by a
// method Class() Class.
func Is(err error, classes Class) bool { return classOf(err)&classes != 0 }

// Ignore returns nil for an error of one of the classes, and every other error as it is.
func Ignore(err error, classes Class) error {
	if Is(err, classes) {
		return nil
	}
	return err
}

func classOf(err error) (c Class) {
	if is := (interface{ Class() Class })(nil); errors.As(err, &is) {
		c = is.Class()
	}
	for _, known := range classes {
		if errors.Is(err, known.err) {
			c |= known.class
		}
	}
	return c
}

var classes = []struct {
	err   error
	class Class
}{
	{ErrNotExist, Absent},
	{ErrNotFolder, Absent},
	{ErrIsFolder, NotFile},
	{ErrNotRegular, NotFile},
	{ErrLinkOut, NotFile},
	{ErrLinkLoop, NotFile},
	{ErrExist, Blocked},
	{ErrNotEmpty, Blocked},
	{ErrNameTooLong, Blocked},
	{ErrUnnamed, Blocked},
	{ErrNoPermission, Denied},
	{ErrTooBig, Busy},
	{ErrUnstable, Busy},
	{ErrNoSpace, Disk},
	{ErrReadOnlyDisk, Disk},
	{ErrIsRoot, Invalid},
	{ErrIntoItself, Invalid},
	{ErrName, Invalid},
	{ErrReserved, Invalid},
	{ErrNamedOnly, Invalid},
	{ErrControlFile, Invalid},
}
