package markdown

import (
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// goldmark is the parser, created when the first memory is rendered. Its package of
// extensions is not used: the regular expressions there would cost every start of the
// program more than everything else together, and it drops table cells that have no head.
var goldmark = sync.OnceValue(func() parser.Parser {
	link := parser.NewLinkParser()
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(shallow{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(parser.NewHTMLBlockParser(), 900),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(taskParser{}, 50),
			util.Prioritized(metered{parser.NewCodeSpanParser()}, 100),
			util.Prioritized(bracketParser{}, 150),
			util.Prioritized(meteredLink{metered{link}, link.(parser.CloseBlocker)}, 200),
			util.Prioritized(metered{parser.NewAutoLinkParser()}, 300),
			util.Prioritized(metered{parser.NewRawHTMLParser()}, 400),
			util.Prioritized(metered{parser.NewEmphasisParser()}, 500),
			util.Prioritized(metered{strikeParser{}}, 600),
			util.Prioritized(addressParser{}, 999),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(definitions{}, 100),
			util.Prioritized(tableParser{}, 200),
		),
	)
})

// maxDepth is how deep blocks may nest: goldmark visits every open block at every line.
const maxDepth = 100

// shallow prevents a block from opening inside too many others.
type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if len(pc.OpenedBlocks()) > maxDepth {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, r, pc)
}

// maxDefinitions is the number of lines of a paragraph up to which definitions of links are
// parsed; the time for that is quadratic.
const maxDefinitions = 400

// definitions parses the definitions of links at the beginning of a paragraph.
type definitions struct{}

func (definitions) Transform(p *ast.Paragraph, r text.Reader, pc parser.Context) {
	lines := p.Lines()
	if lines.Len() == 0 || lines.Len() > maxDefinitions {
		return
	}
	first := lines.At(0)
	if s := first.Value(r.Source()); len(s) > 1 && s[0] == '[' && s[1] == '^' { // a footnote
		return
	}
	parser.LinkReferenceParagraphTransformer.Transform(p, r, pc)
}

var workKey = parser.NewContextKey()

// work limits the cost of parsing inline text. goldmark's time is quadratic in the length
// of a paragraph that opens many elements and closes few. So each block has an allowance;
// when it is used up, the rest of the block is plain text.
type work struct {
	block      ast.Node
	start, end int // of the block, in the source
	left       int
	delimiters int
	ends       map[ast.Node]int // where links end in the source
}

const (
	allowance        = 64 << 10
	allowancePerByte = 400
)

// in starts the allowance of a block.
func (w *work) in(block ast.Node) {
	if w.block == block {
		return
	}
	w.block, w.delimiters = block, 0
	w.start, w.end = 0, 0
	if lines := block.Lines(); lines.Len() > 0 {
		w.start, w.end = lines.At(0).Start, lines.At(lines.Len()-1).Stop
	}
	w.left = allowance + allowancePerByte*(w.end-w.start)
}

// metered charges the work of an inline parser to the block's allowance.
type metered struct{ parser.InlineParser }

func (m metered) Parse(block ast.Node, r text.Reader, pc parser.Context) ast.Node {
	w := pc.Get(workKey).(*work)
	if w.in(block); w.left < 0 {
		return nil
	}
	line, seg := r.PeekLine()
	n := m.InlineParser.Parse(block, r, pc)
	switch n := n.(type) {
	case nil:
		if line[0] == ']' {
			w.left -= seg.Start - w.start
		}
		if line[0] == '<' || len(line) > 1 && line[0] == ']' && (line[1] == '(' || line[1] == '[') {
			w.left -= w.end - seg.Start
		}
	case *ast.Text: // backquotes that are not closed
		w.left -= w.end - seg.Start
	case *parser.Delimiter:
		w.delimiters++
		w.left -= w.delimiters
	case *ast.Link, *ast.Image, *ast.AutoLink:
		_, at := r.Position()
		w.ends[n] = at.Start
	}
	return n
}

// meteredLink also forwards the end of a block, as the link parser requires.
type meteredLink struct {
	metered
	parser.CloseBlocker
}
