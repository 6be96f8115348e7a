package markdown

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"github.com/memend/memend/ui/text"
)

// wrapped is the length from which a line may have been broken only because it was long.
const wrapped = 60

// inliner builds the text of one block.
type inliner struct {
	b      *builder
	body   body
	text   []byte
	role   role
	inCell bool
	line   int    // of the block in the source
	breaks []bool // whether the line feed after each line of the block is kept
}

// inline returns the text of a paragraph, a heading or a cell.
//
// In Markdown a line feed in a paragraph is a space. But notes often have lines like
// "**Status**: done" below each other. So a line feed is kept if the line ended although
// the next word had room in it, or if a label in bold follows.
func (b *builder) inline(n ast.Node) body {
	w := &inliner{b: b}
	lines := n.Lines()
	if lines.Len() > 0 {
		w.line = b.d.lineOf(int32(lines.At(0).Start))
	}
	if lines.Len() > 1 {
		longest := wrapped
		widths := make([]int, lines.Len())
		for i := range widths {
			seg := lines.At(i)
			widths[i] = utf8.RuneCount(bytes.TrimSpace(b.source[seg.Start:seg.Stop]))
			longest = max(longest, widths[i])
		}
		w.breaks = make([]bool, lines.Len())
		for i := range len(widths) - 1 {
			seg := lines.At(i + 1)
			word := bytes.TrimLeft(b.source[seg.Start:seg.Stop], " \t")
			if end := bytes.IndexAny(word, " \t\r\n"); end >= 0 {
				word = word[:end]
			}
			label := bytes.HasPrefix(word, []byte("**"))
			w.breaks[i] = label || widths[i]+1+utf8.RuneCount(word) <= longest
		}
	}
	_, w.inCell = n.(*cellNode)
	w.children(n)
	w.body.text = strings.TrimRight(string(w.text), " \n")
	w.trim(int32(len(w.body.text)))
	return w.body
}

// trim drops everything from byte n of the text on.
func (w *inliner) trim(n int32) {
	k := &w.body
	for len(k.spans) > 0 && k.spans[len(k.spans)-1].from >= n {
		k.spans = k.spans[:len(k.spans)-1]
	}
	if i := len(k.spans) - 1; i >= 0 {
		k.spans[i].to = min(k.spans[i].to, n)
	}
	if i := len(k.links) - 1; i >= 0 {
		k.links[i].to = max(min(k.links[i].to, n), k.links[i].from)
	}
}

func (w *inliner) children(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c)
	}
}

// as draws the children of a node with additional roles.
func (w *inliner) as(n ast.Node, r role) {
	was := w.role
	w.role |= r
	w.children(n)
	w.role = was
}

func (w *inliner) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		w.plain(n)
	case *ast.String:
		w.add(string(n.Value), w.role)
	case *ast.CodeSpan:
		w.codeSpan(n)
	case *ast.Emphasis:
		if n.Level == 1 {
			w.as(n, emphasis)
		} else {
			w.as(n, strong)
		}
	case *strike:
		w.mark(n.Pos(), 0)
		w.add("~~", w.role|dim)
		w.as(n, dim)
		w.add("~~", w.role|dim)
	case *ast.Link:
		w.link(n, string(n.Destination))
	case *ast.Image:
		w.image(n)
	case *ast.AutoLink:
		w.autoLink(n)
	case *address:
		w.address(n)
	case *bracket:
		w.bracket(n)
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			seg := n.Segments.At(i)
			w.mark(seg.Start, seg.Len())
			w.add(flat(seg.Value(w.b.source)), w.role|dim)
		}
	case *task:
	default:
		w.children(n)
	}
}

// add appends text with a role.
func (w *inliner) add(s string, r role) {
	if s == "" {
		return
	}
	from := int32(len(w.text))
	w.text = append(w.text, s...)
	if r == 0 {
		return
	}
	to := int32(len(w.text))
	if i := len(w.body.spans) - 1; i >= 0 && w.body.spans[i].to == from && w.body.spans[i].role == r {
		w.body.spans[i].to = to
		return
	}
	w.body.spans = append(w.body.spans, span{from, to, r})
}

// mark records that the following text comes from n bytes at src.
func (w *inliner) mark(src, n int) {
	m := mark{int32(len(w.text)), int32(src), int32(n)}
	if i := len(w.body.marks) - 1; i >= 0 && w.body.marks[i].at == m.at {
		w.body.marks = w.body.marks[:i]
	}
	w.body.marks = append(w.body.marks, m)
}

func (w *inliner) plain(n *ast.Text) {
	w.mark(n.Segment.Start, n.Segment.Len())
	w.add(w.resolved(n.Segment.Value(w.b.source)), w.role)
	if n.HardLineBreak() {
		w.add("\n", 0)
	} else if n.SoftLineBreak() {
		i := w.b.d.lineOf(int32(n.Segment.Start)) - w.line
		if i >= 0 && i < len(w.breaks) && w.breaks[i] {
			w.add("\n", 0)
		} else {
			w.add(" ", w.role)
		}
	}
}

// resolved replaces escapes and entities. Control and invisible characters from an entity
// are marked when they are drawn.
func (w *inliner) resolved(s []byte) string {
	if bytes.IndexByte(s, '\\') < 0 && bytes.IndexByte(s, '&') < 0 {
		return string(s)
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			i++
			out = append(out, s[i])
		case s[i] == '&':
			if c, n := entity(s[i:]); n > 0 {
				out = append(out, c...)
				i += n - 1
				continue
			}
			out = append(out, '&')
		default:
			out = append(out, s[i])
		}
	}
	return string(out)
}

// maxEntity is a little more than the length of the longest entity.
const maxEntity = 40

// entity parses the entity at the beginning of s, n bytes long.
func entity(s []byte) (c []byte, n int) {
	end := bytes.IndexByte(s[:min(len(s), maxEntity)], ';')
	if end < 2 {
		return nil, 0
	}
	name := string(s[1:end])
	if name[0] != '#' {
		if e, ok := util.LookUpHTML5EntityByName(name); ok {
			return e.Characters, end + 1
		}
		return nil, 0
	}
	digits, base := name[1:], 10
	if digits != "" && (digits[0] == 'x' || digits[0] == 'X') {
		digits, base = digits[1:], 16
	}
	v, err := strconv.ParseUint(digits, base, 32)
	if err != nil {
		return nil, 0
	}
	r := rune(min(v, utf8.MaxRune+1))
	if v == 0 || !utf8.ValidRune(r) {
		r = utf8.RuneError
	}
	return utf8.AppendRune(nil, r), end + 1
}

// flat replaces line ends with spaces.
func flat(s []byte) string {
	return strings.ReplaceAll(strings.ReplaceAll(string(s), "\r\n", " "), "\n", " ")
}

func (w *inliner) codeSpan(n *ast.CodeSpan) {
	w.mark(n.Pos(), 0)
	w.add("`", w.role|dim)
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		t, ok := c.(*ast.Text)
		if !ok {
			continue
		}
		w.mark(t.Segment.Start, t.Segment.Len())
		s := flat(t.Segment.Value(w.b.source))
		if w.inCell {
			s = strings.ReplaceAll(s, `\|`, "|")
		}
		w.add(s, w.role|code)
	}
	w.add("`", w.role|dim)
}

// linked records that the text from byte from on is a link.
func (w *inliner) linked(from int, l Link) {
	d := w.b.d
	if from == len(w.text) {
		return
	}
	if i := len(w.body.links) - 1; i >= 0 && int(w.body.links[i].to) > from { // an image that is a link
		return
	}
	d.links = append(d.links, l)
	w.body.links = append(w.body.links, run{int32(from), int32(len(w.text)), int32(len(d.links) - 1)})
}

// link draws the text of a link and, if the text differs, its target.
func (w *inliner) link(n ast.Node, target string) {
	at := n.Pos()
	target = w.resolved([]byte(target))
	w.mark(at, 0)
	from := len(w.text)
	w.as(n, link)
	label := string(w.text[from:])
	if label == "" {
		w.add(target, w.role|link)
	} else if label != target && "https://"+label != target && "http://"+label != target && "mailto:"+label != target {
		w.add(" ("+target+")", w.role|dim)
	}
	w.linked(from, w.b.link(target, pathKind(target), at, w.b.links[n]-at))
	if l, ok := n.(*ast.Link); ok && len(l.Title) > 0 {
		w.add(" “"+w.resolved(l.Title)+"”", w.role|dim)
	}
}

func (w *inliner) image(n *ast.Image) {
	target := w.resolved(n.Destination)
	w.mark(n.Pos(), 0)
	from := len(w.text)
	w.add("[image: ", w.role|dim)
	w.as(n, link)
	w.add("]("+target+")", w.role|dim)
	w.linked(from, w.b.link(target, pathKind(target), n.Pos(), w.b.links[n]-n.Pos()))
	if len(n.Title) > 0 {
		w.add(" “"+w.resolved(n.Title)+"”", w.role|dim)
	}
}

func (w *inliner) autoLink(n *ast.AutoLink) {
	w.mark(n.Pos(), 0)
	from := len(w.text)
	w.add(string(n.Label(w.b.source)), w.role|link)
	target := string(n.URL(w.b.source))
	if n.AutoLinkType == ast.AutoLinkEmail {
		target = "mailto:" + target
	}
	w.linked(from, w.b.link(target, URL, n.Pos(), w.b.links[n]-n.Pos()))
}

func (w *inliner) address(n *address) {
	s := string(n.in.Value(w.b.source))
	w.mark(n.in.Start, n.in.Len())
	from := len(w.text)
	w.add(s, w.role|link)
	if strings.HasPrefix(s, "www.") {
		s = "https://" + s
	}
	w.linked(from, w.b.link(s, URL, n.in.Start, n.in.Len()))
}

func (w *inliner) bracket(n *bracket) {
	in := string(n.in.Value(w.b.source))
	at := n.in.Start - 2
	target, label, _ := strings.Cut(in, "|")
	if w.inCell {
		target = strings.TrimSuffix(target, `\`)
	}
	w.mark(n.in.Start, n.in.Len())
	from := len(w.text)
	switch {
	case n.kind == Footnote:
		w.add("[^"+in+"]", w.role|link)
		target = "^" + in
	case n.embeds:
		at--
		w.add("[embedded: ", w.role|dim)
		w.add(target, w.role|link)
		if label != "" {
			w.add(" "+label, w.role|dim)
		}
		w.add("]", w.role|dim)
	case label != "":
		w.add(label, w.role|link)
		w.add(" ("+target+")", w.role|dim)
	default:
		w.add(target, w.role|link)
	}
	w.linked(from, w.b.link(strings.TrimSpace(target), n.kind, at, n.end-at))
}

// footnote parses the name of a footnote at the beginning of a text: "[^name]: ".
func footnote(s string) (name string, ok bool) {
	if !strings.HasPrefix(s, "[^") {
		return "", false
	}
	end := strings.Index(s, "]:")
	if end < 3 {
		return "", false
	}
	return s[1:end], true
}

// columns returns the width of the widest line of a text.
func columns(s string) int {
	n := 0
	for line := range strings.SplitSeq(s, "\n") {
		n = max(n, text.Width(line))
	}
	return n
}
