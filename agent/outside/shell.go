package outside

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/memend/memend/versions"
)

// A line of shell may write any file, and nothing says which. It counts as evidence for
// the paths that it names, and for no others: a long-running command must not be taken
// for the writer of what somebody else writes meanwhile.

const (
	maxWords  = 1000 // of a line that are looked at
	maxPlaces = 16   // of a line that are kept
)

// placeShell finds the memories and folders that a line of shell names.
func (s Stores) placeShell(c Call, e versions.Evidence) (out []Placed) {
	dir := c.Directory
	words := shellWords(c.Shell)
	for i, word := range words[:min(len(words), maxWords)] {
		if i > 0 && words[i-1] == "cd" {
			dir = s.expanded(word, dir, true)
			continue
		}
		name := s.expanded(word, dir, false)
		if name == "" {
			continue
		}
		if at := strings.IndexAny(name, "*?[{$"); at >= 0 { // the folder that the pattern is in
			name = filepath.Dir(name[:at] + "x")
		}
		store, path, ok := s.find(name, false)
		if !ok {
			continue
		}
		e.Path = path
		p := Placed{store, e}
		if !slices.Contains(out, p) && len(out) < maxPlaces {
			out = append(out, p)
		}
	}
	return out
}

// expanded is the absolute path that a word names; "" where it names none, or where it
// may be something else than a path.
func (s Stores) expanded(word, dir string, isPath bool) string {
	for _, home := range []string{"~/", "$HOME/", "${HOME}/"} {
		if rest, ok := strings.CutPrefix(word, home); ok && s.Home != "" {
			return filepath.Join(s.Home, rest)
		}
	}
	switch {
	case word == "", strings.HasPrefix(word, "-"), strings.HasPrefix(word, "$"), strings.HasPrefix(word, "~"):
		return ""
	case filepath.IsAbs(word):
		return word
	case dir == "", !isPath && !strings.ContainsAny(word, "./*"): // a command's name, mostly
		return ""
	}
	return filepath.Join(dir, word)
}

// shellWords splits a line of shell at blanks, quotes and operators. It is no shell: a
// path with a blank in it falls apart, and then it is not found.
func shellWords(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`;|&<>()=", r) })
}
