package disk

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// MakePrivate removes other users' permissions from a folder and the files in it. It skips what it
// can't change, for example in another user's folder, and what is in the subfolder except, which
// other users can't reach.
//
// The folder may have another purpose too. The system's temporary folder, a user's home directory
// and the root stay open; only files whose names begin with prefix are made private in them.
func MakePrivate(folder, prefix, except string) {
	if runtime.GOOS == "windows" { // Windows has no such modes; profiles are private
		return
	}
	fi, err := os.Stat(folder)
	if err != nil {
		return
	}
	user, err := os.UserHomeDir()
	shared := fi.Mode()&fs.ModeSticky != 0 || folder == filepath.Dir(folder) || err == nil && folder == filepath.Clean(user)
	if !shared {
		forOwnerOnly(folder, fi)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if shared && !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		name := filepath.Join(folder, e.Name())
		if was := privatize(name, e); was && e.IsDir() && e.Name() != except {
			_ = filepath.WalkDir(name, func(name string, e fs.DirEntry, err error) error {
				if err == nil {
					privatize(name, e)
				}
				return nil
			})
		}
	}
}

// privatize removes other users' permissions from a file or folder, and reports whether
// there were any.
func privatize(name string, e fs.DirEntry) bool {
	if !e.IsDir() && !e.Type().IsRegular() {
		return false
	}
	fi, err := e.Info()
	return err == nil && forOwnerOnly(name, fi)
}

func forOwnerOnly(name string, fi os.FileInfo) (changed bool) {
	const others = 0o077
	if fi.Mode()&others == 0 {
		return false
	}
	_ = os.Chmod(name, fi.Mode().Perm()&^others)
	return true
}
