package markdown

import (
	"sort"
	"strconv"
	"strings"
	"unicode"
)

// LinkKind is the kind of a link.
type LinkKind uint8

// The kinds of links.
const (
	Path     LinkKind = iota // of another memory, with or without #heading
	Wiki                     // the name of another memory: [[name]]
	Anchor                   // #heading of the same memory
	Footnote                 // [^name] of the same memory; Anchor finds it by its Target
	URL                      // anything else
)

// Link is a link in a memory.
type Link struct {
	Target   string // as written, with escapes and entities replaced
	Kind     LinkKind
	Line     int // in the source, from 0
	From, To int // bytes of that line; a link over several lines ends with the first
}

// Links returns all links, in the order of the memory. The slice must not be changed.
func (d *Document) Links() []Link { return d.links }

// LinksOn returns the links that begin in a line of the source, from 0.
func (d *Document) LinksOn(line int) []Link {
	from := sort.Search(len(d.links), func(i int) bool { return d.links[i].Line >= line })
	to := sort.Search(len(d.links), func(i int) bool { return d.links[i].Line > line })
	return d.links[from:to]
}

// link returns the link at byte at of the source, n bytes long.
func (b *builder) link(target string, kind LinkKind, at, n int) Link {
	line := b.d.lineOf(int32(at))
	start := int(b.d.lines[line])
	end := len(b.source)
	if line+1 < len(b.d.lines) {
		end = int(b.d.lines[line+1])
	}
	end = start + len(endless(b.source[start:end]))
	if i := len(b.d.links) - 1; i >= 0 { // LinksOn uses binary search
		line = max(line, b.d.links[i].Line)
	}
	return Link{Target: target, Kind: kind, Line: line, From: at - start, To: max(min(at+max(n, 0), end), at) - start}
}

// pathKind distinguishes links to memories from others.
func pathKind(target string) LinkKind {
	if strings.HasPrefix(target, "#") {
		return Anchor
	}
	if strings.HasPrefix(target, "//") {
		return URL
	}
	for i, c := range []byte(target) {
		switch {
		case c == ':' && i > 1: // one letter is a drive
			return URL
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return Path
		}
	}
	return Path
}

// anchor adds the name of a place in the source. The second heading with the same text gets
// -1 appended, the third -2.
func (b *builder) anchor(name string, at int) {
	line := b.d.lineOf(int32(at))
	s := name
	if n := b.anchors[name]; n > 0 {
		s += "-" + strconv.Itoa(n)
	}
	b.anchors[name]++
	if _, taken := b.d.anchors[s]; !taken {
		b.d.anchors[s] = line
	}
}

// slug returns the name that web sites give a heading: lower case, words joined by hyphens,
// no punctuation.
func slug(s string) string {
	var out strings.Builder
	for _, r := range strings.TrimSpace(s) {
		switch {
		case unicode.IsSpace(r):
			out.WriteByte('-')
		case r == '-' || r == '_' || r == '^' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			out.WriteRune(unicode.ToLower(r))
		}
	}
	return out.String()
}
