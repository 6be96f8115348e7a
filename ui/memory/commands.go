package memory

import (
	"context"
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/versions"
)

// opening is a file and its newest version, or what is known about a deleted one.
type opening struct {
	path memfs.Path
	doc  *document
	head *versions.Version
	gone *gone
	err  error
	now  memfs.Path // where the memory is that was at the path
}

// openFile reads the file at p, or what is known about it if it no longer exists. old is the text
// of the same file that was shown before, or nil; the document then records what changed and where lines
// moved. id is its memory, if known.
func openFile(ctx context.Context, store Store, p memfs.Path, old []byte, id versions.MemoryID) opening {
	f, err := store.Open(ctx, p)
	if why := explain(err); why != "" {
		return opening{path: p, doc: &document{path: p, why: why, cut: -1}}
	}
	if errors.Is(err, memfs.ErrNotExist) {
		return opening{path: p, err: err, gone: readGone(ctx, store, p, id), now: PathNow(ctx, store, id)}
	}
	if err != nil {
		return opening{path: p, err: err}
	}
	defer f.Close()
	d := &document{path: p, lang: syntax.Of(p.Base()), rules: rulesOf(store.Info(), p)}
	if err := d.read(f); err != nil {
		return opening{path: p, err: err}
	}
	d.examine()
	if !d.partial && old != nil {
		d.compare(old)
	}
	return opening{path: p, doc: d, head: readHead(ctx, store, p)}
}

// explain returns what is at a path without text to show, or "" for any other error.
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
