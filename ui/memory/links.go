package memory

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/markdown"
)

// link is a link in a line.
type link struct {
	markdown.Link
	index int // among the links of Markdown; -1 for any other link
}

// linkOf returns a link of the document by its index.
func (d *document) linkOf(i int) link { return link{d.md.Links()[i], i} }

// linksOf returns the links of a line: those of Markdown, or addresses in other text.
func (d *document) linksOf(line int) []link {
	if d.md == nil {
		return addresses(line, d.line(line))
	}
	from := sort.Search(len(d.links), func(i int) bool { return d.links[i].Line >= line })
	to := from
	for to < len(d.links) && d.links[to].Line == line {
		to++
	}
	return d.links[from:to]
}

// findLinks lists the links of Markdown. In an index, plain paths are links too.
func (d *document) findLinks() {
	d.links = nil
	for i := range d.md.Links() {
		d.links = append(d.links, d.linkOf(i))
	}
	if d.path.Base() != places.IndexName {
		return
	}
	for line, s := range d.lines {
		d.links = append(d.links, plainPaths(line, s, d.md.LinksOn(line))...)
	}
	slices.SortStableFunc(d.links, func(a, b link) int { return cmp.Or(a.Line-b.Line, a.From-b.From) })
}

// plainPath is a path of a memory in a text, after a blank or a quote.
var plainPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[\s"'` + "`" + `:])(/?(?:[\p{L}\p{N}_.-]+/)*[\p{L}\p{N}_-][\p{L}\p{N}_.-]*\.(?:md|txt|json|ya?ml))(?:$|[\s"'` + "`" + `:;,.)])`)
})

// plainPaths finds the paths in a line that are not in its links.
func plainPaths(line int, s string, links []markdown.Link) (out []link) {
	for _, at := range plainPath().FindAllStringSubmatchIndex(s, -1) {
		from, to := at[2], at[3]
		in := func(l markdown.Link) bool { return from < l.To && l.From < to }
		if !slices.ContainsFunc(links, in) {
			out = append(out, link{markdown.Link{Target: s[from:to], Kind: markdown.Path, Line: line, From: from, To: to}, -1})
		}
	}
	return out
}

// nextLink returns the next (d 1) or previous (d -1) link from a place, wrapping around.
func (d *document) nextLink(from spot, dir int) (link, bool) {
	if d.md != nil {
		all := d.links
		if len(all) == 0 {
			return link{}, false
		}
		i := sort.Search(len(all), func(i int) bool { return from.before(spot{all[i].Line, all[i].From}) })
		if dir < 0 {
			i = sort.Search(len(all), func(i int) bool { return !spot{all[i].Line, all[i].From}.before(from) }) - 1
		}
		return all[(i+len(all))%len(all)], true
	}
	n := len(d.lines)
	for i := range n + min(n, 1) { // once more in the line of the place, for what is on its other side
		line := ((from.line+dir*i)%n + n) % n
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

// addresses finds https:// and http:// addresses in a line.
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

// external reports whether a target is an address for a browser or a mail program. Other
// schemes, above all file, are not.
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

// missing returns the path that a broken link refers to, or the root if it is outside the
// store.
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
