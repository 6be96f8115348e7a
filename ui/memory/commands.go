package memory

import (
	"context"
	"errors"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/ui/syntax"
	"github.com/memtrail/memtrail/versions"
)

// openFile opens the file at p and reads what its first screen needs. old is
// what was shown of the same file before; the document then knows what changed
// and where lines have moved to.
func openFile(ctx context.Context, id int, store Store, p memfs.Path, old *document) tea.Cmd {
	var oldText []byte
	oldWhole := false
	if old != nil && old.path == p && old.whole {
		oldText, oldWhole = old.text, true
	}
	return func() tea.Msg {
		f, err := store.Open(ctx, p)
		if why := explain(err); why != "" {
			return fileOpenedMsg{id: id, path: p, doc: &document{path: p, why: why, whole: true, index: lineIndex{done: true}}}
		}
		if err != nil {
			return fileOpenedMsg{id: id, path: p, err: err}
		}
		d := &document{path: p, file: f, size: f.Size(), lang: syntax.Of(p.Base())}
		if err := d.readFirst(); err != nil {
			f.Close()
			return fileOpenedMsg{id: id, path: p, err: err}
		}
		if d.whole && oldWhole {
			d.compare(oldText)
		}
		return fileOpenedMsg{id: id, path: p, doc: d}
	}
}

// explain says what stands at a path where there is no text to show; empty when
// err is something else.
func explain(err error) string {
	switch {
	case errors.Is(err, memfs.ErrNotRegular):
		return "not a regular file: a FIFO, a socket or a device. It is shown, and never read."
	case errors.Is(err, memfs.ErrLinkOut):
		return "a symbolic link that leaves the store. It is shown, and never followed."
	case errors.Is(err, memfs.ErrNoPermission):
		return "permission denied: this user may not read it."
	case errors.Is(err, memfs.ErrIsFolder):
		return "a folder"
	}
	return ""
}

// readFirst reads all of a small file, and of a large one as much as shows at first.
func (d *document) readFirst() error {
	limit := firstIndexBytes
	if d.size <= wholeFile {
		limit = wholeFile + 1
	}
	p, err := indexPiece(d.file, d.index, limit)
	if err != nil {
		return err
	}
	d.index.add(p)
	d.size = max(d.size, d.index.read)
	if !d.index.done {
		d.window, err = readWindow(d.file, 0, 0, 0, min(2*margin, max(d.index.lines, 1)), d.index.crlf)
		d.binary = len(d.window.lines) > 0 && !utf8.ValidString(d.window.lines[0])
		return err
	}
	d.size = d.index.read
	d.text = make([]byte, d.size)
	n, err := d.file.ReadAt(d.text, 0)
	if d.text = d.text[:n]; int64(n) < d.size && err != nil {
		return err // cut short meanwhile: the watcher brings it again
	}
	d.whole = true
	d.binary = !utf8.Valid(d.text)
	d.hidden = memfs.Hidden(d.text)
	d.window, err = readWindow(d.file, 0, 0, 0, d.index.lines, d.index.crlf)
	if err != nil || len(d.window.lines) < d.index.lines && d.size < windowBytes {
		d.index.lines = len(d.window.lines)
	}
	d.states = d.lineStates()
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
	edits := versions.DiffLines(old, d.text).Edits()
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

func closeFile(d *document) tea.Cmd {
	if d == nil || d.file == nil {
		return nil
	}
	f := d.file
	return func() tea.Msg {
		f.Close()
		return nil
	}
}

func readPiece(id int, f versions.File, ix lineIndex) tea.Cmd {
	return func() tea.Msg {
		p, err := indexPiece(f, ix, indexBytes)
		return pieceMsg{screen.Answered{}, id, p, err}
	}
}

func readLines(id int, f versions.File, line int, offset int64, first, n int, crlf bool) tea.Cmd {
	return func() tea.Msg {
		w, err := readWindow(f, line, offset, first, n, crlf)
		return windowMsg{screen.Answered{}, id, w, err}
	}
}

func searchOn(id int, f versions.File, st searchState) tea.Cmd {
	return func() tea.Msg {
		hits, next, err := searchStep(f, st)
		return foundMsg{screen.Answered{}, id, hits, next, err}
	}
}
