package proposals

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// Proposal is a change that a tool holds back.
type Proposal struct {
	Name  string
	By    versions.By // the tool
	Time  time.Time   // when it was proposed
	Note  string      // the tool's summary; may be empty
	Texts []Text
	Err   error // why the tool's own accept would fail now; then Texts have no text

	file   string // of the tool
	lock   string // a file that the tool locks while it writes; empty if none
	digest [sha256.Size]byte
}

// Text is what accepting a proposal does to one file.
type Text struct {
	File   string // absolute, with links resolved
	Exists bool
	Before []byte
	After  []byte
}

// Roots holds the folders of the tools. An empty field means that the tool is not looked for.
type Roots struct {
	Gemini string   // Gemini CLI's folder, usually ~/.gemini
	Hermes []string // the folders of Hermes' profiles
}

// Here returns the roots for this machine and this person. It reads the environment.
func Here() Roots {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return rootsOf(runtime.GOOS, home, os.Getenv)
}

func rootsOf(system, home string, getenv func(string) string) (r Roots) {
	if at := cmp.Or(getenv("GEMINI_CLI_HOME"), home); at != "" {
		r.Gemini = filepath.Join(at, ".gemini")
	}
	if at := strings.TrimSpace(getenv("HERMES_HOME")); at != "" {
		r.Hermes = []string{at}
	}
	main := ""
	switch local := strings.TrimSpace(getenv("LOCALAPPDATA")); {
	case system == "windows" && local != "":
		main = filepath.Join(local, "hermes")
	case system == "windows" && home != "":
		main = filepath.Join(home, "AppData", "Local", "hermes")
	case home != "":
		main = filepath.Join(home, ".hermes")
	}
	if main == "" {
		return r
	}
	r.Hermes = append(r.Hermes, main)
	profiles, _ := os.ReadDir(filepath.Join(main, "profiles"))
	for _, p := range profiles {
		if p.IsDir() && !memfs.HiddenName(p.Name()) {
			r.Hermes = append(r.Hermes, filepath.Join(main, "profiles", p.Name()))
		}
	}
	return r
}

// tool is a program that holds changes back.
type tool struct {
	name  string // of its proposals
	actor versions.Actor
	read  func(Roots, func(Proposal)) // calls its argument for each proposal
}

var tools = []tool{
	{"gemini", versions.Actor{Kind: versions.Agent, Name: "gemini-cli", Title: "Gemini CLI"}, readGemini},
	{"hermes", versions.Actor{Kind: versions.Agent, Name: "hermes", Title: "Hermes"}, readHermes},
}

// read returns the proposals whose files all lie in a folder, in the order of their tools.
func read(roots Roots, folder string) (out []Proposal) {
	for _, t := range tools {
		t.read(roots, func(p Proposal) {
			if len(p.Texts) == 0 || slices.ContainsFunc(p.Texts, func(x Text) bool { _, ok := pathIn(folder, x.File); return !ok }) {
				return
			}
			p.Name = t.name + ":" + p.Name
			p.By = versions.By{Door: versions.DoorOutside, Actor: t.actor}
			out = append(out, p)
		})
	}
	return out
}

// pathIn returns the path of a file within a store's folder.
func pathIn(folder, file string) (memfs.Path, bool) {
	rel, err := filepath.Rel(folder, file)
	if err != nil || !filepath.IsLocal(rel) {
		return memfs.Root, false
	}
	p, err := memfs.ParsePath(filepath.ToSlash(rel))
	return p, err == nil && !p.IsRoot()
}

// Path returns the path of the first file that the proposal changes.
func (p Proposal) Path(store versions.StoreInfo) memfs.Path {
	at, _ := pathIn(store.Folder, p.Texts[0].File)
	return at
}

// maxFile bounds the files that are read: proposals, and what they change.
const maxFile = 4 << 20

// content returns the content of a small file and when it was written.
func content(file string) (b []byte, at time.Time, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, at, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, at, err
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return nil, at, fmt.Errorf("%s: not a file of at most %d MiB", file, maxFile>>20)
	}
	b, err = io.ReadAll(io.LimitReader(f, maxFile))
	return b, info.ModTime(), err
}

// target reads the file that a proposal changes. A file that does not exist is no error.
func target(file string) (t Text, err error) {
	t.File = file
	t.Before, _, err = content(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, nil
	case err == nil && !utf8.Valid(t.Before):
		err = fmt.Errorf("%s: not UTF-8 text", file)
	}
	t.Exists = err == nil
	return t, err
}

// resolved returns a path with its links resolved, as far as it exists; "" if that is impossible.
func resolved(path string) string {
	missing := ""
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		switch {
		case err == nil:
			return filepath.Join(real, missing)
		case !errors.Is(err, fs.ErrNotExist) || filepath.Dir(at) == at:
			return ""
		}
		missing = filepath.Join(filepath.Base(at), missing)
	}
}
