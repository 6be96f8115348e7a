package outside

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
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
	if c.Session == "" || c.Agent == "" || c.Op == "" {
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

// Inputs returns the kinds of what a call that has ended brought into its session from outside: of a file, that
// is one outside the project that the agent works on, and in no store.
func (s Stores) Inputs(c Call) versions.Inputs {
	if c.Ended.IsZero() {
		return 0
	}
	in := c.Takes
	if c.Failed { // an error message comes from the agent's program
		in &^= versions.InputWeb
	}
	file := c.Looks
	if c.Op == versions.CallRead && !c.Memory && c.Tool == "Read" {
		file = c.Path
	}
	if file == "" || c.Failed {
		return in
	}
	if !filepath.IsAbs(file) {
		if c.Directory == "" {
			return in | versions.InputFile
		}
		file = filepath.Join(c.Directory, file)
	}
	file = resolved(file)
	if c.Directory != "" && within(file, s.project(c.Directory)) {
		return in
	}
	for _, info := range s.All {
		if info.Files.All() && within(file, info.Folder) || info.Holds(file) {
			return in
		}
	}
	return in | versions.InputFile
}

// project returns the root of the repository that a directory lies in, or else the directory itself.
func (s Stores) project(directory string) string {
	directory = resolved(directory)
	for at := directory; at != s.Home && at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
	}
	return directory
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
		return s.Memory, p, err == nil && s.Memory != "" && s.reaches(s.Memory, p)
	}
	if !filepath.IsAbs(name) || strings.ContainsRune(name, 0) {
		return "", memfs.Path{}, false
	}
	name = resolved(name)
	var found *versions.StoreInfo
	var path memfs.Path
	for i, info := range s.All {
		if p, ok := pathIn(name, info); ok && (found == nil || len(info.Folder) > len(found.Folder)) {
			found, path = &s.All[i], p
		}
	}
	if found == nil {
		return "", memfs.Path{}, false
	}
	return found.ID, path, found.Files.Reaches(path)
}

// pathIn returns a file or folder as a path in a store. Files that are not named are not in a store
// of named files, so that another store around it may have them.
func pathIn(name string, in versions.StoreInfo) (memfs.Path, bool) {
	if !within(name, in.Folder) {
		return memfs.Path{}, false
	}
	rel, err := filepath.Rel(in.Folder, name)
	if err != nil {
		return memfs.Path{}, false
	}
	p, err := memfs.ParsePath(filepath.ToSlash(rel))
	return p, err == nil && (in.Files.All() || in.Files.Reaches(p))
}

// reaches reports whether a scan of a store finds a path.
func (s Stores) reaches(id versions.StoreID, p memfs.Path) bool {
	i := slices.IndexFunc(s.All, func(info versions.StoreInfo) bool { return info.ID == id })
	if i < 0 {
		return !p.Hidden()
	}
	return s.All[i].Files.Reaches(p)
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
