package cli

import (
	"errors"

	"golang.org/x/sys/unix"
)

// swap exchanges two files, or does what overwrite does where the file system can't.
func swap(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) {
		return overwrite(a, b)
	}
	return err
}
