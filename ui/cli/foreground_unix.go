//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// foreground reports whether this process belongs to the foreground of its terminal, wherever its input and output are.
func foreground() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer func() { _ = tty.Close() }()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
