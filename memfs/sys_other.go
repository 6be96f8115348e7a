//go:build !linux && !darwin && !freebsd && !netbsd && !windows

package memfs

import (
	"errors"
	"io/fs"
	"syscall"
)

// canSyncFolders: fsync of a folder makes its names durable.
const canSyncFolders = true

// openNonblock keeps the opening of a FIFO from waiting for its other end.
const openNonblock = syscall.O_NONBLOCK

// fillSys knows nothing of this platform; a Sig is then size and time alone.
func fillSys(info *Info, fi fs.FileInfo) {}

func platformCause(error) error { return nil }

func (d *Dir) renameNoReplace(from, to Path) error { return errors.ErrUnsupported }
