package versions

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// makePrivate removes other users' permissions from the home and its files, which contain
// the texts of all stores. It skips what it can't change, for example in another user's
// home. Folders of stores keep their modes: those outside belong to other tools, and those
// inside the home are unreachable for other users.
//
// A folder with another purpose can be a home too. The system's temporary folder, a user's
// home directory and the root stay open; only the trail's files in them are made private.
func makePrivate(home string) {
	if runtime.GOOS == "windows" { // Windows has no such modes; profiles are private
		return
	}
	fi, err := os.Stat(home)
	if err != nil {
		return
	}
	user, err := os.UserHomeDir()
	shared := fi.Mode()&fs.ModeSticky != 0 || home == filepath.Dir(home) || err == nil && home == filepath.Clean(user)
	if !shared {
		forOwnerOnly(home, fi)
	}
	entries, err := os.ReadDir(home)
	if err != nil {
		return
	}
	for _, e := range entries {
		if shared && !strings.HasPrefix(e.Name(), "trail.") {
			continue
		}
		name := filepath.Join(home, e.Name())
		if was := privatize(name, e); was && e.IsDir() && e.Name() != storesFolder {
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
