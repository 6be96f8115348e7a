package versions

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// makePrivate takes the permissions of other users off the home and the files in it:
// they hold the texts of all stores. What can't be changed stays as it is, in the home
// of another user say. Folders of stores keep their modes: other tools own those, and
// nobody else gets to the ones in the home.
//
// A folder with another purpose can be a home too. The system's temporary folder, a
// user's own folder and the root stay open; only the trail's files are made private there.
func makePrivate(home string) {
	if runtime.GOOS == "windows" { // it has no such modes; a profile is private
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

// privatize reports whether others had permissions on a file or folder.
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
