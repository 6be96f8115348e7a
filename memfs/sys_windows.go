package memfs

import (
	"errors"
	"io/fs"
	"syscall"
)

// canSyncFolders: folders take no flush here; NTFS journals names itself.
const canSyncFolders = false

// openNonblock is nothing here: there are no FIFOs to wait for.
const openNonblock = 0

// fillSys has the creation time for a ctime: it changes when another file takes
// the name.
func fillSys(info *Info, fi fs.FileInfo) {
	if st, ok := fi.Sys().(*syscall.Win32FileAttributeData); ok {
		info.Sig.Ctime = st.CreationTime.Nanoseconds()
	}
}

// Errors of Windows that package syscall has no portable name for.
const (
	errorHandleDiskFull = syscall.Errno(39)
	errorDiskFull       = syscall.Errno(112)
	errorDirNotEmpty    = syscall.Errno(145)
	errorWriteProtect   = syscall.Errno(19)
	errorDirectory      = syscall.Errno(267)
	errorInvalidName    = syscall.Errno(123)
)

func platformCause(err error) error {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return nil
	}
	switch errno {
	case errorDiskFull, errorHandleDiskFull:
		return ErrNoSpace
	case errorDirNotEmpty:
		return ErrNotEmpty
	case errorWriteProtect:
		return ErrReadOnlyDisk
	case errorDirectory:
		return ErrNotFolder
	case errorInvalidName:
		return ErrNotExist
	}
	return nil
}

// renameNoReplace has no call in package syscall here; see Dir.Rename and
// Staged.Create for what is done instead.
func (d *Dir) renameNoReplace(from, to Path) error { return errors.ErrUnsupported }
