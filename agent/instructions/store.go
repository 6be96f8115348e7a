package instructions

import (
	"path/filepath"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// Holder returns the store of a home that holds a file as a memory, and the memory's path; of several the innermost. The
// path is a real one, with links resolved.
func Holder(stores []versions.StoreInfo, real string) (of versions.StoreInfo, at memfs.Path, ok bool) {
	for _, s := range stores {
		if s.Folder == "" || !s.Holds(real) || len(s.Folder) < len(of.Folder) {
			continue
		}
		rel, err := filepath.Rel(s.Folder, real)
		if err != nil {
			continue
		}
		if p, err := memfs.ParsePath(filepath.ToSlash(rel)); err == nil {
			of, at, ok = s, p, true
		}
	}
	return of, at, ok
}
