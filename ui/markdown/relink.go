package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
)

// Moving is the rename of a memory or a folder in a store with some paths.
type Moving struct {
	From, To memfs.Path
	before   []memfs.Path
	after    []memfs.Path
}

// NewMoving returns the rename of from to to. paths are those of the store before it.
func NewMoving(from, to memfs.Path, paths []memfs.Path) *Moving {
	m := &Moving{From: from, To: to, before: paths}
	for _, p := range paths {
		m.after = append(m.after, m.moved(p))
	}
	return m
}

func (m *Moving) moved(p memfs.Path) memfs.Path {
	if p.In(m.From) {
		return p.Move(m.From, m.To)
	}
	return p
}

// Relink returns the text of the memory at, which stays where it is, with its links to what moves rewritten, and how
// many they are. left counts those that it can't write. A link that leads to the same memory afterwards stays as it is.
func (m *Moving) Relink(at memfs.Path, source []byte) (out []byte, links, left int) {
	doc := Parse(source)
	out = slices.Clone(source)
	for _, l := range slices.Backward(doc.Links()) {
		if l.Kind != Path && l.Kind != Wiki {
			continue
		}
		was, _, ok := Resolve(at, l, slices.Values(m.before))
		if !ok || !was.In(m.From) {
			continue
		}
		to := m.moved(was)
		if now, _, ok := Resolve(at, l, slices.Values(m.after)); ok && now == to {
			continue
		}
		start := int(doc.lines[l.Line])
		from, end, angle := targetIn(out[start+l.From:start+l.To], l.Kind)
		if from < 0 { // a reference: its definition is a link, too
			continue
		}
		written, ok := m.target(at, l, was, to, angle)
		if !ok {
			left++
			continue
		}
		links++
		out = slices.Replace(out, start+l.From+from, start+l.From+end, []byte(written)...)
	}
	return out, links, left
}

// targetIn finds the target in the source of a link, without its #heading and label.
func targetIn(link []byte, kind LinkKind) (from, to int, angle bool) {
	opening, end := "](", " \t)#?"
	if kind == Wiki {
		opening, end = "[[", "]|#"
	}
	switch from = bytes.LastIndex(link, []byte(opening)); {
	case from >= 0:
		from += len(opening)
	case kind == Wiki || bytes.HasPrefix(link, []byte("[")) || bytes.HasPrefix(link, []byte("![")):
		return -1, 0, false
	default: // a definition is its target
		from = 0
	}
	from += len(link[from:]) - len(bytes.TrimLeft(link[from:], " \t"))
	if angle = kind == Path && bytes.HasPrefix(link[from:], []byte("<")); angle {
		from, end = from+1, ">#?"
	}
	n := bytes.IndexAny(link[from:], end)
	if n < 0 {
		n = len(link[from:])
	}
	n = len(bytes.TrimRight(link[from:from+n], " \t"))
	return from, from + n, angle
}

// target writes the new target of a link as the old one was written: relative or not, with its extension or without.
func (m *Moving) target(at memfs.Path, l Link, was, to memfs.Path, angle bool) (string, bool) {
	old, _, _ := strings.Cut(l.Target, "#")
	bare := func(s string) string {
		if strings.HasSuffix(was.Base(), ".md") && !strings.HasSuffix(strings.ToLower(old), ".md") {
			return strings.TrimSuffix(s, ".md")
		}
		return s
	}
	var written []string
	switch {
	case l.Kind == Wiki && !strings.Contains(old, "/"):
		written = []string{bare(to.Base()), bare(to.Rel())}
	case l.Kind == Wiki:
		written = []string{bare(to.Rel())}
	case strings.HasPrefix(old, "/memories/"):
		written = []string{escaped("/memories/"+bare(to.Rel()), angle)}
	case strings.HasPrefix(old, "/"):
		written = []string{escaped("/"+bare(to.Rel()), angle)}
	default:
		written = []string{escaped(bare(relative(at.Dir(), to)), angle)}
	}
	for _, s := range written {
		if now, _, ok := Resolve(at, Link{Kind: l.Kind, Target: s}, slices.Values(m.after)); ok && now == to && (l.Kind == Path || !strings.ContainsAny(s, "[]|#")) {
			return s, true
		}
	}
	return "", false
}

// relative returns the path to as seen from a folder.
func relative(folder, to memfs.Path) string {
	up := ""
	for ; !to.In(folder); folder = folder.Dir() {
		up += "../"
	}
	return up + strings.TrimPrefix(strings.TrimPrefix(to.Rel(), folder.Rel()), "/")
}

// escaped writes a path as the target of a link.
func escaped(path string, angle bool) string {
	special := "%#?<>"
	if !angle {
		special += " ()\\"
	}
	var out strings.Builder
	for i := range len(path) {
		if c := path[i]; strings.IndexByte(special, c) >= 0 {
			const hex = "0123456789ABCDEF"
			out.Write([]byte{'%', hex[c>>4], hex[c&15]})
		} else {
			out.WriteByte(c)
		}
	}
	return out.String()
}
