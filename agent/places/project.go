package places

import (
	"path/filepath"

	"github.com/memend/memend/agent/outside"
	"github.com/memend/memend/versions"
)

// StoresOf returns the stores of the project that contains dir, in the order of all; if several projects do, those of the
// innermost. A store's project is the one that Add recorded, or the one whose slug is in the path of the store's folder.
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
	if project := s.Metadata[Project]; project != "" {
		return filepath.Clean(project) == dir
	}
	project := filepath.Dir(s.Folder)
	return filepath.Base(s.Folder) == "memory" && filepath.Base(filepath.Dir(project)) == "projects" && outside.HasSlug(filepath.Base(project), dir)
}
