package outside

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/memend/memend/versions/disk"
)

// Limits for searching the disk for the directory of a project folder: the number of folders, and
// the entries of each.
const (
	searchedFolders = 100
	searchedEntries = 4096
)

// onDisk returns the only directory of this machine whose slug is the given name; "" if there is
// none, or several, or the name was cut. It serves projects of which nothing else is known: Claude
// Code deletes transcripts after a month and keeps the memories.
func onDisk(name string, most int) string {
	if len(name) > slugUnits {
		return ""
	}
	root := "/"
	if runtime.GOOS == "windows" && name != "" {
		root = name[:1] + `:\`
	}
	rest, ok := strings.CutPrefix(name, Slug(root))
	if !ok || rest == "" {
		return ""
	}
	s := search{left: most}
	s.below(root, rest)
	if len(s.found) != 1 || s.left < 0 {
		return ""
	}
	return s.found[0]
}

// search finds directories by the rest of a slug.
type search struct {
	left  int
	found []string
}

// below descends into the folders in dir that the slug may continue with.
func (s *search) below(dir, slug string) {
	if s.left--; s.left < 0 {
		return
	}
	entries, err := disk.ReadDir(dir, searchedEntries)
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(slug, Slug(e.Name()))
		if !ok || !e.IsDir() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if rest == "" {
			s.found = append(s.found, path)
		} else if rest[0] == '-' {
			s.below(path, rest[1:])
		}
	}
}
