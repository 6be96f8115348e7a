// Package editing manages what a person edits: one memory at a time, in the editor here or
// in an external one, and the draft of unsaved text.
//
// No text is lost: leaving unsaved text asks first, a draft survives the
// program, and a text whose memory someone else changed meanwhile is merged or saved
// beside it. A redaction is the exception: see redacted.go.
package editing

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/memory"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
)

// Store is what the package needs of a store.
type Store interface {
	Info() versions.StoreInfo
	// Open opens the file at p as it is on disk now, memory or not, of any size.
	Open(ctx context.Context, p memfs.Path) (versions.File, error)
	// Content returns the content of a version, or versions.ErrRedacted.
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)
	// History lists the versions of one memory, newest first: those before the version
	// numbered before (0: from the newest), at most limit.
	History(ctx context.Context, m versions.MemoryID, before int, limit int) ([]versions.Version, error)
	// Write creates or replaces the memory at p, if the precondition holds. Writing the
	// same content again returns no error and a zero Change. A versions.ConflictError holds
	// the current state.
	Write(ctx context.Context, by versions.By, p memfs.Path, content []byte, pre versions.Pre) (versions.Change, error)
	// NewEditCopy copies a text for an external editor; left are the files of earlier edits
	// that were not saved.
	NewEditCopy(name string, text []byte) (file *drafts.EditCopy, left []string, err error)
}

// Config holds the options of a Room.
type Config struct {
	Store    Store
	By       versions.By
	ReadOnly bool
	Drafts   Drafts // nil: unsaved texts are not kept
	Editor   string // command of the external editor; VISUAL or EDITOR if empty
	Clip     *editor.Clipboard
	Now      func() time.Time // called only by commands
}

// Room holds the memory that is being edited, if there is one. Its editor replaces the
// memory pane.
type Room struct {
	env    screen.Env
	cfg    Config
	tree   *tree.Pane
	memory *memory.Pane

	session *session        // nil while nothing is edited
	opening screen.Question // what is to be edited next: only the last request opens an editor, and none once something was opened
	keeping keeping         // the draft of the session
	now     time.Time
}

// New returns a room without a session.
func New(env screen.Env, cfg Config, t *tree.Pane, m *memory.Pane) *Room {
	return &Room{env: env, cfg: cfg, tree: t, memory: m}
}

// Pane returns the editor, or nil while nothing is edited.
func (r *Room) Pane() *editor.Editor {
	if r.session == nil {
		return nil
	}
	return r.session.pane
}

// Dirty reports whether there is unsaved text.
func (r *Room) Dirty() bool { return r.session != nil && r.session.pane.Dirty() }

// Path returns the memory that is edited, or the root.
func (r *Room) Path() memfs.Path {
	if r.session == nil {
		return memfs.Root
	}
	return r.session.path
}

// SetNow sets the time, for ages.
func (r *Room) SetNow(now time.Time) { r.now = now }

// Title returns the path of the memory, notes about it, and whether it is saved.
func (r *Room) Title() (name, info string) {
	_, info = r.session.pane.Title()
	name = r.session.path.String()
	if r.Dirty() {
		name += " *"
	}
	switch {
	case r.session.baseRedacted:
		info = "redacted meanwhile · " + info
	case r.session.warned:
		info = "changed meanwhile · " + info
	}
	return name, info
}

// Start looks for drafts of earlier runs.
func (r *Room) Start() tea.Cmd { return tea.Batch(r.findDrafts(memfs.Root, nil), r.ListDrafts()) }

// asked handles what the editor asks of its owner.
func (r *Room) asked(msg tea.Msg) tea.Msg {
	return screen.Then(func() tea.Cmd {
		if save, ok := msg.(editor.SaveRequest); ok {
			return r.save(save)
		}
		return r.close()
	})
}

func (r *Room) say(text string, bad bool) tea.Cmd {
	return r.env.Do(screen.Notice{Text: text, Bad: bad})
}

func (r *Room) readOnly() tea.Cmd { return r.say("read-only: nothing is written", true) }

// writable runs begin, unless a memory is pinned for everybody, or is not one of the store's files.
func (r *Room) writable(p memfs.Path, begin func() tea.Cmd) tea.Cmd {
	if files := r.cfg.Store.Info().Files; !files.Match(p) {
		return r.say(p.String()+" "+(&memfs.UnnamedError{Names: files}).Error(), true)
	}
	if pin, ok := r.tree.Trust.Pin(p); ok && pin.For == versions.PinAll {
		return r.say(p.String()+" is read-only: "+pin.Path.String()+" is pinned for all · \"unpin\" in the palette there makes it writable", true)
	}
	return begin()
}

// NewMemory asks for a path in a folder and begins a memory there.
func (r *Room) NewMemory(folder memfs.Path) tea.Cmd {
	return r.Leaving("create a memory", func() tea.Cmd {
		return r.env.Do(screen.Prompt{Label: "new memory", Value: strings.TrimSuffix(folder.String(), "/") + "/", Then: r.newAt})
	})
}

// last returns whether no editor and no memory was asked for meanwhile.
func (r *Room) last() func() bool {
	id := r.opening.ID()
	return func() bool { return r.opening.Current(id) }
}

// newAt begins a memory at the typed path.
func (r *Room) newAt(typed string) tea.Cmd {
	p, err := memfs.ParsePath(typed)
	if err != nil {
		return r.say("new memory: "+wording.Why(err), true)
	}
	if p.IsRoot() || strings.HasSuffix(strings.TrimSpace(typed), "/") {
		return r.say("new memory: a name is missing after the folder", true)
	}
	return r.writable(p, func() tea.Cmd {
		r.opening.Stop()
		return r.findDrafts(p, func() tea.Cmd { return r.begin(p) })
	})
}

// Create begins a memory at a path that is free.
func (r *Room) Create(p memfs.Path) tea.Cmd {
	return r.writable(p, func() tea.Cmd {
		if r.Dirty() {
			return r.say(r.session.path.String()+" is not saved: "+r.session.pane.Hint("save")+" saves, "+r.session.pane.Hint("close")+" closes", true)
		}
		return r.begin(p)
	})
}

// Edit opens the editor on a memory.
func (r *Room) Edit(req screen.Edit) tea.Cmd {
	return r.writable(req.Path, func() tea.Cmd {
		return r.Leaving("edit "+req.Path.String(), func() tea.Cmd {
			r.opening.Stop()
			return r.findDrafts(req.Path, func() tea.Cmd { return r.load(req) })
		})
	})
}

// load opens the editor on a memory's content.
func (r *Room) load(req screen.Edit) tea.Cmd {
	p, last := req.Path, r.last()
	return r.read(p, func(t text) tea.Cmd {
		switch {
		case !last():
			return nil
		case t.err != nil:
			return r.say("edit "+p.String()+": "+t.err.Error(), true)
		}
		pane := editor.New(r.env, t.content, t.hash, r.cfg.Clip)
		pane.Begin(req.Line, req.Column, req.Row)
		r.open(&session{path: p, pane: pane})
		return nil
	})
}

// begin opens the editor on a memory that does not exist yet.
func (r *Room) begin(p memfs.Path) tea.Cmd {
	if d := r.tree.Data(); d != nil && d.Has(p) {
		return r.say(p.String()+": already exists", true)
	}
	r.open(&session{path: p, pane: editor.New(r.env, nil, versions.Hash{}, r.cfg.Clip)})
	return nil
}

// Reload takes over the current content of the memory, unless something was typed.
func (r *Room) Reload() tea.Cmd {
	if r.session == nil {
		return nil
	}
	s, p := r.session, r.session.path
	return r.read(p, func(t text) tea.Cmd {
		switch {
		case s != r.session || s.path != p || s.saving:
		case errors.Is(t.err, memfs.ErrNotExist):
			return r.find(s)
		case t.err != nil || s.pane.Base() == t.hash: // what is being written is reported by saving
		case !s.pane.Dirty():
			s.reload(t)
			return r.say("loaded a change by someone else · "+s.pane.Hint("undo")+" undoes", false)
		case !s.warned:
			s.warned = true
			return r.say("changed meanwhile: saving will ask", true)
		}
		return nil
	})
}

// find finds where the memory is that is edited: an undo or a restore of several memories does not name them. Of one that was
// deleted nothing is said: saving asks.
func (r *Room) find(s *session) tea.Cmd {
	ctx, store, id := r.env.Ctx, r.cfg.Store, r.memoryOf(s)
	return screen.Run(func() memfs.Path { return memory.PathNow(ctx, store, id) }, func(now memfs.Path) tea.Cmd {
		if s != r.session || now.IsRoot() || now == s.path {
			return nil
		}
		return r.env.Do(screen.Moved{From: s.path, To: now})
	})
}

// Moved follows a rename of the memory.
func (r *Room) Moved(from, to memfs.Path) {
	if s := r.session; s != nil && s.path.In(from) {
		s.path = s.path.Move(from, to)
		if s.merge != nil {
			s.merge.pane.SetPath(s.path)
		}
	}
}

// Close closes the editor without a question, and opens none that was asked for before.
func (r *Room) Close() {
	r.session = nil
	r.opening.Stop()
}

// ago returns the age of a change, to append to its actor.
func ago(now, t time.Time) string {
	switch age := draw.Age(now, t); age {
	case "":
		return ""
	case "now":
		return ", just now"
	default:
		return ", " + age + " ago"
	}
}
