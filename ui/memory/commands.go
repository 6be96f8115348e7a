package memory

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/versions"
)

// openFile opens the file at p and reads what its first screen needs, or what is
// known of it when it is there no more. old is what was shown of the same file
// before, up to line upTo; the document then knows what changed and where lines
// have moved to. id is its memory, as far as known.
func openFile(ctx context.Context, question int, store Store, p memfs.Path, old *document, upTo int, id versions.MemoryID) tea.Cmd {
	var oldText []byte
	oldWhole := false
	if old != nil && old.path == p && old.whole {
		oldText, oldWhole = old.text, true
	}
	return func() tea.Msg {
		f, err := store.Open(ctx, p)
		if why := explain(err); why != "" {
			return fileOpenedMsg{id: question, path: p, doc: &document{path: p, why: why, whole: true, cut: -1, index: lineIndex{done: true}}}
		}
		if errors.Is(err, memfs.ErrNotExist) {
			return fileOpenedMsg{id: question, path: p, err: err, gone: lookBack(ctx, store, p, id)}
		}
		if err != nil {
			return fileOpenedMsg{id: question, path: p, err: err}
		}
		d := &document{path: p, file: f, size: f.Size(), lang: syntax.Of(p.Base()), rules: rulesOf(store.Info(), p)}
		if err := d.readFirst(ctx, upTo); err != nil {
			f.Close()
			return fileOpenedMsg{id: question, path: p, err: err}
		}
		if d.whole && oldWhole {
			d.compare(oldText)
		}
		return fileOpenedMsg{id: question, path: p, doc: d}
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
		return "a folder: the tree shows what is in it."
	}
	return ""
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
		return pieceMsg{id: id, piece: p, err: err}
	}
}

func readLines(id int, f versions.File, line int, offset int64, first, n int, crlf bool) tea.Cmd {
	return func() tea.Msg {
		w, err := readWindow(f, line, offset, first, n, crlf)
		return windowMsg{id: id, window: w, err: err}
	}
}

func searchOn(id int, f versions.File, st searchState) tea.Cmd {
	return func() tea.Msg {
		hits, next, err := searchStep(f, st)
		return foundMsg{id: id, hits: hits, next: next, err: err}
	}
}
