package markdown

import (
	"iter"
	"net/url"
	"strings"

	"github.com/memend/memend/memfs"
)

// Resolve finds the memory that a link in the memory from refers to, among the paths of a
// store, and the #heading in it, without the sign.
//
// A path is relative to the folder of from; a path that begins with / is relative to the
// root, which the memory tool writes as /memories/. A [[name]] matches any memory of that
// name, with or without folders before it: the nearest one. The extension .md can be
// omitted. Case matters only between several matches. A path that leaves the store has no
// result.
func Resolve(from memfs.Path, l Link, paths iter.Seq[memfs.Path]) (to memfs.Path, anchor string, ok bool) {
	target, anchor, _ := strings.Cut(l.Target, "#")
	anchor = unescaped(anchor)
	switch l.Kind {
	case Anchor:
		return from, anchor, true
	case Footnote:
		return from, l.Target, true
	case Wiki:
		if target = strings.TrimSpace(target); target == "" {
			return from, anchor, anchor != ""
		}
		to, ok = nearest(from, strings.Trim(target, "/"), paths)
		return to, anchor, ok
	case Path:
		if target, _, _ = strings.Cut(target, "?"); target == "" {
			return memfs.Root, "", false
		}
		p, err := absolute(from, unescaped(target))
		if err != nil {
			return memfs.Root, "", false
		}
		to, ok = same(p, paths)
		return to, anchor, ok
	}
	return memfs.Root, "", false
}

func unescaped(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// absolute returns the path that a link refers to. Each ".." goes up one folder; the root
// has no parent.
func absolute(from memfs.Path, target string) (memfs.Path, error) {
	var segs []string
	if rest, ok := strings.CutPrefix(target, "/"); ok {
		target = rest
		if rest, ok := strings.CutPrefix(rest, "memories/"); ok {
			target = rest
		}
	} else if dir := from.Dir(); !dir.IsRoot() {
		segs = strings.Split(dir.Rel(), "/")
	}
	for seg := range strings.SplitSeq(target, "/") {
		switch {
		case seg == "" || seg == ".":
		case seg != "..":
			segs = append(segs, seg)
		case len(segs) == 0:
			return memfs.Root, memfs.ErrEscape
		default:
			segs = segs[:len(segs)-1]
		}
	}
	return memfs.ParsePath(strings.Join(segs, "/"))
}

// fit returns how well a name matches a wanted one: 0 exactly, more is worse, -1 not at
// all.
func fit(name, wanted string) int {
	switch {
	case name == wanted:
		return 0
	case name == wanted+".md":
		return 1
	case strings.EqualFold(name, wanted):
		return 2
	case strings.EqualFold(name, wanted+".md"):
		return 3
	}
	return -1
}

// same returns the path that matches p best.
func same(p memfs.Path, paths iter.Seq[memfs.Path]) (to memfs.Path, ok bool) {
	best := -1
	for q := range paths {
		if n := fit(q.Rel(), p.Rel()); n >= 0 && (best < 0 || n < best) && !q.IsRoot() {
			to, best = q, n
		}
	}
	return to, best >= 0
}

// nearest returns the path that ends in name and is nearest to from; of equally near ones
// the best match, and then the first by name.
func nearest(from memfs.Path, name string, paths iter.Seq[memfs.Path]) (to memfs.Path, ok bool) {
	depth := strings.Count(name, "/")
	best, far := -1, 0
	for q := range paths {
		if q.IsRoot() {
			continue
		}
		n := fit(tail(q.Rel(), depth), name)
		if n < 0 {
			continue
		}
		d := distance(from.Dir(), q.Dir())
		exact, bestExact := n < 2, best >= 0 && best < 2
		better := best < 0 || exact && !bestExact || exact == bestExact &&
			(d < far || d == far && (n < best || n == best && q.Rel() < to.Rel()))
		if better {
			to, best, far = q, n, d
		}
	}
	return to, best >= 0
}

// tail returns the last n+1 segments of a path.
func tail(path string, n int) string {
	at := len(path)
	for range n + 1 {
		if at = strings.LastIndexByte(path[:at], '/'); at < 0 {
			return path
		}
	}
	return path[at+1:]
}

// distance returns how many folders one goes up and down from a to b.
func distance(a, b memfs.Path) int {
	n := 0
	for ; !b.In(a); a = a.Dir() {
		n++
	}
	for ; b != a; b = b.Dir() {
		n++
	}
	return n
}
