package references

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

const (
	maxFiles = 200_000 // names that are listed
	maxRead  = 1 << 20 // of a Makefile, a justfile or a package.json
)

// Project is the directory that memories are about, as it was when it was opened.
type Project struct {
	dir, home string
	whole     bool                // all names were listed
	named     map[string][]string // paths in dir, by their last element
	ignored   map[string]bool     // folders that .gitignore names

	// What make, just and package.json define; nil: there is no such file, or it includes others.
	targets, recipes, scripts map[string]bool
}

// Open lists a project. Without a directory, only what does not depend on one is checked. home is the
// person's home folder.
func Open(ctx context.Context, dir, home string) (*Project, error) {
	p := &Project{dir: dir, home: home, named: map[string][]string{}}
	if dir == "" {
		return p, nil
	}
	n := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == dir:
			return err
		case err != nil: // what can't be listed is looked up where it is named
			return nil
		case d.IsDir() && name != dir && skipped[d.Name()]:
			return filepath.SkipDir
		}
		if n++; n > maxFiles {
			return filepath.SkipAll
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil || rel == "." {
			return err
		}
		p.named[d.Name()] = append(p.named[d.Name()], filepath.ToSlash(rel))
		if d.Name() == "package.json" && d.Type().IsRegular() {
			p.readScripts(name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.whole = n <= maxFiles
	p.targets = defined(dir, target, "GNUmakefile", "makefile", "Makefile")
	p.ignored = map[string]bool{}
	for line := range strings.Lines(string(read(filepath.Join(dir, ".gitignore")))) {
		p.ignored[strings.Trim(strings.TrimSpace(line), "/")] = true
	}
	p.recipes = defined(dir, recipe, "justfile", "Justfile", ".justfile")
	return p, nil
}

// skipped are folders with what others made.
var skipped = map[string]bool{".git": true, ".hg": true, ".svn": true, ".jj": true, "node_modules": true, ".venv": true, "venv": true, "__pycache__": true, "target": true}

// has reports whether a path is in the project, or is the end of one that is.
func (p *Project) has(s string) bool {
	if p.dir == "" {
		return false
	}
	if exists(filepath.Join(p.dir, filepath.FromSlash(s))) {
		return true
	}
	s = path.Clean(s)
	for _, at := range p.named[path.Base(s)] {
		if at == s || strings.HasSuffix(at, "/"+s) {
			return true
		}
	}
	return false
}

func (p *Project) readScripts(name string) {
	if p.scripts == nil {
		p.scripts = map[string]bool{}
	}
	var found struct {
		Scripts map[string]any `json:"scripts"`
	}
	if b := read(name); json.Unmarshal(b, &found) == nil {
		for s := range found.Scripts {
			p.scripts[s] = true
		}
	}
}

var (
	target   = regexp.MustCompile(`(?m)^([^\s:#=][^:#=]*):(?:[^=]|$)`)
	recipe   = regexp.MustCompile(`(?m)^@?([A-Za-z_][\w-]*)(?:[ \t][^\n]*)?:(?:[^=\n]|$)`)
	includes = regexp.MustCompile(`(?m)^\s*-?(?:include|sinclude|import|mod)\s|^[^\t#]*[%$].*:`)
)

// defined returns the names that the first of some files in dir defines. It returns nil if there is no
// such file, or if it takes names from elsewhere.
func defined(dir string, name *regexp.Regexp, files ...string) map[string]bool {
	for _, file := range files {
		b := read(filepath.Join(dir, file))
		if b == nil {
			continue
		}
		if includes.Match(b) {
			return nil
		}
		out := map[string]bool{}
		for _, m := range name.FindAllSubmatch(b, -1) {
			for _, t := range strings.Fields(string(m[1])) {
				out[t] = true
			}
		}
		return out
	}
	return nil
}

// read returns a small regular file, or nil.
func read(name string) []byte {
	fi, err := os.Lstat(name)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > maxRead {
		return nil
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return b
}
