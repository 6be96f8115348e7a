package cli

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// remoteKinds are the network file systems by their statfs number (linux/magic.h).
var remoteKinds = map[uint32]string{
	0x6969: "nfs", 0xff534d42: "cifs", 0xfe534d42: "smb2", 0x517b: "smb", 0x01021997: "9p", 0x65735546: "fuse", 0x73757245: "coda",
	0x5346414f: "afs", 0x00c36400: "ceph", 0x0bd00bd0: "lustre", 0x47504653: "gpfs", 0x01161970: "gfs2", 0x7461636f: "ocfs2",
}

// fileSystem returns the kind of file system of a folder, if another machine may hold it.
// FUSE may be local or remote; the name of its mount tells which.
func fileSystem(dir string) (kind string, remote bool) {
	var stat syscall.Statfs_t
	if syscall.Statfs(dir, &stat) != nil {
		return "", false
	}
	kind, remote = remoteKinds[uint32(stat.Type)]
	if kind == "fuse" {
		kind, remote = fuseKind(dir)
	}
	return kind, remote
}

// fuseKind finds the kind of a FUSE file system in the list of mounts.
func fuseKind(dir string) (string, bool) {
	b, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return "", false
	}
	kind, longest := "", 0
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue
		}
		at := strings.ReplaceAll(f[1], `\040`, " ")
		if len(at) > longest && (dir == at || strings.HasPrefix(dir, strings.TrimSuffix(at, "/")+"/")) {
			kind, longest = f[2], len(at)
		}
	}
	for _, remote := range []string{"sshfs", "s3fs", "gcsfuse", "rclone", "davfs", "glusterfs", "goofys", "vboxsf"} {
		if strings.Contains(kind, remote) {
			return kind, true
		}
	}
	return "", false
}

// freeBytes returns how many bytes this user can still write to the disk of a folder.
func freeBytes(dir string) (int64, bool) {
	var stat syscall.Statfs_t
	if syscall.Statfs(dir, &stat) != nil {
		return 0, false
	}
	return int64(stat.Bavail) * stat.Bsize, true
}

// maxWatches returns how many folders this user may watch.
func maxWatches() (int, bool) {
	b, err := os.ReadFile("/proc/sys/fs/inotify/max_user_watches")
	if err != nil {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	return n, err == nil
}
