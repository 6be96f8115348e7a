package versions

import (
	"encoding/json"
	"path/filepath"

	"github.com/memend/memend/memfs"
)

// filesOf parses the files of a store as the trail stores them.
func filesOf(text string) (memfs.Names, error) {
	if text == "" {
		return memfs.Names{}, nil
	}
	var patterns []string
	if err := json.Unmarshal([]byte(text), &patterns); err != nil {
		return memfs.Names{}, err
	}
	return memfs.ParseNames(patterns)
}

// filesText returns the files of a store as the trail stores them.
func filesText(n memfs.Names) string {
	if n.All() {
		return ""
	}
	b, _ := json.Marshal(n.Patterns()) // of strings, which are UTF-8
	return string(b)
}

// filesIn is the files of a store in a folder.
type filesIn struct {
	folder string
	names  memfs.Names
}

func (s StoreInfo) files() filesIn { return filesIn{s.Folder, s.Files} }

// shares reports whether n can have files of other, whose folder is n's or lies in it.
func (n filesIn) shares(other filesIn) bool {
	at, ok := pathInFolder(other.folder, n.folder)
	switch {
	case !ok:
		return false
	case n.names.All():
		return !at.Hidden()
	case other.names.All():
		return n.names.Leads(at)
	}
	return n.names.Meets(at, other.names)
}

// Holds reports whether a scan of the store finds a memory in this file of the machine, if it
// exists and no link leads to it.
func (s StoreInfo) Holds(file string) bool {
	p, ok := pathInFolder(file, s.Folder)
	return ok && s.Files.Shows(p)
}

// unsearched returns what a redaction does not search in the store's folder; nil if it searches all.
func (s StoreInfo) unsearched() func(rel string, folder bool) bool {
	if s.Files.All() {
		return nil
	}
	return func(rel string, folder bool) bool {
		p, err := memfs.ParsePath(rel)
		return err != nil || !s.Files.Match(p) && !(folder && s.Files.Leads(p))
	}
}

// pathInFolder returns a file or folder as a path of the folder that contains it.
func pathInFolder(file, folder string) (memfs.Path, bool) {
	if !inFolder(file, folder) {
		return memfs.Path{}, false
	}
	rel, err := filepath.Rel(folder, file)
	if err != nil || rel == "." {
		return memfs.Root, err == nil
	}
	p, err := memfs.ParsePath(filepath.ToSlash(rel))
	return p, err == nil
}
