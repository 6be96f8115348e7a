package memfs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Foreign folders are not opened, and a folder with many foreign files is not listed.
func TestNamedFilesOpenNoForeignFolder(t *testing.T) {
	folder, d := project(t)
	for _, name := range []string{"src", "src/deep", "node_modules", ".claude/skills"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 2000 {
		if err := os.WriteFile(filepath.Join(folder, "src", "deep", fmt.Sprint(n)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	for _, name := range []string{"src", "src/deep", "node_modules", ".claude/skills"} {
		if _, err := syscall.InotifyAddWatch(fd, filepath.Join(folder, name), syscall.IN_OPEN|syscall.IN_ACCESS); err != nil {
			t.Fatal(err)
		}
	}
	root, err := syscall.InotifyAddWatch(fd, folder, syscall.IN_ACCESS|syscall.IN_ONLYDIR)
	if err != nil {
		t.Fatal(err)
	}
	all := func() error {
		return errors.Join(d.Scan(context.Background(), func(f Found) error { return f.Err }),
			d.ReadAll(t.Context(), Root, 0, func(Path) bool { return true }, func(_ int, x Text) error { return x.Err }))
	}
	if err := all(); err != nil {
		t.Fatal(err)
	}
	var buf [4096]byte
	n, err := syscall.Read(fd, buf[:])
	for rest := buf[:max(n, 0)]; len(rest) >= syscall.SizeofInotifyEvent; {
		watch, mask := int32(binary.NativeEndian.Uint32(rest)), binary.NativeEndian.Uint32(rest[4:])
		size := syscall.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(rest[12:]))
		name := strings.TrimRight(string(rest[syscall.SizeofInotifyEvent:size]), "\x00")
		if int(watch) != root || mask&syscall.IN_ISDIR != 0 && name == "" { // a file of the folder may be read
			t.Errorf("opened or listed: watch %d, %q", watch, name)
		}
		rest = rest[size:]
	}
	if n < 0 && err != syscall.EAGAIN {
		t.Fatal(err)
	}
}
