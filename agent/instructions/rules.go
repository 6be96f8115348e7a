package instructions

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"go.yaml.in/yaml/v3"
)

// rulesIn returns the files with a suffix in a folder and those below it, by path.
func (f *finder) rulesIn(folder, suffix string, links bool) (out []string) {
	seen := map[string]bool{}
	left := maxRules
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		real := realOf(dir)
		if seen[real] || depth > maxDepth || f.ctx.Err() != nil { // links may make circles
			return
		}
		seen[real] = true
		for _, e := range entries(dir, left) {
			at := filepath.Join(dir, e.Name())
			linked := e.Type()&fs.ModeSymlink != 0
			if left--; left <= 0 {
				f.note("%s has more than %d files: not all are listed", folder, maxRules)
				return
			}
			switch {
			case linked && !links:
			case e.IsDir() || linked && isFolder(at):
				walk(at, depth+1)
			case strings.HasSuffix(e.Name(), suffix):
				out = append(out, at)
			}
		}
	}
	walk(folder, 0)
	return out
}

// front is the front matter of a rule.
type front struct {
	Paths       any    `yaml:"paths"`
	Globs       any    `yaml:"globs"`
	Description string `yaml:"description"`
	Always      any    `yaml:"alwaysApply"`
}

const maxFront = 64 << 10

// frontOf reads the front matter of a rule. What does not parse is no front matter.
func frontOf(text []byte) (out front) {
	text = bytes.ReplaceAll(text[:min(len(text), maxFront)], []byte("\r\n"), []byte("\n"))
	rest, ok := bytes.CutPrefix(text, []byte("---\n"))
	if !ok {
		return front{}
	}
	matter, _, ok := bytes.Cut(rest, []byte("\n---"))
	if !ok || yaml.Unmarshal(matter, &out) != nil {
		return front{}
	}
	return out
}

// words returns the patterns of a field that is a list, or a text with commas; "" if there are none.
func words(field any) string {
	var out []string
	switch v := field.(type) {
	case string:
		for s := range strings.SplitSeq(v, ",") {
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
	case []any:
		for _, e := range v {
			if s, ok := e.(string); ok && s != "" {
				out = append(out, s)
			}
		}
	}
	if len(out) > 3 {
		out = append(out[:3], "…")
	}
	return strings.Join(out, ", ")
}

// rules adds the rules of a folder: those for matching files only are not loaded at the start.
func (f *finder) rules(folder string, links, external bool) {
	for _, at := range f.rulesIn(folder, ".md", links) {
		file, text := facts(at, Rule)
		if file == nil || f.seen[file.Real] || f.listed[at] || f.excluded(file) {
			continue
		}
		file.external = external
		if globs := words(frontOf(text).Paths); file.Why == "" && globs != "" {
			file.Why = "only for files that match " + globs
		}
		if file.Why == "" && external && !within(file.Real, f.real) && within(file.Path, f.dir) {
			file.Why = externalWhy
		}
		f.keep(file, text)
	}
}

// findBelow adds the instructions in folders below the directory.
func (f *finder) findBelow() {
	left, found := maxBelow, 0
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		for _, e := range entries(dir, left) {
			if left--; left <= 0 || found >= maxListed || f.ctx.Err() != nil {
				return
			}
			at := filepath.Join(dir, e.Name())
			switch {
			case e.IsDir() && !memfs.HiddenName(e.Name()) && depth < maxDepth:
				walk(at, depth+1)
			case depth > 0 && slices.Contains(f.row.below, e.Name()) && f.skip(at, Project, f.row.later):
				found++
			}
		}
	}
	walk(f.dir, 0)
	if left <= 0 || found >= maxListed {
		f.note("not everything below %s was searched", f.dir)
	}
}

// matches reports whether an absolute path matches one of some glob patterns: ** is any number of folders.
func matches(path string, patterns []*regexp.Regexp) bool {
	for _, p := range patterns {
		if p.MatchString(filepath.ToSlash(path)) {
			return true
		}
	}
	return false
}

const maxPattern = 4096

// glob compiles a pattern; nil if it is invalid.
func glob(pattern string) *regexp.Regexp {
	if len(pattern) > maxPattern {
		return nil
	}
	var b strings.Builder
	b.WriteString(`^(?s:`)
	braces := 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case strings.HasPrefix(pattern[i:], "**/"):
			b.WriteString(`(?:.*/)?`)
			i += 2
		case strings.HasPrefix(pattern[i:], "**"):
			b.WriteString(`.*`)
			i++
		case c == '*':
			b.WriteString(`[^/]*`)
		case c == '?':
			b.WriteString(`[^/]`)
		case c == '{':
			b.WriteString(`(?:`)
			braces++
		case c == '}' && braces > 0:
			b.WriteString(`)`)
			braces--
		case c == ',' && braces > 0:
			b.WriteString(`|`)
		case c == '\\' && i+1 < len(pattern):
			i++
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		case c == '[' && strings.IndexByte(pattern[i:], ']') > 1:
			end := i + strings.IndexByte(pattern[i:], ']')
			b.WriteString("[" + strings.Replace(pattern[i+1:end], "!", "^", 1) + "]")
			i = end
		default:
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		}
	}
	b.WriteString(`)$`)
	out, err := regexp.Compile(b.String())
	if err != nil {
		return nil
	}
	return out
}
