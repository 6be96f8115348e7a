package instructions

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// Reference is an import as a text has it.
type Reference struct {
	Path       string // "docs/style.md", "~/x.md"
	Line       int    // from 1
	Start, End int    // bytes of the text, with the @
}

// Imports finds the imports of Claude Code in a text: @ and a path, at the beginning of a line or after white space, not in
// code spans, fenced code blocks and block-level comments. A backslash keeps a space in the path.
func Imports(text []byte) []Reference { return referencesIn(text, true) }

// Meant reports whether a name without a file is probably an import all the same: it is written as a path, or ends as
// texts do. People also write @somebody, @some.body and @scope/package. A full stop after a name is a part of it: such an
// import fails.
func (r Reference) Meant() bool {
	for _, begin := range []string{"./", "../", "~/", "/"} {
		if strings.HasPrefix(r.Path, begin) {
			return true
		}
	}
	ext := path.Ext(r.File())
	if len(ext) < 2 || strings.IndexFunc(ext[1:], func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) >= 0 {
		return false
	}
	return strings.Contains(r.Path, "/") || slices.Contains(texts, strings.ToLower(ext))
}

// File returns the path without the punctuation of the sentence that it is in.
func (r Reference) File() string { return strings.TrimRight(r.Path, ".,;:!?)") }

// texts are the suffixes of files that are imported.
var texts = strings.Fields(".json .md .mdc .mdx .rst .toml .txt .yaml .yml")

func referencesIn(text []byte, claude bool) (out []Reference) {
	skip := code(text)
	line, counted := 1, 0
	for i := 0; ; {
		at := bytes.IndexByte(text[i:], '@')
		if at < 0 {
			return out
		}
		at += i
		i = at + 1
		for len(skip) > 0 && skip[0].end <= at {
			skip = skip[1:]
		}
		if len(skip) > 0 && skip[0].start <= at {
			i = max(i, skip[0].end)
			continue
		}
		if at > 0 && !blank(text[at-1]) {
			continue
		}
		name, end := nameAt(text, at+1, claude)
		i = max(i, end)
		if begins(name, claude) {
			line += bytes.Count(text[counted:at], []byte("\n"))
			counted = at
			out = append(out, Reference{Path: name, Line: line, Start: at, End: end})
		}
	}
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

const maxName = 4096 // bytes of a path

// nameAt returns the path that begins at a place, and where it ends.
func nameAt(text []byte, at int, escapes bool) (name string, end int) {
	var b strings.Builder
	for end = at; end < len(text) && !blank(text[end]) && b.Len() <= maxName; end++ {
		if escapes && text[end] == '\\' && end+1 < len(text) && text[end+1] == ' ' {
			end++
		}
		b.WriteByte(text[end])
	}
	return b.String(), end
}

// begins reports whether a path may be imported, by how it begins.
func begins(name string, claude bool) bool {
	if name == "" || len(name) > maxName {
		return false
	}
	c := name[0]
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	if !claude {
		return c == '.' || c == '/' || letter
	}
	return c == '.' || c == '/' || letter || c == '_' || c >= '0' && c <= '9' || strings.HasPrefix(name, "~/")
}

// span is a part of a text in bytes.
type span struct{ start, end int }

// code returns the fenced code blocks, code spans and block-level comments of a Markdown text, in order.
func code(text []byte) (out []span) {
	paragraph := 0 // where the text without blocks begins
	flush := func(end int) {
		out = append(out, codeSpans(text, paragraph, end)...)
	}
	for at := 0; at < len(text); {
		next := lineEnd(text, at)
		line := text[at:next]
		end := 0
		if c, n := fence(line); n > 0 {
			end = fenceEnd(text, next, c, n)
		} else if bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("<!--")) {
			end = commentEnd(text, at)
		}
		switch {
		case end > 0:
			flush(at)
			out = append(out, span{at, end})
			next, paragraph = end, end
		case len(bytes.TrimSpace(line)) == 0: // a code span does not leave its paragraph
			flush(at)
			paragraph = next
		}
		at = next
	}
	flush(len(text))
	return out
}

func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// fence returns the character and the length of a fence that begins a block; in lists and quotes, too.
func fence(line []byte) (c byte, n int) {
	line = bytes.TrimLeft(line, " \t>-*+")
	if len(line) < 3 || line[0] != '`' && line[0] != '~' {
		return 0, 0
	}
	c = line[0]
	for n < len(line) && line[n] == c {
		n++
	}
	if n < 3 || c == '`' && bytes.IndexByte(line[n:], '`') >= 0 {
		return 0, 0
	}
	return c, n
}

// fenceEnd returns where a block ends: after its closing fence, or with the text.
func fenceEnd(text []byte, at int, c byte, n int) int {
	for at < len(text) {
		next := lineEnd(text, at)
		line := bytes.TrimSpace(bytes.TrimLeft(text[at:next], " \t>"))
		if len(line) >= n && len(bytes.Trim(line, string(c))) == 0 {
			return next
		}
		at = next
	}
	return at
}

func commentEnd(text []byte, at int) int {
	if i := bytes.Index(text[at:], []byte("-->")); i >= 0 {
		return at + i + 3
	}
	return len(text)
}

// codeSpans returns the code spans of a paragraph: between a run of backticks and the next one of the same length.
func codeSpans(text []byte, from, to int) (out []span) {
	var runs []span
	for i := from; i < to; {
		at := bytes.IndexByte(text[i:to], '`')
		if at < 0 {
			break
		}
		start := i + at
		for i = start; i < to && text[i] == '`'; i++ {
		}
		runs = append(runs, span{start, i})
	}
	after := make([]int, len(runs)) // the next run of the same length
	last := map[int]int{}
	for i := len(runs) - 1; i >= 0; i-- {
		n := runs[i].end - runs[i].start
		after[i] = last[n]
		last[n] = i
	}
	for i := 0; i < len(runs); i++ {
		if close := after[i]; close > i {
			out = append(out, span{runs[i].start, runs[close].end})
			i = close
		}
	}
	return out
}

// follow returns what a file imports. way has the real paths of the files that import each other, this one last.
func (f *finder) follow(of *File, text []byte, hop int, way []string) (out []File) {
	rule := f.row.imports
	for i, ref := range referencesIn(text, rule.claude) {
		if i == maxRules || f.files == maxRules || f.ctx.Err() != nil {
			f.cut = f.cut || f.files == maxRules
			return out
		}
		file, text := f.imported(of, ref)
		if file == nil {
			continue
		}
		f.files++ // each file may import all others
		switch {
		case file.Why != "":
		case hop > rule.hops:
			file.Why = fmt.Sprintf("imports are followed %d deep", rule.hops)
		case rule.once && f.seen[file.Real]:
			file.Why = "it is loaded above"
		case slices.Contains(way, file.Real):
			file.Why = "it imports itself"
		case f.row.most > 0 && file.Bytes > f.row.most:
			file.Why = fmt.Sprintf("larger than %d MiB", f.row.most>>20)
		default:
			f.seen[file.Real] = true
			file.Imports = f.follow(file, text, hop+1, append(way[:len(way):len(way)], file.Real))
		}
		out = append(out, *file)
	}
	return out
}

// imported reads what a reference in a file names. It returns nil if that is probably no import.
func (f *finder) imported(of *File, ref Reference) (*File, []byte) {
	at := filepath.FromSlash(ref.Path)
	rest, below := strings.CutPrefix(ref.Path, "~/")
	switch {
	case below && f.roots.Home != "":
		at = filepath.Join(f.roots.Home, filepath.FromSlash(rest))
	case !filepath.IsAbs(at):
		at = filepath.Join(filepath.Dir(of.Path), at)
	}
	at = filepath.Clean(at)
	file, text := facts(at, Import)
	if file == nil {
		if !ref.Meant() {
			return nil, nil
		}
		file = &File{Path: at, Real: at, Scope: Import, Why: "there is no such file"}
	}
	file.Name, file.Line = ref.Path, ref.Line
	if file.Why == errFolder.Error() && !ref.Meant() {
		return nil, nil
	}
	if why := f.outside(of, file); why != "" && file.Why == "" {
		file.Why = why
	}
	return file, text
}

// outside says why a tool does not load an import from elsewhere.
func (f *finder) outside(of, file *File) string {
	switch {
	case f.row.imports.inside:
		root := rootOf(filepath.Dir(of.Path), ".git")
		if root == "" {
			root = filepath.Dir(of.Path)
		}
		if !within(file.Real, realOf(root)) {
			return "outside of " + root
		}
	case of.external && !within(file.Real, f.real):
		return externalWhy
	}
	file.external = of.external
	return ""
}

// externalWhy is why Claude Code does not load what a project's file imports from elsewhere.
const externalWhy = "outside of the directory: loaded once you approve imports from elsewhere"
