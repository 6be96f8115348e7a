package memory

import (
	"net/url"
	"path"
	"strings"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/ui/syntax"
)

// link is a part of a line that leads somewhere.
type link struct {
	from, to int    // bytes in the line
	target   string // as it is written: a path, a name in [[ ]], an address
	wiki     bool   // a name in [[ ]]
}

// linksIn appends the links of a line. Text that is code holds none.
func linksIn(dst []link, lang syntax.Language, s string, st syntax.State) []link {
	if lang != syntax.Markdown {
		return addresses(dst, s)
	}
	var buf [64]syntax.Token
	tokens, _ := lang.Line(buf[:0], s, st)
	for _, t := range tokens {
		switch t.Kind {
		case syntax.Link:
			if l, ok := readLink(s[t.From:t.To]); ok {
				l.from, l.to = t.From, t.To
				dst = append(dst, l)
			}
		case syntax.Quote, syntax.Heading: // one token for the line; links stand in it
			dst = appendInside(dst, s, t.From)
		}
	}
	return dst
}

// appendInside finds the links of a quote or a heading.
func appendInside(dst []link, s string, from int) []link {
	skip := from + len(s[from:]) - len(strings.TrimLeft(s[from:], ">#"))
	skip += len(s[skip:]) - len(strings.TrimLeft(s[skip:], " \t"))
	var buf [64]syntax.Token
	tokens, _ := syntax.Markdown.Line(buf[:0], s[skip:], syntax.Body)
	for _, t := range tokens {
		if t.Kind != syntax.Link {
			continue
		}
		if l, ok := readLink(s[skip+t.From : skip+t.To]); ok {
			l.from, l.to = skip+t.From, skip+t.To
			dst = append(dst, l)
		}
	}
	return dst
}

// readLink takes [text](target "title"), [[name|text]] or an address apart.
func readLink(s string) (l link, ok bool) {
	if name, found := strings.CutPrefix(s, "[["); found {
		name, _, _ = strings.Cut(strings.TrimSuffix(name, "]]"), "|")
		l.target, l.wiki = strings.TrimSpace(name), true
		return l, l.target != ""
	}
	if _, rest, found := strings.Cut(s, "]("); found && s[0] == '[' {
		l.target = linkTarget(strings.TrimSuffix(rest, ")"))
		return l, l.target != ""
	}
	l.target = s
	return l, external(s)
}

// linkTarget leaves out the angle brackets and the title.
func linkTarget(s string) string {
	s = strings.TrimSpace(s)
	if rest, ok := strings.CutPrefix(s, "<"); ok {
		s, _, _ = strings.Cut(rest, ">")
		return s
	}
	if i := strings.IndexAny(s, " \t"); i >= 0 && strings.IndexAny(s[i:], `"'`) >= 0 {
		s = s[:i]
	}
	return s
}

// addresses finds what begins with https:// or http://.
func addresses(dst []link, s string) []link {
	for at := 0; ; {
		i := strings.Index(s[at:], "http")
		if i < 0 {
			return dst
		}
		i += at
		at = i + len("http")
		if !strings.HasPrefix(s[at:], "://") && !strings.HasPrefix(s[at:], "s://") {
			continue
		}
		end := strings.IndexAny(s[i:], " \t<>\"')]`")
		if end < 0 {
			end = len(s) - i
		}
		target := strings.TrimRight(s[i:i+end], ".,;:!?")
		if external(target) {
			dst = append(dst, link{from: i, to: i + len(target), target: target})
			at = i + len(target)
		}
	}
}

// external reports whether a target is an address that a browser or a mail program
// opens. Other schemes, file above all, are none.
func external(target string) bool {
	u, err := url.Parse(target)
	if err != nil {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return u.Opaque != ""
	}
	return false
}

// scheme is what stands before the colon of a target that is an address; empty
// when it is a path.
func scheme(target string) string {
	i := strings.IndexByte(target, ':')
	if i < 2 { // C: is no scheme
		return ""
	}
	for _, c := range target[:i] {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '+' && c != '-' && c != '.' {
			return ""
		}
	}
	return target[:i]
}

// candidates are the paths that a link in the memory at from may mean, the
// likeliest first, and the heading that it names. What leads out of the store is
// none.
func candidates(from memfs.Path, l link) (paths []memfs.Path, heading string) {
	target, heading, _ := strings.Cut(l.target, "#")
	if !l.wiki {
		if plain, err := url.PathUnescape(target); err == nil {
			target = plain
		}
		if plain, err := url.PathUnescape(heading); err == nil {
			heading = plain
		}
	}
	if target == "" {
		return []memfs.Path{from}, heading
	}
	add := func(s string) {
		if strings.HasPrefix(s, "../") || s == ".." {
			return
		}
		if p, err := memfs.ParsePath(s); err == nil && !p.IsRoot() {
			paths = append(paths, p)
		}
	}
	var bases []string
	if strings.HasPrefix(target, "/") {
		bases = []string{path.Clean(target)[1:]}
		if tool, ok := strings.CutPrefix(target, memfs.Root.Tool()+"/"); ok {
			bases = append(bases, path.Clean(tool))
		}
	} else {
		bases = []string{path.Join(from.Dir().String()[1:], target), path.Clean(target)}
	}
	for _, b := range bases {
		add(b)
		if path.Ext(b) == "" {
			add(b + ".md")
		}
	}
	return paths, heading
}

// slug is a heading as links name it: lower case, words joined by hyphens.
func slug(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(s)) {
		switch {
		case r == ' ' || r == '-' || r == '_':
			b.WriteByte('-')
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 0x80:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// headingText is the text of a heading line of Markdown; ok is false for others.
func headingText(s string, st syntax.State) (string, bool) {
	var buf [8]syntax.Token
	tokens, _ := syntax.Markdown.Line(buf[:0], s, st)
	if len(tokens) == 0 || tokens[0].Kind != syntax.Heading {
		return "", false
	}
	return strings.Trim(s, " \t#"), true
}
