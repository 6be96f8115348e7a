package instructions

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/memend/memend/agent/places"
)

// Tool is a coding agent that loads instructions.
type Tool string

// The tools that code outside of rows names.
const ClaudeCode Tool = "claude-code"

// Scope says whom a file is for, or what it is.
type Scope string

// Scopes.
const (
	Managed Scope = "managed" // by an organization, for everybody on the machine
	Person  Scope = "person"  // the person's own, for every project
	Parent  Scope = "parent"  // in a directory above the one of the session
	Project Scope = "project" // in the directory of the session
	Local   Scope = "local"   // the person's own for a project, not checked in
	Rule    Scope = "rule"    // one of several files in a folder of rules
	Memory  Scope = "memory"  // written by the agent
	Import  Scope = "import"  // named by another file
)

// File is a file that a session loads, or would under some condition.
type File struct {
	Path  string // absolute
	Real  string // with links resolved
	Scope Scope

	Bytes, Lines int64
	More         bool // it has more lines than were counted

	// What is loaded. It is less than the file if the tool cuts it.
	LoadedBytes, LoadedLines int64
	Cut                      string // the limit that cuts it: "200 lines"; "" if it is loaded whole

	Name string // of an import: as it is written
	Line int    // of an import: the line of the importing file, from 1

	Why     string // why it is not loaded at the start; "" if it is
	Imports []File // in the order of the text

	external bool // of Claude Code: what it imports from outside of the directory needs approval
}

// Loaded reports whether a session loads the file, or its beginning.
func (f *File) Loaded() bool { return f.Why == "" }

// Session is what a new session of a tool in a directory loads.
type Session struct {
	Tool  Tool
	Dir   string
	Files []File   // loaded, in this order
	Other []File   // found, but not loaded at the start
	Notes []string // what else is known about the session
}

// Total counts the files that are loaded, and what is loaded of them.
func (s *Session) Total() (files int, lines, bytes int64) {
	s.Each(func(f *File, _ int) {
		if f.Loaded() {
			files, lines, bytes = files+1, lines+f.LoadedLines, bytes+f.LoadedBytes
		}
	})
	return files, lines, bytes
}

// Each calls do with each file of Files and, after it, its imports, with the depth of an import.
func (s *Session) Each(do func(f *File, depth int)) {
	var each func([]File, int)
	each = func(files []File, depth int) {
		for i := range files {
			do(&files[i], depth)
			each(files[i].Imports, depth+1)
		}
	}
	each(s.Files, 0)
}

// Tools lists the tools that are known.
func Tools() (out []Tool) {
	for _, r := range rows {
		out = append(out, r.tool)
	}
	return out
}

// Name returns the tool's name for people.
func (t Tool) Name() string {
	if r := rowOf(t); r != nil {
		return r.name
	}
	return string(t)
}

// Of finds what a new session of a tool in a directory loads.
func Of(ctx context.Context, tool Tool, dir string, roots places.Roots) (Session, error) {
	r := rowOf(tool)
	if r == nil {
		return Session{}, fmt.Errorf("tool %q is not known", tool)
	}
	f, err := newFinder(ctx, r, dir, roots)
	if err != nil {
		return Session{}, err
	}
	return f.session()
}

func newFinder(ctx context.Context, r *row, dir string, roots places.Roots) (*finder, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a directory", dir)
	}
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, err
	}
	if roots.Getenv == nil {
		roots.Getenv = func(string) string { return "" }
	}
	return &finder{ctx: ctx, row: r, dir: dir, real: realOf(dir), roots: roots, seen: map[string]bool{}, listed: map[string]bool{}, out: Session{Tool: r.tool, Dir: dir}}, nil
}

func (f *finder) session() (Session, error) {
	if f.row.load(f); f.cut {
		f.note("more than %d imports are not listed", maxRules)
	}
	return f.out, f.ctx.Err()
}

// Here finds what new sessions in a directory load, of each tool for which there is something to load or whose
// configuration exists.
func Here(ctx context.Context, dir string, roots places.Roots) (out []Session, err error) {
	for i := range rows {
		f, err := newFinder(ctx, &rows[i], dir, roots)
		if err != nil {
			return nil, err
		}
		s, err := f.session()
		if err != nil {
			return nil, err
		}
		if own := rows[i].used(f); len(s.Files) > 0 || own != "" && isFolder(own) {
			out = append(out, s)
		}
	}
	return out, nil
}

// finder collects what a session loads.
type finder struct {
	ctx    context.Context
	row    *row
	dir    string // of the session
	real   string // the same with links resolved
	roots  places.Roots
	out    Session
	seen   map[string]bool // real paths of files that are loaded
	listed map[string]bool // paths of files that are loaded, or listed as not loaded
	files  int             // imports that were found
	cut    bool            // there are more

	exclude []*regexp.Regexp // files that settings exclude
}

// load adds a file, if there is one, and what it imports. It reports whether the file exists.
func (f *finder) load(path string, scope Scope) bool {
	file, text := facts(path, scope)
	if file == nil || scope != Managed && f.excluded(file) {
		return false
	}
	if f.listed[path] {
		return true // the same name, found in two ways
	}
	file.external = scope != Managed && scope != Person
	switch {
	case file.Why != "":
	case f.row.most > 0 && file.Bytes > f.row.most:
		file.Why = fmt.Sprintf("larger than %d MiB", f.row.most>>20)
	case f.seen[file.Real]:
		file.Why = "it is loaded above"
	}
	f.keep(file, text)
	return true
}

// excluded reports whether settings exclude a file, by its path or where it leads, and lists it then.
func (f *finder) excluded(file *File) bool {
	if !matches(file.Path, f.exclude) && !matches(file.Real, f.exclude) {
		return false
	}
	if file.Why = "claudeMdExcludes excludes it"; !f.listed[file.Path] {
		f.keep(file, nil)
	}
	return true
}

// keep adds a file that was read: to the loaded ones with its imports, or to the others.
func (f *finder) keep(file *File, text []byte) {
	f.listed[file.Path] = true
	if file.Why != "" {
		f.out.Other = append(f.out.Other, *file)
		return
	}
	f.seen[file.Real] = true
	if f.row.imports.hops > 0 && file.Scope != Memory {
		file.Imports = f.follow(file, text, 1, []string{file.Real})
	}
	f.out.Files = append(f.out.Files, *file)
}

// index adds the memory's index in a folder, of which a session loads the beginning.
func (f *finder) index(folder string) {
	file, text := facts(filepath.Join(folder, indexName), Memory)
	if file == nil {
		return
	}
	if file.Why == "" {
		cutIndex(file, text, f.row.indexBytes)
	}
	f.keep(file, text)
	f.topics(folder)
}

// topics notes how many other memories there are beside an index.
func (f *finder) topics(folder string) {
	n := 0
	for _, e := range entries(folder, maxRules) {
		if strings.HasSuffix(e.Name(), ".md") && e.Name() != indexName {
			n++
		}
	}
	if n > 0 {
		f.note("%d other %s in %s: read when the agent decides to", n, plural(n, "memory", "memories"), folder)
	}
}

// skip adds a file that is found but not loaded. It reports whether it exists.
func (f *finder) skip(path string, scope Scope, why string) bool {
	file, _ := facts(path, scope)
	if file == nil || f.seen[file.Real] || f.listed[path] {
		return false
	}
	if file.Why == "" {
		file.Why = why
	}
	f.keep(file, nil)
	return true
}

func (f *finder) note(format string, args ...any) {
	f.out.Notes = append(f.out.Notes, fmt.Sprintf(format, args...))
}

// scopeOf returns the scope of instructions in a directory of the chain.
func (f *finder) scopeOf(dir string) Scope {
	if dir == f.dir {
		return Project
	}
	return Parent
}

// config returns the folder of a tool's configuration: that of an environment variable, else one in the person's home.
func (f *finder) config(env, name string) string {
	if at := strings.TrimSpace(f.roots.Getenv(env)); filepath.IsAbs(at) {
		return filepath.Clean(at)
	}
	if f.roots.Home == "" {
		return ""
	}
	return filepath.Join(f.roots.Home, name)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Lost says what of a file is not loaded because the tool cuts it; "" if it is loaded whole.
func (f *File) Lost() string {
	first := f.LoadedLines + 1
	switch {
	case f.Cut == "":
		return ""
	case f.More:
		return fmt.Sprintf("not loaded from line %d on: the limit is %s", first, f.Cut)
	case first >= f.Lines:
		return fmt.Sprintf("line %d is not loaded whole: the limit is %s", f.Lines, f.Cut)
	}
	return fmt.Sprintf("lines %d-%d are not loaded: the limit is %s", first, f.Lines, f.Cut)
}
