package outside

import (
	"path/filepath"
	"runtime"
	"strings"
)

// Of a project folder's name, so many directories are looked through for one that it
// may be of, each up to so many entries.
const (
	searchedFolders = 100
	searchedEntries = 4096
)

// onDisk is the one directory of this machine that a project folder may have its name
// of; "" when there is none, or several, or when the name was cut. It is for projects
// of which nothing else is known: Claude Code deletes transcripts after a month, and
// keeps the memories.
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

// search looks for directories by what is left of a slug.
type search struct {
	left  int
	found []string
}

// below goes into the folders in dir that the slug may go on with.
func (s *search) below(dir, slug string) {
	if s.left--; s.left < 0 {
		return
	}
	entries, err := readDir(dir, searchedEntries)
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
