package outside

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/memend/memend/versions"
)

// A shell command may write any file, and nothing reports which. It counts as evidence only for the
// paths that it names: a long-running command must not be taken for the author of what somebody else
// writes meanwhile. What it only deletes is evidence of a deletion.

const (
	maxWords  = 1000 // of a command line that are examined
	maxPlaces = 16   // of a command line that are kept
)

// placeShell finds the memories and folders that a shell command names.
func (s Stores) placeShell(c Call, e versions.Evidence) (out []Placed) {
	dir := c.Directory
	words := shellWords(c.Shell)
	removes := false
	for i, word := range words[:min(len(words), maxWords)] {
		if word == filepath.Base(word) && !strings.HasPrefix(word, "-") && !strings.ContainsAny(word, ".*") { // a command's name, mostly
			removes = (word == "rm" || word == "unlink") && !c.ShellFailed
		}
		if i > 0 && words[i-1] == "cd" {
			dir = s.expanded(word, dir, true)
			continue
		}
		name := s.expanded(word, dir, false)
		if name == "" {
			continue
		}
		e.Op = versions.CallRan
		if at := strings.IndexAny(name, "*?[{$"); at >= 0 { // the folder that contains the pattern
			name = filepath.Dir(name[:at] + "x")
		} else if removes {
			e.Op = versions.CallDeleted
		}
		store, path, ok := s.find(name, false)
		if !ok {
			continue
		}
		if e.Path = path; path.IsRoot() {
			e.Op = versions.CallRan
		}
		at := slices.IndexFunc(out, func(p Placed) bool { return p.Store == store && p.Evidence.Path == path })
		switch {
		case at < 0 && len(out) < maxPlaces:
			out = append(out, Placed{store, e})
		case at >= 0 && out[at].Evidence.Op != e.Op: // it also does something else with it
			out[at].Evidence.Op = versions.CallRan
		}
	}
	return out
}

// expanded returns the absolute path that a word names, or "" if it names none or may be something
// else.
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

// shellWords splits a command line at blanks, quotes and operators. It is not a shell: a path with a
// blank falls apart and is not found.
func shellWords(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`;|&<>()=", r) })
}
