package merge

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
)

// Input is what is to be put together. The texts must not be written to any more.
type Input struct {
	Path               memfs.Path
	Base, Theirs, Mine []byte            // nil where there is no memory
	Lost               bool              // there was a base, and nobody knows it any more
	TheirsName         string            // who made theirs, and when: "claude, 3m ago"
	MineName           string            // what mine is: "not saved"
	Clip               *editor.Clipboard // for the editor of a hunk; nil for its own
	// Leave are the ways to leave without saving, beside going on: what becomes of
	// mine. Each takes the screen away. Without any, leaving asks nothing.
	Leave []screen.Option
}

// Pane is the screen. New makes one.
type Pane struct {
	screen.Plain
	env  screen.Env
	in   Input
	keys *keys.Map[*Pane]
	m    *merged
	save func(result []byte) tea.Msg

	cur     int // the change of the cursor, an index of the parts; -1 when there is none
	left    int // conflicts that are not decided
	done    []step
	decided int // how often something was

	w, h     int
	boards   []*board
	tab      side // shown where there is room for one
	withBase bool // in a column
	unwrap   bool // lines are not wrapped
	sideways int  // columns scrolled out of sight
	hunk     *hunk
	hunks    int // editors opened so far
	shown    bool
	frame    string
}

// New makes the screen. Comparing large texts takes its time: call it from a
// command. save makes the message that brings the result to the owner; the result is
// nil when it was decided that there is to be no memory. It is called on another
// goroutine.
func New(env screen.Env, in Input, save func(result []byte) tea.Msg) *Pane {
	p := &Pane{env: env, in: in, keys: paneKeys(env.Keys), m: compare(in.Base, in.Theirs, in.Mine), save: save, cur: -1, tab: result}
	p.left = p.m.left()
	p.cur = p.next(-1, 1, isOpen)
	if p.cur < 0 {
		p.cur = p.next(-1, 1, isChange)
	}
	p.arrange()
	p.goTo(p.cur)
	return p
}

// Start and Close note whether the screen is shown: one that was left may be shown again.
func (p *Pane) Start() tea.Cmd { p.shown = true; return nil }
func (p *Pane) Close()         { p.shown = false }

// Shown reports whether the screen is shown.
func (p *Pane) Shown() bool { return p.shown }

// Decides and Stays make it a screen.Decider.
func (*Pane) Decides() string { return "merge" }
func (*Pane) Stays() bool     { return true }

// Of reports whether the screen puts these two texts together.
func (p *Pane) Of(theirs, mine []byte) bool {
	same := func(a, b []byte) bool { return (a == nil) == (b == nil) && string(a) == string(b) }
	return same(p.in.Theirs, theirs) && same(p.in.Mine, mine)
}

// SetTheme changes the looks.
func (p *Pane) SetTheme(th *theme.Theme) {
	p.env.Theme = th
	if p.hunk != nil {
		p.hunk.SetTheme(th)
	}
	p.draw()
}

// SetSize says how many columns and rows View has.
func (p *Pane) SetSize(w, h int) {
	if p.w == w && p.h == h {
		return
	}
	p.w, p.h = w, h
	first := len(p.boards) == 0
	p.arrange()
	if p.hunk != nil {
		p.placeHunk()
	}
	if first {
		p.goTo(p.cur)
		return
	}
	p.settle()
}

// View is the frame: exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if p.hunk != nil {
		return p.withHunk()
	}
	return p.frame
}

// Title says of what memory, and how far it is.
func (p *Pane) Title() (name, info string) { return "merge " + p.in.Path.String(), p.about() }

// Cursor is the editor's while a hunk is edited.
func (p *Pane) Cursor() (x, y int, ok bool) {
	if p.hunk == nil {
		return 0, 0, false
	}
	x, y, ok = p.hunk.Cursor()
	return x, y + p.hunkRow() + 1, ok && p.hunkRows() > 0
}

// TakesText reports whether a hunk is edited.
func (p *Pane) TakesText() bool { return p.hunk != nil }

// Press obeys a sequence of keys.
func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) { return p.keys.Press(p, seq, n) }

// Entries are the actions that there are.
func (p *Pane) Entries() []keys.Entry {
	if p.hunk != nil {
		return p.hunk.Entries()
	}
	return p.keys.Entries(p)
}

// Update takes the mouse, and keys and pasted text for the editor of a hunk.
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
	if _, motion := msg.(tea.MouseMotionMsg); p.hunk != nil && (m.Y > p.hunkRow() || motion) {
		return p.toHunk(movedUp(msg, p.hunkRow()+1))
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

// movedUp is a mouse message as seen from some rows below.
func movedUp(msg tea.MouseMsg, rows int) tea.Msg {
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		m.Y -= rows
		return m
	case tea.MouseReleaseMsg:
		m.Y -= rows
		return m
	case tea.MouseWheelMsg:
		m.Y -= rows
		return m
	case tea.MouseMotionMsg:
		m.Y -= rows
		return m
	}
	return msg
}

// finish brings the result to the owner.
func (p *Pane) finish() tea.Cmd {
	m := *p.m
	m.parts = slices.Clone(m.parts) // decisions may change meanwhile
	save := p.save
	return func() tea.Msg { return save(m.bytes()) }
}

// leave asks what is to become of mine.
func (p *Pane) leave() tea.Cmd {
	if len(p.in.Leave) == 0 {
		return p.env.Ask(screen.Back{})
	}
	return p.env.Ask(screen.Choose{Title: "not saved", Text: "The merge of " + p.in.Path.String() + " is not saved. Whatever you choose, both texts stay.",
		Options: append(slices.Clone(p.in.Leave), screen.Option{Key: "m", Label: "go on merging"})})
}
