package memory

import (
	"net/url"
	"path"
	"sort"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/markdown"
)

// link is a part of a line that leads somewhere.
type link struct {
	markdown.Link
	index int // among those of the document; -1 when it is no Markdown
}

// linkOf is a link of the document by its index.
func (d *document) linkOf(i int) link { return link{d.md.Links()[i], i} }

// linksOf are the links of a line: those of Markdown, addresses elsewhere.
func (d *document) linksOf(line int) []link {
	if d.md == nil {
		return addresses(line, d.window.line(line))
	}
	all := d.md.Links()
	var out []link
	for i := sort.Search(len(all), func(i int) bool { return all[i].Line >= line }); i < len(all) && all[i].Line == line; i++ {
		out = append(out, link{all[i], i})
	}
	return out
}

// nextLink is the link after (d 1) or before (d -1) a place, around the ends of
// what is held.
func (d *document) nextLink(from spot, dir int) (link, bool) {
	if d.md != nil {
		all := d.md.Links()
		if len(all) == 0 {
			return link{}, false
		}
		i := sort.Search(len(all), func(i int) bool { return from.before(spot{all[i].Line, all[i].From}) })
		if dir < 0 {
			i = sort.Search(len(all), func(i int) bool { return !spot{all[i].Line, all[i].From}.before(from) }) - 1
		}
		return d.linkOf((i + len(all)) % len(all)), true
	}
	n := len(d.window.lines)
	for i := range n + 1 {
		line := d.window.first + (((from.line-d.window.first+dir*i)%n)+n)%n
		links := d.linksOf(line)
		for k := range links {
			if dir < 0 {
				k = len(links) - 1 - k
			}
			l := links[k]
			if at := (spot{line, l.From}); i > 0 || dir > 0 && from.before(at) || dir < 0 && at.before(from) {
				return l, true
			}
		}
	}
	return link{}, false
}

// addresses finds what begins with https:// or http:// in a line.
func addresses(line int, s string) []link {
	var out []link
	for at := 0; ; {
		i := strings.Index(s[at:], "http")
		if i < 0 {
			return out
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
			at = i + len(target)
			out = append(out, link{markdown.Link{Target: target, Kind: markdown.URL, Line: line, From: i, To: at}, -1})
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

// missing is the path of the memory that a link would lead to if it were there;
// the root when it leads out of the store.
func missing(from memfs.Path, l link) memfs.Path {
	target, _, _ := strings.Cut(l.Target, "#")
	if l.Kind == markdown.Path {
		target, _, _ = strings.Cut(target, "?")
		if plain, err := url.PathUnescape(target); err == nil {
			target = plain
		}
	}
	target = strings.TrimSpace(target)
	if rest, ok := strings.CutPrefix(target, memfs.Root.Tool()+"/"); ok {
		target = "/" + rest
	}
	if !strings.HasPrefix(target, "/") {
		target = path.Join(from.Dir().Rel(), target)
	} else {
		target = path.Clean(target)
	}
	if path.Ext(target) == "" {
		target += ".md"
	}
	p, err := memfs.ParsePath(target)
	if err != nil || strings.HasPrefix(target, "..") {
		return memfs.Root
	}
	return p
}
