package memfs

import (
	"errors"
	"io/fs"
	"syscall"
)

// canSyncFolders is false: folders can't be flushed here; NTFS journals names itself.
const canSyncFolders = false

// openNonblock is 0 here: there are no FIFOs to wait for.
const openNonblock = 0

// fillSys stores the creation time as Ctime: it changes when another file takes the name.
func fillSys(info *Info, fi fs.FileInfo) {
	if st, ok := fi.Sys().(*syscall.Win32FileAttributeData); ok {
		info.Sig.Ctime = st.CreationTime.Nanoseconds()
	}
}

// Windows errors that package syscall has no portable name for.
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

// renameNoReplace is unsupported: package syscall has no call for it. See Dir.Rename and
// Staged.Create for the fallbacks.
func (d *Dir) renameNoReplace(from, to Path) error { return errors.ErrUnsupported }
