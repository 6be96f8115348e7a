package cli

import (
	"slices"
	"syscall"
)

// fileSystem returns the kind of file system of a folder, and whether another machine may
// hold it.
func fileSystem(dir string) (kind string, remote bool) {
	var stat syscall.Statfs_t
	if syscall.Statfs(dir, &stat) != nil {
		return "", false
	}
	for _, c := range stat.Fstypename {
		if c == 0 {
			break
		}
		kind += string(rune(c))
	}
	return kind, slices.Contains([]string{"nfs", "smbfs", "afpfs", "webdav", "macfuse", "osxfuse"}, kind)
}

// freeBytes returns how many bytes this user can still write to the disk of a folder.
func freeBytes(dir string) (int64, bool) {
	var stat syscall.Statfs_t
	if syscall.Statfs(dir, &stat) != nil {
		return 0, false
	}
	return int64(stat.Bavail) * int64(stat.Bsize), true
}

// maxWatches reports no limit: kqueue has none.
func maxWatches() (int, bool) { return 0, false }
