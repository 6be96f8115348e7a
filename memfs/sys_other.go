//go:build !linux && !darwin && !freebsd && !netbsd && !windows

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

// fillSys does nothing on this platform: a Sig is then only size and time.
func fillSys(info *Info, fi fs.FileInfo) {}

func platformCause(error) error { return nil }

func (d *Dir) renameNoReplace(from, to Path) error { return errors.ErrUnsupported }
