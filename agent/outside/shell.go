package outside

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memend/memend/agent/shell"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// A shell command may write any file, and nothing reports which. It counts as evidence only for the
// paths that it names and may write: a long-running command, or one that reads, must not be taken for the author of
// what somebody else writes meanwhile. What it only deletes is evidence of a deletion.

const maxPlaces = 16 // of a command line that are kept as evidence

// placeShell finds the memories and folders that a shell command names and may write.
func (s Stores) placeShell(c Call, e versions.Evidence) (out []Placed) {
	for _, n := range shell.Names(c.Shell, c.Directory, s.Home) {
		if n.Use == shell.Entered || n.Use == shell.Read {
			continue
		}
		store, path, ok := s.find(n.Path, false)
		if !ok {
			continue
		}
		e.Path, e.Op = path, versions.CallRan
		if n.Use == shell.Deleted && n.Pattern == "" && !path.IsRoot() && !c.ShellFailed {
			e.Op = versions.CallDeleted
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

// Target is what a shell command may write in a store: a memory or all of a folder.
type Target struct {
	Store  versions.StoreID
	Path   memfs.Path
	Folder bool
	exists bool
}

// ShellTargets returns what a shell command names in stores and may write, first what exists: s/a/b may be a name or a
// part of a program. A command that is known to only read what it names has none.
func (s Stores) ShellTargets(c Call) (out []Target) {
	add := func(t Target) {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for _, n := range shell.Names(c.Shell, c.Directory, s.Home) {
		if n.Use == shell.Read {
			continue
		}
		if store, path, ok := s.find(n.Path, false); ok {
			fi, err := os.Stat(n.Path)
			add(Target{store, path, n.Pattern != "" || path.IsRoot() || err == nil && fi.IsDir(), err == nil})
		} else if n.Use == shell.Moved || n.Use == shell.Deleted {
			for _, info := range s.All {
				if takes, err := filepath.Rel(resolved(n.Path), info.Folder); err == nil && !strings.HasPrefix(takes, "..") && first(takes, n.Pattern) {
					add(Target{info.ID, memfs.Root, true, true})
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Target) int {
		switch {
		case a.exists == b.exists:
			return 0
		case a.exists:
			return -1
		}
		return 1
	})
	return out
}

// first reports whether the first element of a path matches a pattern, if there is one.
func first(path, pattern string) bool {
	name, _, _ := strings.Cut(filepath.ToSlash(path), "/")
	ok, err := filepath.Match(pattern, name)
	return ok || err != nil || pattern == ""
}
