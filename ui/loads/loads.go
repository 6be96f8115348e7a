// Package loads is the screen that shows what a new session of a coding agent loads at its start
// in the project of the store: each file in load order with its imports, what is found but not
// loaded and why, and beside it the text, with the cut where only the beginning is loaded.
package loads

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent/instructions"
	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/request"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/versions"
)

// Config holds what the screen works with. Its functions may block on the disk.
type Config struct {
	Store   versions.StoreInfo                                  // that is shown
	Stores  func(context.Context) ([]versions.StoreInfo, error) // of the home; nil if there is only this one
	Machine func() (places.Roots, error)
}

// Pane is the screen. New returns one.
type Pane struct {
	screen.Plain
	env    screen.Env
	cancel context.CancelFunc
	cfg    Config
	keys   *keys.Map[*Pane]

	reads screen.Load[found]
	begun bool // the first reading has ended
	err   error
	found found
	tool  instructions.Tool // whose session is shown
	rows  []row
	cols  int // that the widest row needs
	w     int // columns of the screen

	*split.Split
	text  *textView
	texts screen.Load[*document]
	shown string // the path of the text that is shown, or being read
}

// found is what was read from the disk.
type found struct {
	dir, home string
	sessions  []instructions.Session
	stores    []versions.StoreInfo
}

// row is a heading or a file.
type row struct {
	heading string
	note    bool // the heading is a note about the session
	file    *instructions.File
	depth   int // of an import
}

// New returns the screen; Start reads what is loaded.
func New(env screen.Env, cfg Config) *Pane {
	ctx, cancel := context.WithCancel(env.Ctx)
	p := &Pane{env: env.During(ctx), cancel: cancel, cfg: cfg, keys: loadsKeys(env.Keys)}
	p.text = newText(env.Theme, env.Keys)
	p.Split = split.With(env.Theme, p.text, p)
	return p
}

// Start reads what is loaded.
func (p *Pane) Start() tea.Cmd { return p.load() }

// Close cancels pending requests.
func (p *Pane) Close() { p.cancel() }

// SetTheme changes the theme.
func (p *Pane) SetTheme(th *theme.Theme) {
	p.env.Theme = th
	p.Split.SetTheme(th)
}

// Event reads everything again if a memory has changed: it may be one of the files.
func (p *Pane) Event(e versions.Event) tea.Cmd {
	if e.Reload || len(e.Changes) > 0 {
		return p.load()
	}
	return nil
}

// load reads what is loaded; during a reading, it is read again afterwards.
func (p *Pane) load() tea.Cmd {
	if p.reads.After(p.load) {
		return nil
	}
	cfg := p.cfg
	return p.reads.Begin(p.env.Ctx, func(ctx context.Context) (found, error) { return read(ctx, cfg) }, func(f found, err error) tea.Cmd {
		p.begun, p.err, p.found, p.shown = true, err, f, ""
		return p.list()
	})
}

// read finds what sessions load: in the directory that the store is about, else in the working directory.
func read(ctx context.Context, cfg Config) (found, error) {
	roots, err := cfg.Machine()
	if err != nil && roots.Home == "" {
		return found{}, err
	}
	f := found{dir: places.ProjectOf(ctx, cfg.Store, roots.Claude), home: roots.Home, stores: []versions.StoreInfo{cfg.Store}}
	if f.dir == "" {
		f.dir = roots.Here
	}
	if f.sessions, err = instructions.Here(ctx, f.dir, roots); err != nil {
		return f, fmt.Errorf("what is loaded in %s can't be found: %w", f.dir, err)
	}
	if cfg.Stores != nil {
		f.stores, err = cfg.Stores(ctx)
	}
	return f, err
}

// session returns the session that is shown, or nil.
func (p *Pane) session() *instructions.Session {
	i := slices.IndexFunc(p.found.sessions, func(s instructions.Session) bool { return s.Tool == p.tool })
	if i < 0 && len(p.found.sessions) > 0 {
		i = 0
	}
	if i < 0 {
		return nil
	}
	return &p.found.sessions[i]
}

// list lists the session. The cursor stays at its file.
func (p *Pane) list() tea.Cmd {
	path := ""
	if f := p.current(); f != nil {
		path = f.Path
	}
	p.rows, p.cols = nil, 0
	s := p.session()
	if s == nil {
		return p.read()
	}
	p.tool = s.Tool
	files, lines, bytes := s.Total()
	p.rows = append(p.rows, row{heading: fmt.Sprintf("%s loads %s · %s · %s", s.Tool.Name(), draw.Plural(files, "file", "files"), draw.Plural(int(lines), "line", "lines"), draw.TokenCount(bytes))})
	s.Each(func(f *instructions.File, depth int) { p.rows = append(p.rows, row{file: f, depth: depth}) })
	if len(s.Other) > 0 {
		p.rows = append(p.rows, row{heading: "not loaded at the start"})
	}
	for i := range s.Other {
		p.rows = append(p.rows, row{file: &s.Other[i]})
	}
	for _, note := range s.Notes {
		p.rows = append(p.rows, row{heading: p.short(note), note: true})
	}
	for i := range p.rows {
		if p.rows[i].file != nil {
			p.cols = max(p.cols, p.needs(&p.rows[i]))
		}
	}
	p.Cur = max(slices.IndexFunc(p.rows, func(r row) bool { return r.file != nil && r.file.Path == path }), 0)
	p.Step(0)
	return p.read()
}

// current returns the file under the cursor, or nil.
func (p *Pane) current() *instructions.File {
	if p.Cur < len(p.rows) {
		return p.rows[p.Cur].file
	}
	return nil
}

// read reads the text of the file under the cursor.
func (p *Pane) read() tea.Cmd {
	f := p.current()
	if f == nil {
		p.texts.Stop()
		p.shown = ""
		p.text.show(note(""))
		return nil
	}
	if p.shown == f.Path {
		return nil
	}
	p.texts.Stop()
	p.shown = f.Path
	file := *f
	return p.texts.Begin(p.env.Ctx, func(context.Context) (*document, error) { return open(&file), nil }, func(d *document, _ error) tea.Cmd {
		p.text.show(d)
		p.Fit()
		return nil
	})
}

// Moved reads the file that the cursor has moved to.
func (p *Pane) Moved() tea.Cmd { return p.read() }

// holder returns the store that has a file as a memory.
func (p *Pane) holder(f *instructions.File) (versions.StoreInfo, memfs.Path, bool) {
	return instructions.Holder(p.found.stores, f.Real)
}

// open shows the memory that the file under the cursor is, at the line at the top of its text.
func (p *Pane) open() tea.Cmd {
	f := p.current()
	s, at, ok := p.holder(f)
	if !ok {
		return p.env.Ask(screen.Notice{Text: noStore(f)})
	}
	to := screen.Open{Path: at}
	if p.InDiff {
		to.Line = p.text.top + 1
	}
	if s.ID == p.cfg.Store.ID {
		return p.env.Ask(to)
	}
	return p.env.Ask(request.OpenStore{ID: s.ID, Name: s.Name, At: to})
}

// noStore says that no store has a file, and how one can have it. The folder's name may come from anybody, so it is not in a
// command that a person may paste.
func noStore(f *instructions.File) string {
	if f.Scope == instructions.Import || f.Scope == instructions.Managed {
		return "in no store: `memend stores create NAME --folder DIR --files FILE` makes one"
	}
	return "in no store: `memend stores discover` adds it"
}

// nextTool shows another tool's session.
func (p *Pane) nextTool(by int) tea.Cmd {
	n := len(p.found.sessions)
	i := slices.IndexFunc(p.found.sessions, func(s instructions.Session) bool { return s.Tool == p.tool })
	p.tool = p.found.sessions[((i+by)%n+n)%n].Tool
	p.Focus(false)
	return p.list()
}

// leave leaves the text, then the screen.
func (p *Pane) leave() tea.Cmd {
	if p.InDiff {
		p.Focus(false)
		return nil
	}
	return p.env.Ask(screen.Back{})
}

// short replaces the person's home folder with ~.
func (p *Pane) short(s string) string {
	if p.found.home == "" {
		return s
	}
	return strings.ReplaceAll(s, p.found.home+string(filepath.Separator), "~"+string(filepath.Separator))
}

// name shortens a path: in the directory it is relative to it.
func (p *Pane) name(path string) string {
	if rel, err := filepath.Rel(p.found.dir, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return p.short(path)
}
