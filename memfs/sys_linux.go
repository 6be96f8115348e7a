package memfs

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

// canSyncFolders reports that fsync of a folder makes its names durable.
const canSyncFolders = true

// openNonblock keeps the opening of a FIFO from waiting for its other end.
const openNonblock = syscall.O_NONBLOCK

// fillSys adds to info what the platform knows of a file beyond fs.FileInfo.
func fillSys(info *Info, fi fs.FileInfo) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	info.Sig.Ctime = st.Ctim.Nano()
	info.Sig.Ino = st.Ino
	info.Links = int(st.Nlink)
	info.uid, info.gid = int(st.Uid), int(st.Gid)
}

func platformCause(error) error { return nil }

// renameat2Number is the number of the system call, which package syscall, frozen earlier,
// lacks. It is 0 where unknown: then renameNoReplace is unsupported.
var renameat2Number = map[string]uintptr{
	"amd64": 316, "386": 353, "arm": 382, "arm64": 276, "loong64": 276,
	"ppc64": 357, "ppc64le": 357, "riscv64": 276, "s390x": 347,
}[runtime.GOARCH]

const renameNoReplaceFlag = 1

// renameNoReplace renames from to to in one step that fails if to exists. It returns
// errors.ErrUnsupported where the kernel or the file system can't.
func (d *Dir) renameNoReplace(from, to Path) error {
	if renameat2Number == 0 {
		return errors.ErrUnsupported
	}
	fromDir, err := d.openFolder(from.Dir())
	if err != nil {
		return err
	}
	defer fromDir.Close()
	toDir := fromDir
	if from.Dir() != to.Dir() {
		if toDir, err = d.openFolder(to.Dir()); err != nil {
			return err
		}
		defer toDir.Close()
	}
	fromName, err := syscall.BytePtrFromString(from.Base())
	if err != nil {
		return err
	}
	toName, err := syscall.BytePtrFromString(to.Base())
	if err != nil {
		return err
	}
	errno, err := renameat2(fromDir, fromName, toDir, toName)
	switch {
	case err != nil:
		return err
	case errno == syscall.ENOSYS || errno == syscall.EINVAL:
		return errors.ErrUnsupported
	case errno != 0:
		return errno
	}
	return nil
}

func renameat2(fromDir *os.File, fromName *byte, toDir *os.File, toName *byte) (syscall.Errno, error) {
	fromConn, err := fromDir.SyscallConn()
	if err != nil {
		return 0, err
	}
	toConn, err := toDir.SyscallConn()
	if err != nil {
		return 0, err
	}
	var errno syscall.Errno
	var inner error
	err = fromConn.Control(func(fromFD uintptr) {
		inner = toConn.Control(func(toFD uintptr) {
			for {
				_, _, errno = syscall.Syscall6(renameat2Number,
					fromFD, uintptr(unsafe.Pointer(fromName)),
					toFD, uintptr(unsafe.Pointer(toName)), renameNoReplaceFlag, 0)
				if errno != syscall.EINTR {
					return
				}
			}
		})
	})
	return errno, errors.Join(err, inner)
}
