package outside

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// Stores maps the paths of calls to stores.
type Stores struct {
	All    []versions.StoreInfo
	Memory versions.StoreID // the store at the memory tool's /memories; "" for none
	Home   string           // the folder that ~ means in a shell command; "" if unknown
}

// Placed is a call as evidence of a store.
type Placed struct {
	Store    versions.StoreID
	Evidence versions.Evidence
}

// Place returns the call as evidence for the stores that it touches, if any: for each path the store
// with the innermost folder that contains it. Only a shell command may name several paths.
func (s Stores) Place(c Call) (out []Placed) {
	if c.Session == "" || c.Agent == "" {
		return nil
	}
	e := versions.Evidence{Op: c.Op, Began: c.Began, Ended: c.Ended, Failed: c.Failed,
		By: versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: c.Who()}, Session: versions.SessionID(c.Session), ToolUse: c.ToolUse}}
	if c.Op == versions.CallRan {
		return s.placeShell(c, e)
	}
	if c.After != nil {
		e.SHA256, e.CRLF = sums(*c.After)
	}
	store, path, ok := s.find(c.Path, c.Memory)
	if !ok || path.IsRoot() {
		return nil
	}
	e.Path = path
	if c.Op == versions.CallMoved {
		from, path, ok := s.find(c.From, c.Memory)
		if !ok || path.IsRoot() || from != store {
			return nil
		}
		e.From = path
	}
	return []Placed{{store, e}}
}

// sums returns the hashes of a text as it may be on the disk: with "\n" and with "\r\n" line ends.
func sums(text string) (lf, crlf versions.Hash) {
	lf = sha256.Sum256([]byte(text))
	if strings.Contains(text, "\n") && !strings.Contains(text, "\r") {
		crlf = sha256.Sum256([]byte(strings.ReplaceAll(text, "\n", "\r\n")))
	}
	return lf, crlf
}

// find returns the store that contains a path, and the path in it; the root for the folder itself.
func (s Stores) find(name string, memory bool) (versions.StoreID, memfs.Path, bool) {
	if memory {
		p, err := memfs.ParseToolPath(name)
		return s.Memory, p, err == nil && s.Memory != "" && !p.Hidden()
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
	return found.ID, p, err == nil && !p.Hidden()
}

// within reports whether a path is a folder or inside it.
func within(name, folder string) bool {
	rel, err := filepath.Rel(folder, name)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// resolved returns a path with its links followed as far as it exists.
func resolved(name string) string {
	rest := ""
	for at := name; ; {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if info, err := os.Lstat(at); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return filepath.Join(at, rest) // a dangling link
		}
		up := filepath.Dir(at)
		if up == at {
			return filepath.Clean(name)
		}
		at, rest = up, filepath.Join(filepath.Base(at), rest)
	}
}
