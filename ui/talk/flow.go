package talk

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/memend/memend/ui/markdown"
	"github.com/memend/memend/ui/text"
)

// flow is a text that grows at its end, in rows of one width. An append touches only its last
// part, so the cost of a delta does not depend on the length of the text. A part ends where
// nothing before the end affects the layout of what follows.
type flow struct {
	plain bool // verbatim; otherwise Markdown
	parts []chunk
	fence string // the open code fence at the start of the last part; empty for none
	open  bool   // more may come: an incomplete character at the end is not shown yet
	width int    // of the layout
	bytes int
}

// chunk is a chunk of a flow.
type chunk struct {
	src   string
	fence string // open at its start
	at    int    // its first row
	rows  int    // 0 if it is not laid out
	doc   *markdown.Layout
	lines []span // of a plain part: where in src each row is
}

// span is a row of a plain text.
type span struct{ from, to int32 }

// maxPart is the maximum size of the last part: a longer one is split at the end of a line, or
// anywhere if it has none.
const maxPart = 4 << 10

func newFlow(plain bool, s string) *flow {
	f := &flow{plain: plain}
	f.add(s)
	return f
}

func (f *flow) add(s string) {
	if s == "" {
		return
	}
	f.bytes += len(s)
	n := len(f.parts)
	if n == 0 {
		f.parts = append(f.parts, chunk{})
		n++
	}
	last := &f.parts[n-1]
	last.src += s
	last.rows, last.doc, last.lines = 0, nil, nil
	for {
		last = &f.parts[len(f.parts)-1]
		at, fence := f.cut(last.src)
		if at == 0 || at >= len(last.src) {
			return
		}
		rest := last.src[at:]
		last.src = strings.Clone(last.src[:at])
		f.fence = fence
		f.parts = append(f.parts, chunk{src: rest, fence: fence})
	}
}

// cut returns where the last part can be split (0 if nowhere), and the fence that is open
// there.
func (f *flow) cut(s string) (at int, fence string) {
	fence = f.fence
	line, lineFence := 0, fence // the end of the last complete line, and the fence open there
	blank := true               // so far
	for from := 0; from < len(s); {
		end := strings.IndexByte(s[from:], '\n')
		if end < 0 {
			break
		}
		row := s[from : from+end]
		from += end + 1
		if f.plain {
			if from >= maxPart/2 {
				return from, ""
			}
			continue
		}
		fence = fenced(fence, row)
		if from <= maxPart {
			line, lineFence = from, fence
		}
		if strings.TrimSpace(row) != "" {
			blank = false
		} else if fence == "" && !blank && begins(s[from:]) {
			return from, ""
		}
	}
	if len(s) <= maxPart {
		return 0, ""
	}
	if line > 0 {
		return line, lineFence
	}
	if at = runeStart(s, maxPart); at < maxPart-utf8.UTFMax { // not text: split anywhere
		at = maxPart
	}
	return at, f.fence
}

// fenced returns the marks of the fence that is open after a line. Only as many of them, or more, end it.
func fenced(open, line string) string {
	s := strings.TrimLeft(line, " ")
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(s, mark)
		marks := s[:len(s)-len(rest)]
		switch {
		case len(marks) < 3:
		case open == "" && (mark == "~" || !strings.Contains(rest, mark)): // otherwise it is code in one row
			return marks
		case open != "" && strings.HasPrefix(marks, open) && strings.TrimSpace(rest) == "":
			return ""
		}
	}
	return open
}

// begins reports whether a text after an empty line begins a new block. Indented text and list
// items belong to the block before.
func begins(s string) bool {
	if s == "" {
		return false
	}
	c := s[0]
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80 || c == '#' || c == '`' && !strings.HasPrefix("```", s)
}

// layOut lays out the rows for a width. Unchanged parts are not laid out again.
func (f *flow) layOut(w int) {
	w = max(w, 1)
	again := f.width != w
	f.width = w
	first := 0
	if !again {
		first = max(len(f.parts)-2, 0) // only the last ones can have changed
		for first > 0 && f.parts[first].rows == 0 {
			first--
		}
	}
	for i := first; i < len(f.parts); i++ {
		p := &f.parts[i]
		if i > 0 {
			p.at = f.parts[i-1].at + f.parts[i-1].rows
		}
		if p.rows > 0 && !again {
			continue
		}
		f.layOutPart(p, w, i == len(f.parts)-1)
	}
}

func (f *flow) layOutPart(p *chunk, w int, last bool) {
	src := p.src
	if last && f.open {
		src = whole(src)
	}
	if f.plain {
		if last {
			src = strings.TrimRight(src, "\n")
		}
		p.lines = layOutPlain(src, w)
		p.rows = len(p.lines)
		return
	}
	if p.fence != "" {
		src = p.fence + "\n" + src
	}
	if last {
		src = strings.TrimRight(src, "\n ")
	}
	p.doc = markdown.Parse([]byte(src)).Layout(w, false)
	p.rows = p.doc.Len()
	if !last && strings.HasSuffix(src, "\n\n") {
		p.rows++ // the empty line before the next part
	}
}

// whole returns s without an incomplete character at its end.
func whole(s string) string {
	for i := 1; i <= min(len(s), utf8.UTFMax-1); i++ {
		c := s[len(s)-i]
		if utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRuneInString(s[len(s)-i:]) {
				return s[:len(s)-i]
			}
			return s
		}
	}
	return s
}

// layOutPlain returns where each row of a text is.
func layOutPlain(s string, w int) (rows []span) {
	var starts []int
	for at := 0; ; {
		end, next := len(s), len(s)+1
		if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
			end, next = at+i, at+i+1
		}
		line := strings.TrimSuffix(s[at:end], "\r")
		starts = text.Wrap(starts[:0], line, w, 0, 0)
		for i, from := range starts {
			rows = append(rows, span{int32(at + from), int32(at + text.End(line, starts, i))})
		}
		if next > len(s) || next == len(s) && strings.HasSuffix(s, "\n") {
			return rows
		}
		at = next
	}
}

// height returns the number of rows. It must be called after layOut.
func (f *flow) height() int {
	if len(f.parts) == 0 {
		return 0
	}
	p := &f.parts[len(f.parts)-1]
	return p.at + p.rows
}

// append draws a row in exactly the width of layOut; mark replaces invisible characters.
func (f *flow) append(dst []byte, n int, p *markdown.Pen, mark string) []byte {
	i := sort.Search(len(f.parts), func(i int) bool { return f.parts[i].at > n }) - 1
	if i < 0 {
		return text.Spaces(dst, f.width)
	}
	q := &f.parts[i]
	if !f.plain {
		return q.doc.Append(dst, n-q.at, p)
	}
	if n-q.at >= len(q.lines) {
		return text.Spaces(dst, f.width)
	}
	s := q.lines[n-q.at]
	l := text.Line{Width: f.width, Base: p.Base, Mark: mark, Fill: true}
	var found []text.Span
	if p.Find != nil {
		row := q.src[s.from:s.to]
		found = p.Find(nil, row)
		for k := range found {
			found[k].From += int(s.from)
			found[k].To += int(s.from)
		}
	}
	dst, _ = l.AppendRange(dst, q.src, int(s.from), int(s.to), found)
	return dst
}

// find returns the rows that contain a match. It must be called after layOut.
func (f *flow) find(find *find) (rows []int) {
	for i := range f.parts {
		p := &f.parts[i]
		for _, hit := range find.hits(nil, p.src, "", 0) {
			if n := p.at + p.rowOf(hit.From); len(rows) == 0 || n > rows[len(rows)-1] {
				rows = append(rows, n)
			}
		}
	}
	return rows
}

// rowOf returns the row of a part that shows one of its bytes.
func (p *chunk) rowOf(at int) int {
	if p.doc == nil {
		i := sort.Search(len(p.lines), func(i int) bool { return int(p.lines[i].from) > at })
		return max(i-1, 0)
	}
	line := strings.Count(p.src[:at], "\n")
	col := at - strings.LastIndexByte(p.src[:at], '\n') - 1
	if p.fence != "" {
		line++
	}
	return p.doc.RowOf(line, col)
}

func (f *flow) text() string {
	if len(f.parts) == 1 {
		return f.parts[0].src
	}
	var b strings.Builder
	for i := range f.parts {
		b.WriteString(f.parts[i].src)
	}
	return b.String()
}
