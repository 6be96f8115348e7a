package memory

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/markdown"
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/guard"
)

// document is an open file as the memory pane shows it. The command that opens the file
// creates it; after that the pane owns it.
type document struct {
	path    memfs.Path
	size    int64
	partial bool   // it is too large to be a memory: text is its beginning
	text    []byte // nil if nothing is shown
	lines   []string
	crlf    bool // the first line ends in CRLF: assumed for the others, too

	lang     syntax.Language
	states   []syntax.State     // of each line
	md       *markdown.Document // if it is Markdown, and not too large
	links    []link             // of md, by position
	front    int                // lines of the front matter, including both delimiters
	cut      int                // the first line that an agent does not load; -1 for none
	cutBy    string             // the limit that applies
	rules    indexRules         // if it is an index
	hooks    int                // lines that are too long for an index
	hidden   int                // invisible characters
	binary   bool               // not UTF-8
	ends     string             // a note about unusual line ends
	bom      bool               // it begins with a byte order mark
	nul      bool               // not text: there is a zero byte near its beginning
	checked  bool               // findings is known
	findings []guard.Finding
	marks    lineMarks // differences from the previous reading
	review   *review   // differences from the reviewed version; nil for none
	shift    func(line int) int
	why      string   // why nothing is shown: a FIFO, no permission
	folder   []string // of a folder: lines about its content
}

// lineMarks are the lines changed by an edit, as ranges from 0.
type lineMarks []diff.Edit

// in reports whether one of the lines [from, to) was added or changed, or follows removed
// lines.
func (m lineMarks) in(from, to int) (changed, gap bool) {
	i := sort.Search(len(m), func(i int) bool { return m[i].New+m[i].NewLines >= from })
	for ; i < len(m) && m[i].New < to; i++ {
		e := m[i]
		changed = changed || e.NewLines > 0 && e.New+e.NewLines > from
		gap = gap || e.NewLines == 0 && e.New >= from
	}
	return changed, gap
}

// sniff is how many bytes tell text from binary data.
const sniff = 8000

// maxMarkdown is the size up to which Markdown is parsed: parsing 8 MiB would delay the first frame
// by half a second.
const maxMarkdown = 1 << 20

// examine computes what is shown of the text besides its lines.
func (d *document) examine() {
	d.nul = bytes.IndexByte(d.text[:min(len(d.text), sniff)], 0) >= 0
	d.bom = bytes.HasPrefix(d.text, []byte("\ufeff"))
	d.binary = !utf8.Valid(d.text)
	d.hidden = memfs.Hidden(d.text)
	if n := bytes.Count(d.text, []byte("\r\n")); n > 0 && n < bytes.Count(d.text, []byte("\n")) {
		d.ends = "mixed line ends"
	} else if d.crlf {
		d.ends = "CRLF"
	}
	d.states = d.lineStates()
	d.front = d.frontMatter()
	if d.lang == syntax.Markdown && !d.nul && !d.partial && d.size <= maxMarkdown {
		d.md = markdown.Parse(d.text)
		d.findLinks()
	}
	d.findCut()
	d.countHooks()
}

// lineStates computes the lexer state at the beginning of each line; only Markdown has
// states.
func (d *document) lineStates() []syntax.State {
	if d.lang != syntax.Markdown {
		return nil
	}
	states := make([]syntax.State, len(d.lines))
	var st syntax.State
	var buf []syntax.Token
	for i, s := range d.lines {
		states[i] = st
		buf, st = d.lang.Line(buf[:0], s, st)
	}
	return states
}

// lastLine returns the number of the last line, from 0.
func (d *document) lastLine() int { return max(len(d.lines)-1, 0) }

// compare records the differences from the text shown before.
func (d *document) compare(old []byte) {
	edits := diff.Lines(old, d.text).Edits()
	d.marks = edits
	d.shift = func(line int) int {
		by := 0
		for _, e := range edits {
			if line < e.Old {
				break
			}
			if line < e.Old+e.OldLines {
				return e.New + min(line-e.Old, max(e.NewLines-1, 0))
			}
			by = e.New + e.NewLines - e.Old - e.OldLines
		}
		return line + by
	}
}
