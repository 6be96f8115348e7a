package memfs

import (
	"errors"
	"slices"
	"strings"
)

// ErrControlFile reports a write to a control file of another tool: see Path.Control.
var ErrControlFile = errors.New("is a control file of another tool, which may make it run commands; only a person can write it")

// controlNames are files and folders that make other tools run commands as the user: version
// control (hooks, fsmonitor), editors, direnv, and agents' programs (hooks, MCP servers).
var controlNames = []string{
	".git", ".hg", ".svn", ".jj", ".husky", ".pre-commit-config.yaml",
	".vscode", ".idea", ".devcontainer", ".envrc",
	".claude", ".cursor", ".codex", ".gemini", ".mcp.json",
	"git~1", // the short name that Windows may give .git
}

// Control reports whether p is a control file of another tool or lies in a folder of such
// files, at any depth. It includes spellings that some file system treats as the same name:
// other letter case, invisible characters (macOS), trailing spaces and dots, and the name of
// a stream (Windows).
func (p Path) Control() bool {
	for seg := range strings.SplitSeq(p.rel, "/") {
		name := plainName(seg)
		if slices.ContainsFunc(controlNames, func(c string) bool { return strings.EqualFold(name, c) }) {
			return true
		}
	}
	return false
}

// plainName returns a name without the parts that a file system may ignore.
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
