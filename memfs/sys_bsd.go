//go:build darwin || freebsd || netbsd

package memfs

import (
	"errors"
	"io/fs"
	"syscall"
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
	info.Sig.Ctime = st.Ctimespec.Nano()
	info.Sig.Ino = uint64(st.Ino)
	info.Links = int(st.Nlink)
	info.uid, info.gid = int(st.Uid), int(st.Gid)
}

func platformCause(error) error { return nil }

// renameNoReplace is unsupported: there is no portable call. See Dir.Rename and
// Staged.Create for the fallbacks.
func (d *Dir) renameNoReplace(from, to Path) error { return errors.ErrUnsupported }
