package places

import (
	"path/filepath"

	"github.com/memend/memend/agent/outside"
	"github.com/memend/memend/versions"
)

// StoresOf returns the stores of the project that contains dir, in the order of all; if several projects do, those of the
// innermost. A store's project is the one that Add recorded, or the one whose slug is in the path of the store's folder:
// a project that was moved has another slug than the one recorded.
func StoresOf(all []versions.StoreInfo, dir string) []versions.StoreInfo {
	dirs := []string{filepath.Clean(dir)}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dirs[0] {
		dirs = append(dirs, real)
	}
	for _, at := range dirs {
		for {
			var of []versions.StoreInfo
			for _, s := range all {
				if belongs(s, at) {
					of = append(of, s)
				}
			}
			if len(of) > 0 {
				return of
			}
			up := filepath.Dir(at)
			if up == at {
				break
			}
			at = up
		}
	}
	return nil
}

// belongs reports whether a store's memories are about the project in dir.
func belongs(s versions.StoreInfo, dir string) bool {
	recorded := s.Metadata[Project]
	if recorded != "" && filepath.Clean(recorded) == dir {
		return true
	}
	at := filepath.Dir(s.Folder)
	slug := filepath.Base(at)
	if filepath.Base(s.Folder) != "memory" || filepath.Base(filepath.Dir(at)) != "projects" || !outside.HasSlug(slug, dir) {
		return false
	}
	return recorded == "" || !outside.HasSlug(slug, recorded) // two directories may have one slug
}
