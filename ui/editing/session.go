package editing

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/versions"
)

// session is a memory that is edited in place; the zero base of its editor means that it is
// new.
type session struct {
	path         memfs.Path
	pane         *editor.Editor
	saving       bool
	then         func() tea.Cmd // to run once it is saved; nil stays here
	warned       bool           // that the memory changed meanwhile
	baseUnknown  bool           // the base of the text is unknown, for example because its memory was redacted
	merge        *merging       // that was begun, to resume
	memory       versions.MemoryID
	since        time.Time // no later than its beginning
	forceSave    bool      // save without the check
	baseRedacted bool      // its base was redacted since: it is not kept as a draft, and saving asks first

	resumedFrom []string // drafts that it was resumed from
	keep        bool     // keep the draft when the editor is closed
}

// open shows the editor of a session instead of the memory, unless another one got unsaved text while this one was read.
func (r *Room) open(s *session) bool {
	if r.Dirty() {
		return false
	}
	r.session = s
	r.opening.Stop()
	s.pane.SetOwner(r.asked)
	s.since = r.now
	s.memory = r.memoryOf(s)
	s.pane.SetLanguage(syntax.Of(s.path.Base()))
	s.pane.SetWrap(r.memory.Wraps())
	s.pane.SetLimit(r.cfg.Store.Info().Limits.Effective().Bytes)
	r.env.Do(screen.FocusMemory{})
	return true
}

// reload takes over the current content of the memory, as one undo step.
func (s *session) reload(t text) {
	s.pane.Reload(t.content, t.hash)
	s.warned, s.baseUnknown = false, false
}

var errTooLarge = errors.New("too large to edit: over " + draw.Bytes(versions.DefaultMaxBytes))

// text is the content of a memory.
type text struct {
	content []byte
	hash    versions.Hash
	err     error
}

// read reads a memory and passes its content to then.
func (r *Room) read(p memfs.Path, then func(text) tea.Cmd) tea.Cmd {
	ctx, store := r.env.Ctx, r.cfg.Store
	return screen.Run(func() text {
		content, err := readAll(ctx, store, p)
		return text{content, sha256.Sum256(content), err}
	}, then)
}

func readAll(ctx context.Context, store Store, p memfs.Path) ([]byte, error) {
	f, err := store.Open(ctx, p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Size() > versions.DefaultMaxBytes {
		return nil, errTooLarge
	}
	return io.ReadAll(io.NewSectionReader(f, 0, versions.DefaultMaxBytes))
}
