package markdown

import (
	"bytes"
	"sort"
	"strings"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Document is the parsed Markdown of one memory. It is immutable: several goroutines may
// lay it out.
type Document struct {
	lines   []int32 // where the lines of the source begin
	blocks  []block
	links   []Link
	anchors map[string]int // lines, by slug
}

// kind selects how the rows of a block are made.
type kind uint8

const (
	flow   kind = iota // text, wrapped
	gap                // one empty row
	rule               // a line over the whole width
	front              // front matter, which can be folded
	record             // a row of a table
)

// block is a part of a document that is laid out separately.
type block struct {
	kind  kind
	src   int32   // where it begins in the source
	base  role    // for all of its text
	first *prefix // of its first row
	rest  *prefix // of the others, with the same width
	body
	fold  *body  // of front matter: the text shown when it is folded
	table *table // of a record
	row   int    // of the table
}

// body is a text with its styles, sources and links. A line feed ends a row.
type body struct {
	text  string
	spans []span // sorted, without overlap
	marks []mark // sorted
	links []run  // sorted, without overlap
}

// span is a part of a text with a role.
type span struct {
	from, to int32
	role     role
}

// mark records that n bytes of the text, from byte at on, come from a place in the source.
// Text between them and the next mark was added by the renderer.
type mark struct{ at, src, n int32 }

// run is a part of a text that is a link.
type run struct {
	from, to int32
	link     int32
}

// source returns where byte at of the text comes from. It is exact if nothing was left out
// since the mark before it, and approximate otherwise.
func (b *body) source(at int, or int32) int32 {
	i := sort.Search(len(b.marks), func(i int) bool { return int(b.marks[i].at) > at })
	if i == 0 {
		return or
	}
	m := b.marks[i-1]
	return m.src + min(int32(at)-m.at, m.n)
}

// Parse parses a memory. Its time is proportional to the size, a few milliseconds for 100
// KB, whatever the memory contains; the caller limits the size. It does not retain source.
func Parse(source []byte) *Document {
	d := &Document{lines: lineStarts(source), anchors: map[string]int{}}
	lead := frontMatter(source)
	if !d.parse(source, lead) {
		d.blocks, d.links, d.anchors = nil, nil, map[string]int{}
		d.plain(source)
	}
	return d
}

// parse reports whether the parser succeeded. No input is known on which it panics, but a
// memory is untrusted and must not end the program.
func (d *Document) parse(source []byte, lead int) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	b := newBuilder(d, source)
	r := text.NewReader(source)
	if lead > 0 {
		b.frontMatter(lead)
		for range d.lineOf(int32(lead-1)) + 1 {
			r.AdvanceLine()
		}
	}
	w := &work{ends: b.links}
	pc := parser.NewContext()
	pc.Set(workKey, w)
	b.children(goldmark().Parse(r, parser.WithContext(pc)), 0)
	return true
}

// plain shows the source as it is.
func (d *Document) plain(source []byte) {
	b := newBuilder(d, source)
	b.emit(block{kind: flow, body: b.raw(0, len(source), 0)}, 0)
}

func lineStarts(source []byte) []int32 {
	lines := make([]int32, 1, bytes.Count(source, []byte("\n"))+1)
	for i := 0; ; {
		n := bytes.IndexByte(source[i:], '\n')
		if n < 0 {
			return lines
		}
		i += n + 1
		lines = append(lines, int32(i))
	}
}

// lineOf returns the line of a byte of the source, from 0.
func (d *Document) lineOf(src int32) int {
	return sort.Search(len(d.lines), func(i int) bool { return d.lines[i] > src }) - 1
}

// frontMatter returns the length of the YAML block between --- at the beginning of the
// source, or 0.
func frontMatter(source []byte) int {
	first, rest, ok := bytes.Cut(source, []byte("\n"))
	if !ok || string(bytes.TrimRight(first, " \t\r")) != "---" {
		return 0
	}
	for at := len(first) + 1; ; {
		line, after, more := bytes.Cut(rest, []byte("\n"))
		at += len(line)
		if s := string(bytes.TrimRight(line, " \t\r")); s == "---" || s == "..." {
			if more {
				at++
			}
			return at
		}
		if !more {
			return 0
		}
		at++
		rest = after
	}
}

// Anchor returns the line, from 0, of a link's #name: a heading, by its text or by the slug
// that web sites make of it, or a footnote.
func (d *Document) Anchor(name string) (line int, ok bool) {
	line, ok = d.anchors[slug(strings.TrimPrefix(name, "#"))]
	return line, ok
}
