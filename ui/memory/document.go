package memory

import (
	"bytes"
	"context"
	"sort"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/markdown"
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/guard"
)

// document is an open file as the memory pane shows it. The command that opens the file
// creates it; after that the pane owns it.
type document struct {
	path   memfs.Path
	file   versions.File
	size   int64
	index  lineIndex
	window window
	whole  bool // the window holds every line

	lang     syntax.Language
	states   []syntax.State     // of each line, if whole
	md       *markdown.Document // if whole, and Markdown
	links    []link             // of md, by position
	front    int                // lines of the front matter, including both delimiters
	cut      int                // the first line that an agent does not load; -1 for none
	cutBy    string             // the limit that applies
	rules    indexRules         // if it is an index
	hooks    int                // lines that are too long for an index, if whole
	hidden   int                // invisible characters, if whole
	binary   bool               // not UTF-8, as far as it was read
	ends     string             // a note about unusual line ends
	bom      bool               // it begins with a byte order mark
	nul      bool               // not text: there is a zero byte near its beginning
	text     []byte             // if whole
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

// sniff is how many bytes are read to tell text from binary data.
const sniff = 8000

// readFirst reads a small file completely, and of a large one the first screen, or up to a
// line that is on the screen.
func (d *document) readFirst(ctx context.Context, upTo int) error {
	limit := firstIndexBytes
	if d.size <= wholeFile {
		limit = wholeFile + 1
	}
	for more := true; more; more = !d.index.done && d.index.lines <= upTo && ctx.Err() == nil {
		p, err := indexPiece(d.file, d.index, limit)
		if err != nil {
			return err
		}
		d.index.add(p)
		limit = indexBytes
	}
	d.size = max(d.size, d.index.read)
	head := make([]byte, sniff)
	n, _ := d.file.ReadAt(head, 0)
	d.nul = bytes.IndexByte(head[:n], 0) >= 0
	d.bom = bytes.HasPrefix(head[:n], []byte("\ufeff"))
	if d.index.crlf {
		d.ends = "CRLF"
	}
	d.cut = -1
	if d.index.done && d.index.read <= wholeFile {
		return d.readWhole()
	}
	first := max(upTo-margin, 0)
	line, offset := d.index.near(first)
	w, err := readWindow(d.file, line, offset, first, min(2*margin, max(d.index.lines, 1)), d.index.crlf)
	d.window = w
	d.binary = d.nul || !utf8.Valid(wholeRunes(head[:n]))
	d.cutAt(d.window.lines)
	return err
}

func (d *document) readWhole() error {
	d.size = d.index.read
	d.text = make([]byte, d.size)
	n, err := d.file.ReadAt(d.text, 0)
	if d.text = d.text[:n]; int64(n) < d.size && err != nil {
		return err // truncated meanwhile: the watcher will report it
	}
	d.whole = true
	d.binary = !utf8.Valid(d.text)
	d.hidden = memfs.Hidden(d.text)
	if n := bytes.Count(d.text, []byte("\r\n")); n > 0 && n < bytes.Count(d.text, []byte("\n")) {
		d.ends = "mixed line ends"
	}
	d.window, err = readWindow(d.file, 0, 0, 0, d.index.lines, d.index.crlf)
	if err != nil || len(d.window.lines) < d.index.lines && d.size < windowBytes {
		d.index.lines = len(d.window.lines)
	}
	d.states = d.lineStates()
	d.front = d.frontMatter()
	if d.lang == syntax.Markdown && !d.nul {
		d.md = markdown.Parse(d.text)
		d.findLinks()
	}
	d.cutAt(d.window.lines)
	d.countHooks()
	return err
}

// lineStates computes the lexer state at the beginning of each line; only Markdown has
// states.
func (d *document) lineStates() []syntax.State {
	if d.lang != syntax.Markdown {
		return nil
	}
	states := make([]syntax.State, len(d.window.lines))
	var st syntax.State
	var buf []syntax.Token
	for i, s := range d.window.lines {
		states[i] = st
		buf, st = d.lang.Line(buf[:0], s, st)
	}
	return states
}

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
