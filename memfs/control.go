package memfs

import (
	"errors"
	"slices"
	"strings"
)

// ErrControlFile is a write to a file that another tool obeys: see Path.Control.
var ErrControlFile = errors.New("is a control file of another tool, which may make it run commands; only a person can write it")

// controlNames are files and folders from which other tools take commands that they
// then run as the user: version control (hooks, fsmonitor), editors, direnv, and the
// hooks and MCP servers of agents' programs.
var controlNames = []string{
	".git", ".hg", ".svn", ".jj", ".husky", ".pre-commit-config.yaml",
	".vscode", ".idea", ".devcontainer", ".envrc",
	".claude", ".cursor", ".codex", ".gemini", ".mcp.json",
	"git~1", // what Windows may call .git for short
}

// Control reports whether p is a control file of another tool or lies in a folder of
// such files, at any depth. Spellings count that some file system takes for the same
// name: other letter case, invisible characters (macOS), spaces and dots at the end
// and a stream's name (Windows).
func (p Path) Control() bool {
	for seg := range strings.SplitSeq(p.rel, "/") {
		name := plainName(seg)
		if slices.ContainsFunc(controlNames, func(c string) bool { return strings.EqualFold(name, c) }) {
			return true
		}
	}
	return false
}

// plainName is a name without what a file system may ignore in it.
func plainName(name string) string {
	name, _, _ = strings.Cut(name, ":")
	name = strings.Map(func(r rune) rune {
		if r >= 0x80 && HiddenRune(r) {
			return -1
		}
		return r
	}, name)
	return strings.TrimRight(name, ". ")
}
