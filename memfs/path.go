package memfs

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// Path is the checked path of one memory or folder in a store. Only the Parse functions and
// Join create one, so a Path needs no further checks: it is relative to the store's folder,
// contains no "." or ".." segment, no control character and no invalid UTF-8, and no segment
// is longer than 255 bytes. The zero Path is the store's folder itself. Paths are comparable.
type Path struct{ rel string }

// Root is the store's folder itself.
var Root = Path{}

// toolRoot is the name of the store's folder in the memory tool.
const toolRoot = "/memories"

// PathError says why a text is not a valid path of a memory. It never contains a path of the
// host.
type PathError struct {
	Path string // as given
	Err  error
}

func (e *PathError) Error() string { return fmt.Sprintf("path %q: %v", e.Path, e.Err) }
func (e *PathError) Unwrap() error { return e.Err }

// ParsePath parses a path as people and the memory-stores API write it: "/notes/a.md" or
// "notes/a.md". "/" and "" are the root.
func ParsePath(s string) (Path, error) {
	p, err := clean(s)
	if err != nil {
		return Path{}, &PathError{s, err}
	}
	return p, nil
}

// ParseToolPath parses a path as the memory tool writes it: "/memories" or "/memories/…".
func ParseToolPath(s string) (Path, error) {
	rest, ok := strings.CutPrefix(s, toolRoot)
	if !ok || rest != "" && rest[0] != '/' {
		return Path{}, &PathError{s, ErrOutsideMemories}
	}
	p, err := clean(rest)
	if err != nil {
		return Path{}, &PathError{s, err}
	}
	return p, nil
}

// String returns the path as the memory-stores API writes it: "/notes/a.md", or "/" for the
// root.
func (p Path) String() string { return "/" + p.rel }

// Tool returns the path as the memory tool writes it: "/memories/notes/a.md".
func (p Path) Tool() string {
	if p.rel == "" {
		return toolRoot
	}
	return toolRoot + "/" + p.rel
}

// Rel returns the path as package io/fs wants it: "notes/a.md", or "." for the root.
func (p Path) Rel() string {
	if p.rel == "" {
		return "."
	}
	return p.rel
}

// IsRoot reports whether p is the store's folder itself.
func (p Path) IsRoot() bool { return p.rel == "" }

// Base returns the last segment, or "" for the root.
func (p Path) Base() string { return p.rel[strings.LastIndexByte(p.rel, '/')+1:] }

// Dir returns the folder that contains p; the root is its own folder.
func (p Path) Dir() Path {
	i := strings.LastIndexByte(p.rel, '/')
	if i < 0 {
		return Path{}
	}
	return Path{p.rel[:i]}
}

// Join returns the path of the entry called name in the folder p.
func (p Path) Join(name string) (Path, error) {
	if name == "" || strings.ContainsRune(name, '/') {
		return Path{}, &PathError{name, errors.New("not a file name")}
	}
	q, err := clean(path.Join(p.rel, name))
	if err != nil || q.Base() != name {
		return Path{}, &PathError{name, errors.New("not a valid name for a memory")}
	}
	return q, nil
}

// child returns a fast Join for names that a folder contains: it reports that a name is invalid
// but not why.
func (p Path) child(name string) (Path, bool) {
	for i := 0; i < len(name); i++ {
		if needsCheck[name[i]] {
			q, err := p.Join(name)
			return q, err == nil
		}
	}
	if !named(name) || len(name) > maxSegmentBytes || len(p.rel)+1+len(name) > maxPathBytes {
		return Path{}, false
	}
	if p.rel == "" {
		return Path{name}, true
	}
	return Path{p.rel + "/" + name}, true
}

// In reports whether p is dir itself or below it.
func (p Path) In(dir Path) bool {
	return dir.rel == "" || p.rel == dir.rel || strings.HasPrefix(p.rel, dir.rel) && p.rel[len(dir.rel)] == '/'
}

// Move returns p with its leading folder from replaced by to; p must be In(from).
func (p Path) Move(from, to Path) Path {
	rest := strings.TrimPrefix(p.rel[len(from.rel):], "/")
	return Path{strings.Trim(to.rel+"/"+rest, "/")}
}

// Hidden reports whether a listing leaves p out: a segment begins with a dot or is
// node_modules.
func (p Path) Hidden() bool { return HiddenRel(p.rel) }

// HiddenRel reports the same for a relative path with slashes that may not be a Path.
func HiddenRel(rel string) bool {
	for seg := range strings.SplitSeq(rel, "/") {
		if seg != "." && HiddenName(seg) {
			return true
		}
	}
	return false
}

// HiddenName reports whether scans and listings leave out a file or a folder with this name, with
// everything in it. What memend itself writes there is a memory all the same.
func HiddenName(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules"
}

const maxSegmentBytes = 255

// clean checks the part after the root. It collapses repeated slashes, "." segments and a
// final slash. It refuses "..", rather than cleaning it away, in every spelling that some
// program might read as one: between any mix of slashes and backslashes, and behind any depth
// of percent-encoding.
func clean(s string) (Path, error) {
	if plain(s) {
		return Path{s}, nil
	}
	if !utf8.ValidString(s) {
		return Path{}, ErrNotUTF8Path
	}
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] == 0x7f {
			return Path{}, ErrControlInPath
		}
	}
	if len(s) > maxRawPathBytes {
		return Path{}, ErrNameTooLong
	}
	if hasDotDot(s) {
		return Path{}, ErrEscape
	}
	var segs []string
	total := 0
	for seg := range strings.SplitSeq(s, "/") {
		if seg == "" || seg == "." {
			continue
		}
		if len(seg) > maxSegmentBytes {
			return Path{}, ErrNameTooLong
		}
		total += len(seg) + 1
		segs = append(segs, seg)
	}
	if total > maxPathBytes {
		return Path{}, ErrNameTooLong
	}
	return Path{strings.Join(segs, "/")}, nil
}

// plain reports whether s is already a clean path of bytes that every name may contain. Most
// paths are, and need no further work.
func plain(s string) bool {
	if len(s) > maxSegmentBytes { // otherwise no segment can be too long
		return false
	}
	seg := 0
	for i := range len(s) {
		if c := s[i]; needsCheck[c] {
			if c != '/' || !named(s[seg:i]) {
				return false
			}
			seg = i + 1
		}
	}
	return named(s[seg:])
}

// named reports whether a segment names an entry.
func named(seg string) bool { return seg != "" && seg != "." && seg != ".." }

// needsCheck marks the bytes that need the full check.
var needsCheck = func() (check [256]bool) {
	for c := range check {
		check[c] = c < 0x20 || c >= 0x7f || c == '/' || c == '\\' || c == '%'
	}
	return check
}()

// maxPathBytes keeps a path below the limit of Linux (4,096), with room for the store's own
// folder.
const maxPathBytes = 3072

// maxRawPathBytes limits the length of a path before it is cleaned: decoding "%252525…"
// repeatedly takes quadratic time.
const maxRawPathBytes = 4 * maxPathBytes

// hasDotDot reports whether s contains a ".." segment, as it is or after decoding its percent
// escapes any number of times.
func hasDotDot(s string) bool {
	for {
		for seg := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '/' || r == '\\' }) {
			if seg == ".." {
				return true
			}
		}
		d := unescape(s)
		if d == s {
			return false
		}
		s = d
	}
}

// unescape decodes valid percent escapes once and leaves the others unchanged.
func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, ok1 := unhex(s[i+1])
			lo, ok2 := unhex(s[i+2])
			if ok1 && ok2 {
				b.WriteByte(hi<<4 | lo)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func unhex(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
