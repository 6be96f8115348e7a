package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

var kindOurs = ast.NewNodeKind("Ours")

// bracket is [[name]], [[name|label]] or [^footnote], with the text between the brackets.
type bracket struct {
	ast.BaseInline
	kind   LinkKind
	in     text.Segment
	end    int // of the whole element, in the source
	embeds bool
}

func (*bracket) Kind() ast.NodeKind { return kindOurs }
func (*bracket) Dump([]byte, int)   {}

// maxBracket limits the search for the end of a bracket.
const maxBracket = 512

type bracketParser struct{}

func (bracketParser) Trigger() []byte { return []byte{'[', '!'} }

func (bracketParser) Parse(block ast.Node, r text.Reader, pc parser.Context) ast.Node {
	line, seg := r.PeekLine()
	rest := line[:min(len(line), maxBracket)]
	at := 0
	if rest[0] == '!' {
		at = 1
	}
	kind, closing := Wiki, "]]"
	switch {
	case bytes.HasPrefix(rest[at:], []byte("[[")):
	case at == 0 && bytes.HasPrefix(rest, []byte("[^")):
		kind, closing = Footnote, "]"
	default:
		return nil
	}
	from := at + 2
	n := bytes.Index(rest[from:], []byte(closing))
	if n <= 0 || bytes.IndexByte(rest[from:from+n], '[') >= 0 || util.IsBlank(rest[from:from+n]) {
		return nil
	}
	if kind == Footnote {
		defines := !block.HasChildren() && bytes.HasPrefix(rest[from+n:], []byte("]:"))
		if defines || bytes.ContainsAny(rest[from:from+n], " \t") {
			return nil
		}
	}
	if seg.Padding > 0 { // the bytes of the line are not those of the source
		return nil
	}
	end := from + n + len(closing)
	r.Advance(end)
	return &bracket{kind: kind, in: text.NewSegment(seg.Start+from, seg.Start+from+n), end: seg.Start + end, embeds: at == 1}
}

// task is the box of a task list item.
type task struct {
	ast.BaseInline
	done bool
}

func (*task) Kind() ast.NodeKind { return kindOurs }
func (*task) Dump([]byte, int)   {}

type taskParser struct{}

func (taskParser) Trigger() []byte { return []byte{'['} }

func (taskParser) Parse(block ast.Node, r text.Reader, _ parser.Context) ast.Node {
	item, ok := block.Parent().(*ast.ListItem)
	if !ok || item.FirstChild() != block || block.HasChildren() {
		return nil
	}
	line, _ := r.PeekLine()
	if len(line) < 3 || line[2] != ']' || len(line) > 3 && !util.IsSpace(line[3]) || bytes.IndexByte([]byte(" xX"), line[1]) < 0 {
		return nil
	}
	n := 3
	for n < len(line) && (line[n] == ' ' || line[n] == '\t') {
		n++
	}
	r.Advance(n)
	return &task{done: line[1] != ' '}
}

// strike is ~~text~~.
type strike struct{ ast.BaseInline }

func (*strike) Kind() ast.NodeKind { return kindOurs }
func (*strike) Dump([]byte, int)   {}

type strikeParser struct{}

func (strikeParser) IsDelimiter(b byte) bool { return b == '~' }
func (strikeParser) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char && opener.Length == closer.Length
}
func (strikeParser) OnMatch(int) ast.Node { return &strike{} }

func (strikeParser) Trigger() []byte { return []byte{'~'} }

func (p strikeParser) Parse(_ ast.Node, r text.Reader, pc parser.Context) ast.Node {
	before := r.PrecendingCharacter()
	line, seg := r.PeekLine()
	if before == '~' || !bytes.HasPrefix(line, []byte("~~")) || bytes.HasPrefix(line, []byte("~~~")) {
		return nil
	}
	d := parser.ScanDelimiter(line, before, 2, p)
	if d == nil {
		return nil
	}
	d.Segment = seg.WithStop(seg.Start + d.OriginalLength)
	r.Advance(d.OriginalLength)
	pc.PushDelimiter(d)
	return d
}

// address is a bare URL.
type address struct {
	ast.BaseInline
	in text.Segment
}

func (*address) Kind() ast.NodeKind { return kindOurs }
func (*address) Dump([]byte, int)   {}

type addressParser struct{}

// Trigger returns the characters before an address. For goldmark a space also means the
// beginning of a line, and the place where another parser ended.
func (addressParser) Trigger() []byte { return []byte{' ', '('} }

func (addressParser) Parse(block ast.Node, r text.Reader, pc parser.Context) ast.Node {
	if pc.IsInLinkLabel() {
		return nil
	}
	line, seg := r.PeekLine()
	if seg.Padding > 0 {
		return nil
	}
	skip := 0
	if line[0] == ' ' || line[0] == '\t' || line[0] == '(' {
		skip = 1
	}
	n := addressLen(line[skip:])
	if n == 0 {
		return nil
	}
	if skip > 0 {
		ast.MergeOrAppendTextSegment(block, seg.WithStop(seg.Start+skip))
	}
	r.Advance(skip + n)
	return &address{in: text.NewSegment(seg.Start+skip, seg.Start+skip+n)}
}

// addressLen returns the length of the URL at the beginning of s, or 0.
func addressLen(s []byte) int {
	scheme := 0
	for _, p := range []string{"https://", "http://", "www."} {
		if bytes.HasPrefix(s, []byte(p)) {
			scheme = len(p)
		}
	}
	if scheme == 0 {
		return 0
	}
	n, open := scheme, 0
	for ; n < len(s); n++ {
		switch c := s[n]; {
		case c <= ' ' || c == 0x7f || c == '<' || c == '>' || c == '`' || c == '|':
			return addressEnd(s[:n], scheme)
		case c == '(':
			open++
		case c == ')':
			if open--; open < 0 {
				return addressEnd(s[:n], scheme)
			}
		}
	}
	return addressEnd(s, scheme)
}

// addressEnd excludes marks that end a sentence or an emphasis.
func addressEnd(s []byte, scheme int) int {
	s = bytes.TrimRight(s, "?!.,:;*_~'\"]}\\")
	if len(s) <= scheme {
		return 0
	}
	return len(s)
}
