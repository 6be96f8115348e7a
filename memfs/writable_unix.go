//go:build linux || darwin || freebsd

package memfs

import "syscall"

// Writable returns why files can't be created in the folder, or nil. A file or a folder in it may
// still refuse.
func (d *Dir) Writable() error {
	const write, search = 2, 1
	if err := syscall.Access(d.folder, write|search); err != nil {
		return cause(err)
	}
	return nil
}
