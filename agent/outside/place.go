package outside

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/versions"
)

// Stores says whose memories the paths of calls are.
type Stores struct {
	All    []versions.StoreInfo
	Memory versions.StoreID // the store that the memory tool's /memories is; "" for none
}

// Placed is a call as evidence of a store.
type Placed struct {
	Store    versions.StoreID
	Evidence versions.Evidence
}

// Place finds the store of a call: of folders that hold the path the innermost. False
// where it is none's, or no memory's.
func (s Stores) Place(c Call) (p Placed, ok bool) {
	p.Evidence = versions.Evidence{Op: c.Op, Began: c.Began, Ended: c.Ended, SHA256: c.SHA256, Failed: c.Failed,
		By: versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: c.Agent}, Session: versions.SessionID(c.Session), ToolUse: c.ToolUse}}
	if c.Session == "" || c.Agent == "" {
		return p, false
	}
	if p.Store, p.Evidence.Path, ok = s.find(c.Path, c.Memory); !ok {
		return p, false
	}
	if c.Op != versions.CallMoved {
		return p, true
	}
	from, path, ok := s.find(c.From, c.Memory)
	p.Evidence.From = path
	return p, ok && from == p.Store
}

func (s Stores) find(name string, memory bool) (versions.StoreID, memfs.Path, bool) {
	if memory {
		p, err := memfs.ParseToolPath(name)
		return s.Memory, p, err == nil && s.Memory != "" && !p.IsRoot() && !p.Hidden()
	}
	if !filepath.IsAbs(name) || strings.ContainsRune(name, 0) {
		return "", memfs.Path{}, false
	}
	name = resolved(name)
	var found *versions.StoreInfo
	for i, info := range s.All {
		if within(name, info.Folder) && (found == nil || len(info.Folder) > len(found.Folder)) {
			found = &s.All[i]
		}
	}
	if found == nil {
		return "", memfs.Path{}, false
	}
	rel, err := filepath.Rel(found.Folder, name)
	if err != nil {
		return "", memfs.Path{}, false
	}
	p, err := memfs.ParsePath(filepath.ToSlash(rel))
	return found.ID, p, err == nil && !p.IsRoot() && !p.Hidden()
}

// within reports whether a path is a folder or in it.
func within(name, folder string) bool {
	rel, err := filepath.Rel(folder, name)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// resolved is the one name of a path: links are followed as far as it is there. What
// isn't there is taken as it reads.
func resolved(name string) string {
	rest := ""
	for at := name; ; {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if info, err := os.Lstat(at); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return filepath.Join(at, rest) // leads nowhere
		}
		up := filepath.Dir(at)
		if up == at {
			return filepath.Clean(name)
		}
		at, rest = up, filepath.Join(filepath.Base(at), rest)
	}
}
