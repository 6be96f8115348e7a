// Package textscreen is a screen on which a person edits a text that is no memory: a held text before it is
// accepted, or a policy. The owner decides what saving means, and may refuse it with a reason.
package textscreen

import (
	"bytes"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/ids"
)

// Config describes the text.
type Config struct {
	Title string // "edit #7, then accept it"
	Note  string // what saving does; it stands above the text
	Text  []byte
	Clip  *editor.Clipboard
	// Save is called with the text when the person saves it. It leaves the screen with Done, or
	// says with Refuse why the text can't be saved.
	Save func(p *Pane, text []byte) tea.Cmd
}

// Pane is the screen. Create it with New.
type Pane struct {
	*editor.Editor
	env     screen.Env
	cfg     Config
	problem string
	w, h    int
}

// New returns the screen.
func New(env screen.Env, cfg Config) *Pane {
	p := &Pane{Editor: editor.New(env, cfg.Text, ids.Hash{}, cfg.Clip), env: env, cfg: cfg}
	p.SetOwner(func(request tea.Msg) tea.Msg {
		return screen.Then(func() tea.Cmd { return p.answer(request) })
	})
	return p
}

// Decides and Stays implement screen.Decider.
func (*Pane) Decides() string { return "text" }
func (*Pane) Stays() bool     { return true }

func (p *Pane) answer(request tea.Msg) tea.Cmd {
	switch req := request.(type) {
	case editor.SaveRequest:
		return p.cfg.Save(p, req.Content)
	case editor.CloseRequest:
		return p.Leaving("leave", p.Done)
	}
	return nil
}

// Done leaves the screen.
func (p *Pane) Done() tea.Cmd { return p.env.Do(screen.Drop{Pane: p}) }

// Refuse says why the text can't be saved. It moves the cursor to a line and a character of it, from 1, if
// they are known.
func (p *Pane) Refuse(why string, line, column int) tea.Cmd {
	p.problem = why
	p.arrange()
	if line > 0 {
		p.GoTo(line)
		p.Begin(line, bytesBefore(p.Content(), line, column), -1)
	}
	return nil
}

// bytesBefore returns how many bytes of a line precede a character of it.
func bytesBefore(content []byte, line, column int) int {
	for i := 1; i < line; i++ {
		_, content, _ = bytes.Cut(content, []byte("\n"))
	}
	before, _, _ := bytes.Cut(content, []byte("\n"))
	n := 0
	for i := range string(before) {
		if n++; n == column {
			return i
		}
	}
	return len(before)
}

// Leaving asks before an unsaved text is lost, and then goes on.
func (p *Pane) Leaving(doing string, then func() tea.Cmd) tea.Cmd {
	if !p.Dirty() {
		return then()
	}
	return p.env.Do(screen.Choose{Title: "not saved", Text: "Your text is not saved: " + doing + " anyway?", Options: []screen.Option{
		{Key: "s", Label: "save it", Then: p.Save},
		{Key: "d", Label: "discard it, and " + doing, Then: then},
		{Key: "k", Label: "keep editing"},
	}})
}

// SetTheme changes the theme.
func (p *Pane) SetTheme(th *theme.Theme) {
	p.env.Theme = th
	p.Editor.SetTheme(th)
}

// SetSize sets the columns and rows of View.
func (p *Pane) SetSize(w, h int) {
	p.w, p.h = max(w, 0), max(h, 0)
	p.arrange()
}

const maxNoteRows = 3

// note returns the rows above the text.
func (p *Pane) note() []string {
	s := p.cfg.Note
	if p.problem != "" {
		s = p.problem
	}
	if p.h < 4 || p.w < 4 || s == "" {
		return nil
	}
	return text.Rows(text.Field(s), p.w-2, min(maxNoteRows, p.h/3))
}

func (p *Pane) arrange() { p.Editor.SetSize(p.w, p.h-len(p.note())) }

// Title returns what is edited, and the state of the editor.
func (p *Pane) Title() (name, info string) {
	_, info = p.Editor.Title()
	name = p.cfg.Title
	if p.Dirty() {
		name += " *"
	}
	return name, info
}

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if p.w <= 0 || p.h <= 0 {
		return ""
	}
	st := p.env.Theme.Dim
	if p.problem != "" {
		st = p.env.Theme.Error
	}
	var dst []byte
	for _, row := range p.note() {
		pen := draw.NewRow(dst, p.w)
		pen.Space(1)
		pen.Put(row, st)
		dst = append(pen.End(), '\n')
	}
	return string(append(dst, p.Editor.View()...))
}

// Cursor returns the place of the text cursor.
func (p *Pane) Cursor() (x, y int, ok bool) {
	x, y, ok = p.Editor.Cursor()
	return x, y + len(p.note()), ok
}

// Update handles keys, pastes and the mouse.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(tea.MouseMsg); ok {
		msg = screen.Within(m, 0, len(p.note()))
	}
	return p.Editor.Update(msg)
}
