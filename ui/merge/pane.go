package merge

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
)

// Input is what to merge. The texts must not be modified afterwards.
type Input struct {
	Path               memfs.Path
	Base, Theirs, Mine []byte            // nil if there is no memory
	BaseLost           bool              // there was a base, but its text is lost
	TheirsName         string            // author and time of theirs: "claude, 3m ago"
	MineName           string            // what mine is: "not saved"
	MineIs             string            // the name of mine, if the user did not type it: "before", "held"
	TheirsIs           string            // the name of theirs; empty: "now"
	Name               string            // what is merged; empty: the path
	Clip               *editor.Clipboard // clipboard of a hunk's editor; if nil, it has its own
	// Leave are the ways to leave without saving, besides staying: what to do with mine. Each
	// closes the screen. If there are none, mine is not the person's own text: leaving asks only if something was decided.
	Leave []screen.Option
}

// Pane is the screen. New returns one.
type Pane struct {
	screen.Plain
	env  screen.Env
	in   Input
	keys *keys.Map[*Pane]
	m    *merged
	save func(result []byte) tea.Msg

	cur     int // index of the part under the cursor; -1 if there is no change
	left    int // undecided conflicts
	done    []step
	decided int // how many decisions were made

	w, h  int
	board board
	tab   side // the visible text if there is room for only one
	hunk  *hunk
	hunks int // editors opened so far
	shown bool
	frame string
}

// New returns the screen. It compares the texts, which can take long if they are large: call
// it from a command. save returns the message that passes the result to the owner; the result
// is nil if it is to delete the memory. save is called on another goroutine.
func New(env screen.Env, in Input, save func(result []byte) tea.Msg) *Pane {
	p := &Pane{env: env, in: in, keys: paneKeys(env.Keys), m: compare(in.Base, in.Theirs, in.Mine), save: save, cur: -1, tab: result}
	p.board.m, p.board.th, p.board.signs = p.m, env.Theme, signsOf(p.keys)
	p.left = p.m.left()
	p.cur = p.next(-1, 1, isOpen)
	if p.cur < 0 {
		p.cur = p.next(-1, 1, isChange)
	}
	p.arrange()
	p.goTo(p.cur)
	return p
}

// Start and Close record whether the screen is visible; it may be shown again after it was
// left.
func (p *Pane) Start() tea.Cmd { p.shown = true; return nil }
func (p *Pane) Close()         { p.shown = false }

// Shown reports whether the screen is visible.
func (p *Pane) Shown() bool { return p.shown }

// Decides and Stays implement screen.Decider.
func (*Pane) Decides() string { return "merge" }
func (*Pane) Stays() bool     { return true }

// Of reports whether the screen merges these two texts.
func (p *Pane) Of(theirs, mine []byte) bool {
	same := func(a, b []byte) bool { return (a == nil) == (b == nil) && string(a) == string(b) }
	return same(p.in.Theirs, theirs) && same(p.in.Mine, mine)
}

// SetTheme changes the theme.
func (p *Pane) SetTheme(th *theme.Theme) {
	p.env.Theme, p.board.th = th, th
	if p.hunk != nil {
		p.hunk.SetTheme(th)
	}
	p.draw()
}

// SetSize sets the columns and rows of View.
func (p *Pane) SetSize(w, h int) {
	if p.w == w && p.h == h {
		return
	}
	p.w, p.h = w, h
	first := p.board.win.H == 0
	p.arrange()
	if p.hunk != nil {
		p.placeHunk()
	}
	if first {
		p.goTo(p.cur)
		return
	}
	p.draw()
}

// View returns the frame: exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if p.hunk != nil {
		return p.withHunk()
	}
	return p.frame
}

// SetPath follows a rename of the memory.
func (p *Pane) SetPath(to memfs.Path) { p.in.Path = to }

// Title returns the path of the memory and how many conflicts are left.
func (p *Pane) Title() (name, info string) { return "merge " + p.merges(), p.about() }

func (p *Pane) merges() string { return cmp.Or(p.in.Name, p.in.Path.String()) }

// Cursor returns the cursor of the editor while a hunk is edited.
func (p *Pane) Cursor() (x, y int, ok bool) {
	if p.hunk == nil {
		return 0, 0, false
	}
	x, y, ok = p.hunk.Cursor()
	return x, y + p.hunkRow() + 1, ok && p.hunkRows() > 0
}

// TakesText reports whether a hunk is edited.
func (p *Pane) TakesText() bool { return p.hunk != nil }

// Press handles a sequence of keys.
func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) { return p.keys.Press(p, seq, n) }

// Entries returns the available actions.
func (p *Pane) Entries() []keys.Entry {
	if p.hunk != nil {
		return p.hunk.Entries()
	}
	return p.keys.Entries(p)
}

// Update handles mouse events and, for the editor of a hunk, keys and pasted text.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseMsg:
		return p.mouse(msg)
	case tea.KeyPressMsg, tea.PasteMsg, tea.ClipboardMsg:
		return p.toHunk(msg)
	}
	return nil
}

func (p *Pane) mouse(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	inHunk := m.Y > p.hunkRow()
	switch msg.(type) {
	case tea.MouseMotionMsg, tea.MouseReleaseMsg: // of a drag that may have left it
		inHunk = true
	}
	if p.hunk != nil && inHunk {
		return p.toHunk(screen.Within(msg, 0, p.hunkRow()+1))
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		switch m.Button {
		case tea.MouseWheelUp:
			p.scroll(-list.WheelRows)
		case tea.MouseWheelDown:
			p.scroll(list.WheelRows)
		}
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft && p.hunk == nil {
			p.click(m.X, m.Y)
		}
	}
	return nil
}

// finish passes the result to the owner.
func (p *Pane) finish() tea.Cmd {
	m := *p.m
	m.parts = slices.Clone(m.parts) // decisions may change meanwhile
	save := p.save
	return func() tea.Msg { return save(m.bytes()) }
}

// leave asks what to do with mine.
func (p *Pane) leave() tea.Cmd {
	ways := slices.Clone(p.in.Leave)
	switch {
	case len(ways) > 0:
	case len(p.done) == 0:
		return p.env.Do(screen.Back{})
	default:
		ways = append(ways, screen.Option{Key: "d", Label: "leave, and forget the decisions", Then: func() tea.Cmd { return p.env.Do(screen.Back{}) }})
	}
	return p.env.Do(screen.Choose{Title: "not saved", Text: "The merge of " + p.merges() + " is not saved. Whatever you choose, both texts stay.",
		Options: append(ways, screen.Option{Key: "m", Label: "continue merging"})})
}
