//go:build linux || darwin || freebsd || netbsd

package memfs

import (
	"fmt"
	"os"
	"syscall"
)

func identity(f *os.File) (string, error) {
	fi, err := f.Stat()
	if err != nil {
		return "", err
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return "", nil
	}
	return fmt.Sprintf("%x:%x", uint64(st.Dev), uint64(st.Ino)), nil
}
