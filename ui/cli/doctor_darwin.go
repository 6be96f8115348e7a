package cli

import (
	"slices"
	"syscall"
)

// fileSystem is the kind of file system that a folder is on, where it is one that another
// machine keeps.
func fileSystem(dir string) (kind string, remote bool) {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return "", false
	}
	for _, c := range st.Fstypename {
		if c == 0 {
			break
		}
		kind += string(rune(c))
	}
	return kind, slices.Contains([]string{"nfs", "smbfs", "afpfs", "webdav", "macfuse", "osxfuse"}, kind)
}

// freeBytes is how much this user may still write to the disk of a folder.
func freeBytes(dir string) (int64, bool) {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}

// maxWatches: kqueue has no such limit.
func maxWatches() (int, bool) { return 0, false }
