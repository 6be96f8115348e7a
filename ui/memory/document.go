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
)

// document is an open file as the memory pane shows it. The command that opens
// it makes it; after that the pane owns it.
type document struct {
	path   memfs.Path
	file   versions.File
	size   int64
	index  lineIndex
	window window
	whole  bool // the window holds every line

	lang   syntax.Language
	states []syntax.State     // of each line, when whole
	md     *markdown.Document // when whole, and Markdown
	front  int                // lines of the front matter, both its ends included
	cut    int                // the first line that an agent does not load; -1 for none
	cutBy  string             // which limit that is
	rules  indexRules         // when it is an index
	hooks  int                // lines that are too long for one, when whole
	hidden int                // characters that would not show, when whole
	binary bool               // not UTF-8, as far as it was looked at
	ends   string             // what is odd about the ends of its lines
	bom    bool               // it begins with a byte order mark
	nul    bool               // no text at all: a zero byte is in its beginning
	text   []byte             // when whole
	marks  lineMarks          // what is different from the reading before
	review *review            // what is to be reviewed; nil when that is nothing
	shift  func(line int) int
	why    string // why nothing is shown: a FIFO, no permission
}

// lineMarks are the lines that a change has touched, as ranges from 0.
type lineMarks []diff.Edit

// in says whether one of the lines [from, to) was added or changed, or stands
// after removed lines.
func (m lineMarks) in(from, to int) (changed, gap bool) {
	i := sort.Search(len(m), func(i int) bool { return m[i].New+m[i].NewLines >= from })
	for ; i < len(m) && m[i].New < to; i++ {
		e := m[i]
		changed = changed || e.NewLines > 0 && e.New+e.NewLines > from
		gap = gap || e.NewLines == 0 && e.New >= from
	}
	return changed, gap
}

// sniff is how much of a file is looked at to tell text from other things.
const sniff = 8000

// readFirst reads all of a small file, and of a large one as much as shows at
// first: at its beginning, or up to a line that is on the screen.
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
		return err // cut short meanwhile: the watcher brings it again
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
	}
	d.cutAt(d.window.lines)
	d.countHooks()
	return err
}

// lineStates finds the state that each line begins in; only Markdown has any.
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

// compare notes what differs from the text shown before.
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
