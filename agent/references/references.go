// Package references finds what memories name of their project that does not exist any more: paths,
// commands and links.
//
// # What counts
//
// A memory is read as Markdown. Looked at are links without a scheme, code spans, the lines of code
// blocks without a language or in that of a shell, and imports, as agent/instructions finds them. Prose
// is not: too much of it reads like a path.
//
//   - A path counts if it begins with ./ or ../, or if it has a folder, which exists, or a name with the
//     suffix of a usual kind of file. It is found anywhere in the project that it can be the end of. One
//     below ~/ counts if the folder that it is in exists, and one in a folder that .gitignore names does
//     not: people describe files that programs make. A bare name does not count either.
//   - A command counts if it is a target of make, a recipe of just, a script of package.json, a file, or
//     a file given to an interpreter.
//
// What has a wildcard or a placeholder is left out. So a finding is almost always right, and what is not
// found may be broken all the same.
//
// # Contract
//
// Nothing is run, written or sent. Of the project, names are listed (at most maxFiles, without those in
// folders of packages and version control), and its Makefile, justfile and package.json files are read.
// What a memory names is looked up, never opened. A Project is safe for concurrent use.
package references

import (
	"bytes"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/memend/memend/agent/instructions"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Kind is what a reference is to.
type Kind string

const (
	Path    Kind = "path"
	Command Kind = "command"
	Link    Kind = "link"
	Import  Kind = "import"
)

// Broken is a reference to what does not exist.
type Broken struct {
	Line int // from 1
	Kind Kind
	Text string // as the memory has it
	Why  string
}

// Check returns the broken references of a memory, in the order of its lines. folder is where the
// memory's file is, root the folder of its store.
func (p *Project) Check(source []byte, folder, root string) (out []Broken) {
	doc := goldmark.DefaultParser().Parse(text.NewReader(source))
	c := &checking{p: p, folder: folder, root: root}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			c.at(source, startOf(n))
			c.link(string(n.Destination))
		case *ast.Image:
			c.at(source, startOf(n))
			c.link(string(n.Destination))
		case *ast.CodeSpan:
			c.at(source, startOf(n))
			c.code(spanned(n, source))
		case *ast.FencedCodeBlock:
			if language := string(n.Language(source)); slices.Contains(shells, language) {
				c.block(source, n.Lines())
			}
		case *ast.CodeBlock:
			c.block(source, n.Lines())
		}
		return ast.WalkContinue, nil
	})
	for _, r := range instructions.Imports(source) {
		if c.line = r.Line; r.Meant() {
			c.imports(r.File())
		}
	}
	slices.SortStableFunc(c.found, func(a, b Broken) int { return a.Line - b.Line })
	return slices.Compact(c.found)
}

// shells are the languages of code blocks whose lines are commands.
var shells = []string{"", "sh", "bash", "zsh", "shell", "console"}

// startOf returns where the first text in a node begins, or -1.
func startOf(n ast.Node) int {
	at := -1
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			at = t.Segment.Start
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	return at
}

// spanned returns the text of a code span.
func spanned(n *ast.CodeSpan, source []byte) string {
	var b strings.Builder
	for k := n.FirstChild(); k != nil; k = k.NextSibling() {
		if t, ok := k.(*ast.Text); ok {
			b.Write(t.Segment.Value(source))
		}
	}
	return strings.TrimSpace(strings.ReplaceAll(b.String(), "\n", " "))
}

// checking is the check of one memory.
type checking struct {
	p            *Project
	folder, root string
	line         int
	found        []Broken
}

// at sets the line of what is looked at next; that of an empty node stays the last one.
func (c *checking) at(source []byte, offset int) {
	if offset >= 0 {
		c.line = 1 + bytes.Count(source[:offset], []byte("\n"))
	}
}

func (c *checking) report(k Kind, what, why string) {
	c.found = append(c.found, Broken{Line: max(c.line, 1), Kind: k, Text: what, Why: why})
}

func (c *checking) link(to string) {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" || strings.HasPrefix(to, "//") {
		return
	}
	in := u.Path
	if rest, ok := strings.CutPrefix(in, "/memories/"); ok {
		in = "/" + rest
	}
	under := func(dir string) bool { return dir != "" && exists(filepath.Join(dir, filepath.FromSlash(in))) }
	switch {
	case strings.HasPrefix(in, "/"):
		if under(c.root) || under(c.p.dir) || exists(filepath.FromSlash(in)) {
			return
		}
	case under(c.folder), under(c.root), under(c.p.dir):
		return
	}
	c.report(Link, to, "there is no such file")
}

// imports checks a file that an agent is to load with the memory.
func (c *checking) imports(name string) {
	at := filepath.FromSlash(name)
	switch rest, below := strings.CutPrefix(name, "~/"); {
	case below && c.p.home == "":
		return
	case below:
		at = filepath.Join(c.p.home, filepath.FromSlash(rest))
	case !filepath.IsAbs(at):
		at = filepath.Join(c.folder, at)
	}
	if !exists(at) && !c.p.has(name) {
		c.report(Import, "@"+name, "there is no such file")
	}
}

// code checks a code span: a path, or a command.
func (c *checking) code(s string) {
	if strings.ContainsAny(s, " \t") {
		c.command(s)
		return
	}
	if why, broken := c.path(s); broken {
		c.report(Path, s, why)
	}
}

func (c *checking) block(source []byte, lines *text.Segments) {
	for i := range lines.Len() {
		segment := lines.At(i)
		c.at(source, segment.Start)
		c.command(string(segment.Value(source)))
	}
}

var (
	pathForm  = regexp.MustCompile(`^(?:~/|\.{1,2}/|/)?[\w@.+-]+(?:/[\w@.+-]+)*/?$`)
	lineOf    = regexp.MustCompile(`:\d+(?:[-:]\d+)?$`)
	separator = regexp.MustCompile(`&&|\|\||[;|]`)
	variable  = regexp.MustCompile(`^\w+=`)
	plainName = regexp.MustCompile(`^[\w][\w.:/-]*$`)
)

// suffixes are those of kinds of files that projects consist of.
var suffixes = strings.Fields(".bash .c .cc .cfg .conf .cpp .cs .css .csv .dart .ex .exs .go .gradle .h .hpp .html .ini .java .js .json .jsx .kt .lua " +
	".md .mdx .mjs .php .proto .py .rb .rs .scala .scss .sh .sql .svelte .swift .tf .toml .ts .tsx .txt .vue .xml .yaml .yml .zig")

// path reports whether s names a path that does not exist, and why it counts as one.
func (c *checking) path(s string) (why string, broken bool) {
	s = lineOf.ReplaceAllString(s, "")
	if !pathForm.MatchString(s) || strings.HasPrefix(s, "//") || strings.Contains(s, "...") {
		return "", false
	}
	usual := slices.Contains(suffixes, path.Ext(s)) && len(path.Base(s)) > len(path.Ext(s))
	first, _, nested := strings.Cut(s, "/")
	switch {
	case strings.HasPrefix(s, "/memories/"):
		return "there is no such memory", c.root != "" && !exists(filepath.Join(c.root, filepath.FromSlash(strings.TrimPrefix(s, "/memories/"))))
	case strings.HasPrefix(s, "~/"):
		file := filepath.Join(c.p.home, filepath.FromSlash(s[2:]))
		in := filepath.Dir(file)
		return "there is no such file", c.p.home != "" && in != filepath.Clean(c.p.home) && exists(in) && !exists(file)
	case strings.HasPrefix(s, "/"):
		top, _, _ := strings.Cut(s[1:], "/")
		return "there is no such file", top != s[1:] && exists("/"+top) && !exists(filepath.FromSlash(s)) && !c.p.has(s[1:])
	case c.p.dir == "":
		return "", false
	case first == "." || first == "..":
	case nested && !slices.ContainsFunc(strings.Split(s, "/"), func(in string) bool { return c.p.ignored[in] }) && (usual || exists(filepath.Join(c.p.dir, first))):
	default:
		return "", false
	}
	if exists(filepath.Join(c.folder, filepath.FromSlash(s))) || c.p.has(s) {
		return "", false
	}
	return "the project has no such file", true
}

// runners run a file that is their first argument.
var runners = []string{"bash", "bun", "deno", "node", "php", "python", "python3", "ruby", "sh", "source", "zsh"}

// command checks the commands of a line.
func (c *checking) command(line string) {
	line = strings.TrimSpace(line)
	for _, prompt := range []string{"$ ", "% ", "> "} {
		line = strings.TrimPrefix(line, prompt)
	}
	if line == "" || line[0] == '#' {
		return
	}
	for _, part := range separator.Split(line, -1) {
		words := strings.Fields(part)
		for len(words) > 0 && (words[0] == "sudo" || words[0] == "exec" || variable.MatchString(words[0])) {
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		if why := c.missing(words); why != "" {
			c.report(Command, strings.TrimSpace(part), why)
		}
	}
}

// missing says what a command needs that the project does not have.
func (c *checking) missing(words []string) string {
	name, args := words[0], words[1:]
	arg := func(i int) string {
		if i < len(args) && plainName.MatchString(args[i]) {
			return args[i]
		}
		return ""
	}
	file := func(s string) string {
		if why, broken := c.path(s); broken {
			return why + ": " + s
		}
		return ""
	}
	switch {
	case c.p.dir == "":
	case name == "make" && arg(0) != "" && c.p.targets != nil && !c.p.targets[arg(0)]:
		return "the Makefile has no target " + arg(0)
	case name == "just" && arg(0) != "" && c.p.recipes != nil && !c.p.recipes[arg(0)]:
		return "the justfile has no recipe " + arg(0)
	case slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, name) && len(args) > 1 && args[0] == "run" && arg(1) != "" && c.p.scripts != nil && !c.p.scripts[arg(1)] && c.p.whole:
		if name == "bun" && strings.Contains(arg(1), ".") {
			return file(arg(1))
		}
		return "no package.json has a script " + arg(1)
	case name == "go" && len(args) > 1 && args[0] == "run" && strings.HasPrefix(args[1], "./"):
		return file(args[1])
	case slices.Contains(runners, name) && len(args) > 0:
		return file(args[0])
	case strings.Contains(name, "/"):
		return file(name)
	}
	return ""
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
