package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	gtext "github.com/yuin/goldmark/text"

	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/ui/text"
)

// prefix is drawn before a row: bars of quotes, marks of lists, indentation.
type prefix struct {
	drawn, ascii bars
	width        int
}

// bars are the characters of a prefix: with line drawing, or in ASCII.
type bars struct {
	text  string
	spans []span
}

// inASCII maps line drawing and list marks to ASCII, column for column.
var inASCII = strings.NewReplacer("▎", "|", "│", "|", "┌", "+", "└", "+", "•", "*", "◦", "-", "▪", "+", "☐", "o", "☑", "x")

// lead is what a block draws before the rows in it: before the first row, and before every
// other. Both have the same width.
type lead struct {
	first, rest string
	role        role
	used        bool // the first row was emitted
}

// builder builds the blocks of a document from goldmark's tree.
type builder struct {
	d      *Document
	source []byte
	leads  []lead
	bullet int              // the number of open lists without numbers
	links  map[ast.Node]int // their ends in the source
	// anchors counts the uses of each name.
	anchors map[string]int
	// prefixes are those created so far, by a key of their leads.
	prefixes map[string]*prefix
	buf      []byte
}

func newBuilder(d *Document, source []byte) *builder {
	return &builder{d: d, source: source, links: map[ast.Node]int{}, anchors: map[string]int{}, prefixes: map[string]*prefix{}}
}

func (b *builder) push(l lead) { b.leads = append(b.leads, l) }
func (b *builder) pop()        { b.leads = b.leads[:len(b.leads)-1] }

// before returns the prefix of the next row.
func (b *builder) before(first bool) *prefix {
	b.buf = b.buf[:0]
	for i := range b.leads {
		b.buf = append(b.buf, b.leads[i].text(first)...)
	}
	if p := b.prefixes[string(b.buf)]; p != nil {
		return p
	}
	p := &prefix{}
	for i := range b.leads {
		t := b.leads[i].text(first)
		p.drawn.add(t, b.leads[i].role)
		p.ascii.add(inASCII.Replace(t), b.leads[i].role)
	}
	p.width = text.Width(p.drawn.text)
	b.prefixes[p.drawn.text] = p
	return p
}

func (x *bars) add(t string, r role) {
	at := int32(len(x.text))
	x.text += t
	if r != 0 && strings.Trim(t, " ") != "" {
		x.spans = append(x.spans, span{at, at + int32(len(t)), r})
	}
}

func (l *lead) text(first bool) string {
	if first && !l.used {
		return l.first
	}
	return l.rest
}

// emit adds a block, with an empty row before it if the source has an empty line. top is
// where the block begins in the source, including its fence.
func (b *builder) emit(k block, top int) {
	d := b.d
	at := b.emptyAbove(top)
	if n := len(d.blocks); n > 0 && at < 0 && k.base == heading && d.blocks[n-1].base != heading && len(b.leads) == 1 {
		at = max(int(d.lines[d.lineOf(int32(top))])-1, 0) // a heading is always separated
	}
	if at >= 0 && len(d.blocks) > 0 {
		leads := b.leads
		n := 0
		for n < len(leads) && leads[n].used {
			n++
		}
		b.leads = leads[:n]
		empty := b.before(false)
		b.leads = leads
		d.blocks = append(d.blocks, block{kind: gap, src: int32(at), first: empty, rest: empty})
	}
	k.first, k.rest = b.before(true), b.before(false)
	k.src = d.lines[d.lineOf(k.src)]
	if n := len(d.blocks); n > 0 { // rows are found by binary search: their sources must not decrease
		k.src = max(k.src, d.blocks[n-1].src)
	}
	for i := range b.leads {
		b.leads[i].used = true
	}
	d.blocks = append(d.blocks, k)
}

// emptyAbove returns the first of the empty lines right above byte at of the source, or -1.
func (b *builder) emptyAbove(at int) int {
	found := -1
	for line := b.d.lineOf(int32(at)) - 1; line >= 0; line-- {
		from := int(b.d.lines[line])
		if len(bytes.Trim(b.source[from:b.d.lines[line+1]], " \t\r\n>")) > 0 {
			break
		}
		found = from
	}
	return found
}

func (b *builder) children(n ast.Node, base role) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		b.block(c, base)
	}
}

func (b *builder) block(n ast.Node, base role) {
	switch n := n.(type) {
	case *ast.Heading:
		b.heading(n)
	case *ast.Blockquote:
		b.push(lead{first: "▎ ", rest: "▎ ", role: quote})
		b.children(n, quote)
		if !b.leads[len(b.leads)-1].used { // an empty quote
			b.emit(block{src: int32(place(n))}, place(n))
		}
		b.pop()
	case *ast.List:
		b.list(n, base)
	case *ast.ThematicBreak:
		b.emit(block{kind: rule, src: int32(place(n)), base: dim}, place(n))
	case *ast.FencedCodeBlock:
		b.fenced(n)
	case *ast.CodeBlock:
		b.code(n.Lines(), place(n), syntax.Plain)
	case *ast.HTMLBlock:
		lines := n.Lines()
		if n.HasClosure() {
			lines.Append(n.ClosureLine)
		}
		b.emit(block{src: int32(place(n)), base: dim, body: b.verbatim(lines)}, place(n))
	case *ast.LinkReferenceDefinition:
		b.definition(n)
	case *tableNode:
		b.table(n, base)
	default:
		if n.Lines().Len() > 0 {
			b.paragraph(n, base)
		}
		if n.Type() == ast.TypeBlock && n.HasChildren() && n.FirstChild().Type() == ast.TypeBlock {
			b.children(n, base)
		}
	}
}

// place returns where a block begins in the source.
func place(n ast.Node) int {
	if n.Pos() < 0 && n.Lines().Len() > 0 {
		return n.Lines().At(0).Start
	}
	return max(n.Pos(), 0)
}

func (b *builder) paragraph(n ast.Node, base role) {
	at := n.Lines().At(0).Start
	body := b.inline(n)
	if name, ok := footnote(body.text); ok {
		b.anchor(slug(name), at)
	}
	b.emit(block{src: int32(at), base: base, body: body}, at)
}

func (b *builder) heading(n *ast.Heading) {
	at := place(n)
	if n.Lines().Len() > 0 {
		at = n.Lines().At(0).Start
	}
	sign := strings.Repeat("#", n.Level) + " "
	b.push(lead{first: sign, rest: strings.Repeat(" ", len(sign)), role: dim})
	body := b.inline(n)
	b.anchor(slug(body.text), at)
	b.emit(block{src: int32(at), base: heading, body: body}, at)
	b.pop()
}

// bullets are the marks of nested lists.
var bullets = []string{"• ", "◦ ", "▪ "}

func (b *builder) list(n *ast.List, base role) {
	width := 0
	if n.IsOrdered() {
		width = len(strconv.Itoa(n.Start + n.ChildCount() - 1))
	} else {
		b.bullet++
		defer func() { b.bullet-- }()
	}
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		l := lead{first: bullets[max(b.bullet-1, 0)%len(bullets)], role: listMark}
		if n.IsOrdered() {
			s := strconv.Itoa(number)
			l.first = strings.Repeat(" ", width-len(s)) + s + string(n.Marker) + " "
			number++
		}
		if done, ok := taskOf(item); ok {
			box := "☐ "
			if done {
				box = "☑ "
			}
			if n.IsOrdered() {
				box = l.first + box
			}
			l.first = box
		}
		l.rest = strings.Repeat(" ", text.Width(l.first))
		b.push(l)
		b.children(item, base)
		if !b.leads[len(b.leads)-1].used { // an item without text
			b.emit(block{src: int32(place(item)), base: base}, place(item))
		}
		b.pop()
	}
}

// taskOf reports whether an item is a task, and whether it is done.
func taskOf(item ast.Node) (done, ok bool) {
	if c := item.FirstChild(); c != nil && c.FirstChild() != nil {
		if t, is := c.FirstChild().(*task); is {
			return t.done, true
		}
	}
	return false, false
}

func (b *builder) fenced(n *ast.FencedCodeBlock) {
	at := place(n)
	if n.Info == nil {
		b.code(n.Lines(), at, syntax.Plain)
		return
	}
	info := string(n.Info.Segment.Value(b.source))
	b.push(lead{first: "┌ ", rest: "│ ", role: dim})
	b.emit(block{src: int32(at), base: dim, body: body{text: info}}, at)
	b.pop()
	if n.Lines().Len() > 0 {
		name, _, _ := strings.Cut(info, " ")
		b.code(n.Lines(), n.Lines().At(0).Start, syntax.Of("x."+name))
	}
}

func (b *builder) code(lines *gtext.Segments, at int, lang syntax.Language) {
	k := block{src: int32(at), base: codeText, body: b.verbatim(lines)}
	if lang != syntax.Plain {
		k.base = 0
		b.highlight(&k.body, lang, syntax.Body)
	}
	b.push(lead{first: "│ ", rest: "│ ", role: dim})
	b.emit(k, at)
	b.pop()
}

// highlight colours text line by line.
func (b *builder) highlight(k *body, lang syntax.Language, st syntax.State) {
	var tokens []syntax.Token
	at := int32(0)
	for line := range strings.SplitSeq(k.text, "\n") {
		tokens, st = lang.Line(tokens[:0], line, st)
		for _, t := range tokens {
			k.spans = append(k.spans, span{at + int32(t.From), at + int32(t.To), kindRole(t.Kind)})
		}
		at += int32(len(line)) + 1
	}
}

// verbatim returns lines as they are in the source.
func (b *builder) verbatim(lines *gtext.Segments) body {
	var k body
	var s []byte
	for i := range lines.Len() {
		seg := lines.At(i)
		if i > 0 {
			s = append(s, '\n')
		}
		line := endless(seg.Value(b.source))
		k.marks = append(k.marks, mark{int32(len(s)), int32(seg.Start), int32(len(line))})
		s = append(s, line...)
	}
	k.text = string(s)
	return k
}

// raw returns a part of the source as it is, line by line.
func (b *builder) raw(from, to int, r role) body {
	var lines gtext.Segments
	for line := b.d.lineOf(int32(from)); line < len(b.d.lines) && int(b.d.lines[line]) < to; line++ {
		end := to
		if line+1 < len(b.d.lines) {
			end = min(to, int(b.d.lines[line+1]))
		}
		lines.Append(gtext.NewSegment(max(from, int(b.d.lines[line])), end))
	}
	k := b.verbatim(&lines)
	if r != 0 && len(k.text) > 0 {
		k.spans = []span{{0, int32(len(k.text)), r}}
	}
	return k
}

// endless returns a line without its end.
func endless(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}

// definition shows the definition of a link target.
func (b *builder) definition(n *ast.LinkReferenceDefinition) {
	k := block{src: int32(place(n)), base: dim, body: b.verbatim(n.Lines())}
	skip := strings.Index(k.text, "]:")
	if at := strings.Index(k.text[max(skip, 0):], string(n.Destination)); at >= 0 && len(n.Destination) > 0 {
		at += max(skip, 0)
		b.d.links = append(b.d.links, b.link(string(n.Destination), pathKind(string(n.Destination)), int(k.source(at, k.src)), len(n.Destination)))
		k.spans = []span{{int32(at), int32(at + len(n.Destination)), link}}
		k.links = []run{{int32(at), int32(at + len(n.Destination)), int32(len(b.d.links) - 1)}}
	}
	b.emit(k, place(n))
}

// frontMatter adds the block of the YAML in the first n bytes.
func (b *builder) frontMatter(n int) {
	k := block{kind: front, body: b.raw(0, n, 0)}
	lines := strings.Split(k.text, "\n")
	at := len(lines[0]) + 1
	yaml := body{text: strings.Join(lines[1:len(lines)-1], "\n")}
	b.highlight(&yaml, syntax.YAML, syntax.Body)
	k.spans = append(k.spans, span{0, int32(at - 1), dim})
	for _, s := range yaml.spans {
		k.spans = append(k.spans, span{s.from + int32(at), s.to + int32(at), s.role})
	}
	k.spans = append(k.spans, span{int32(len(k.text) - len(lines[len(lines)-1])), int32(len(k.text)), dim})
	k.fold = folded(lines[1 : len(lines)-1])
	b.emit(k, 0)
}

// folded returns the row shown for folded front matter: its first line, and the number of
// other lines.
func folded(lines []string) *body {
	var shown string
	n := 0
	for _, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		if n++; n == 1 {
			shown = strings.TrimSpace(l)
		}
	}
	k := &body{text: "--- " + shown}
	if n == 0 {
		k.text = "---"
	}
	if n > 1 {
		k.text += " · " + strconv.Itoa(n-1) + " more"
	}
	k.spans = []span{{0, int32(len(k.text)), dim}}
	return k
}
