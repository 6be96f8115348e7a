package editor

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/versions/ids"
)

// SaveRequest asks the owner to write Content, if the memory still holds what
// Base is the hash of. The owner answers with Saved and the same ID.
type SaveRequest struct {
	ID      int
	Content []byte
	Base    ids.Hash
}

// CloseRequest asks the owner to close the editor; it should ask the person
// first when Dirty.
type CloseRequest struct{ Dirty bool }

// Clipboard is what was cut or copied last, byte for byte. One is shared by all
// editors of a program; the terminal's clipboard gets a copy, but may be out of
// reach or change bytes.
type Clipboard struct{ text []byte }

// Set puts a text there.
func (c *Clipboard) Set(text []byte) { c.text = text }

// Editor is the pane. New makes one.
type Editor struct {
	screen.Plain
	env  screen.Env
	keys *keys.Map[*Editor]
	clip *Clipboard

	selecting *keys.Map[*Editor] // with Shift

	text   *rope
	cursor int // byte
	anchor int // where the selection began; -1 without one
	goal   int // column that moves up and down aim at; -1 takes the cursor's
	undo   []step
	redo   []step
	run    runKind // what the last edit was, if the next may join it
	eol    string  // line end of the text
	indent string  // what tab puts in

	saved  *rope // what the memory holds
	base   ids.Hash
	dirty  bool
	saveID int
	saving *rope // what SaveRequest saveID carried

	w, h   int
	wrap   bool
	top    place // the first row shown
	left   int   // columns scrolled out of sight; none where lines are wrapped
	rulers map[int]*ruler
	light  highlighter
	limit  int64 // bytes that may be saved; 0 for any number
	drag   drag
	prompt *prompt
	find   search
	asks   func(tea.Msg) tea.Msg // who takes SaveRequest and CloseRequest; nil for the root
}

// step is one thing that undo takes back.
type step struct {
	before, after state
	from          int // both texts are the same up to this byte
}

type state struct {
	text           *rope
	cursor, anchor int
}

// New makes an editor of content, which is what the memory holds with hash base.
// It takes content over: nobody may write to it any more. A nil clip is a
// clipboard of its own.
func New(env screen.Env, content []byte, base ids.Hash, clip *Clipboard) *Editor {
	if clip == nil {
		clip = &Clipboard{}
	}
	text := newRope(content)
	return &Editor{
		env: env, keys: editorKeys(env.Keys), selecting: selectingKeys(env.Keys), clip: clip,
		text: text, anchor: -1, goal: -1,
		eol: lineEnd(content), indent: indentation(content),
		saved: text, base: base,
		rulers: map[int]*ruler{},
	}
}

// SetTheme changes the looks.
func (e *Editor) SetTheme(th *theme.Theme) {
	e.env.Theme = th
	e.light.styles = syntax.NewStyles(th)
}

// SetLimit says how many bytes may be saved: the title warns of more.
func (e *Editor) SetLimit(bytes int64) { e.limit = bytes }

// SetSize says how many columns and rows View has.
func (e *Editor) SetSize(w, h int) {
	if e.w == w && e.h == h {
		return
	}
	e.w, e.h = w, h
	e.reveal()
	e.lex()
}

// Dirty reports whether the text differs from what the memory holds, as far as
// the editor was told.
func (e *Editor) Dirty() bool { return e.dirty }

// Snapshot is a text as it was at a moment. Two are equal when nothing was edited
// between them.
type Snapshot struct{ text *rope }

// Snapshot is the text now; it costs nothing.
func (e *Editor) Snapshot() Snapshot { return Snapshot{e.text} }

// Len is how many bytes the text has.
func (s Snapshot) Len() int { return s.text.len() }

// Bytes is a copy of the text. It may be called on another goroutine.
func (s Snapshot) Bytes() []byte { return s.text.bytes() }

// Replace puts another text in the place of this one, as one step that undo takes
// back.
func (e *Editor) Replace(content []byte) {
	now := e.text.bytes()
	if from, to, end := differing(now, content); from < to || from < end {
		e.apply(from, to, content[from:end], noRun)
	}
	e.lex()
}

// Content is a copy of the text.
func (e *Editor) Content() []byte { return e.text.bytes() }

// Original is a copy of what the memory held, as far as the editor was told.
func (e *Editor) Original() []byte { return e.saved.bytes() }

// Base is the hash of what the memory held when it was last read or saved.
func (e *Editor) Base() ids.Hash { return e.base }

// CRLF reports whether new lines get CRLF.
func (e *Editor) CRLF() bool { return e.eol == "\r\n" }

// Position is the cursor's line and column on the screen, from 1, and how many
// lines there are.
func (e *Editor) Position() (line, column, lines int) {
	k := e.text.lineOf(e.cursor)
	return k + 1, e.column(k, e.cursor) + 1, e.text.lines()
}

// GoTo puts the cursor at the beginning of a line, counted from 1, and shows it
// in the middle.
func (e *Editor) GoTo(line int) {
	k := min(max(line-1, 0), e.text.lines()-1)
	e.moveTo(e.text.lineStart(k), false)
	e.top, _ = e.move(e.placeOf(e.cursor), -e.rows()/2)
	e.reveal()
	e.lex()
}

// Saved says that the content of SaveRequest id is in the memory, with that hash.
func (e *Editor) Saved(id int, hash ids.Hash) {
	if id != e.saveID || e.saving == nil && id == 0 {
		return
	}
	e.saved, e.base = e.saving, hash
	e.run = noRun
	e.checkDirty()
}

// Reload takes over what somebody else made of the memory, as one step that undo
// takes back. The cursor stays where it is in the text.
func (e *Editor) Reload(content []byte, hash ids.Hash) {
	now := e.text.bytes()
	from, to, end := differing(now, content)
	cursor := e.cursor
	switch {
	case cursor >= to:
		cursor += len(content) - len(now)
	case cursor > from:
		cursor = from
	}
	if from < to || from < end {
		top := e.text.lineStart(e.top.line)
		e.apply(from, to, content[from:end], noRun)
		if top >= to {
			e.top.line = e.text.lineOf(top + len(content) - len(now))
		}
		e.cursor = cursor
		e.amend()
		e.run = noRun
		e.reveal()
	}
	e.saved, e.base = e.text, hash
	e.checkDirty()
	e.lex()
}

// differing is what a and b do not have in common: a[from:to] and b[from:end].
func differing(a, b []byte) (from, to, end int) {
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	to, end = len(a), len(b)
	for to > from && end > from && a[to-1] == b[end-1] {
		to, end = to-1, end-1
	}
	return from, to, end
}

// Update takes keys, pastes and the mouse, whose cells count from the pane's
// own corner.
func (e *Editor) Update(msg tea.Msg) tea.Cmd {
	cmd := e.update(msg)
	e.lex()
	return e.count(cmd)
}

func (e *Editor) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		e.drag = drag{}
		if e.prompt != nil {
			return e.updatePrompt(msg)
		}
		return e.press(msg)
	case tea.PasteMsg:
		e.drag = drag{}
		if e.prompt != nil {
			return e.updatePrompt(msg)
		}
		e.paste(msg.Content)
	case tea.ClipboardMsg:
		if e.prompt == nil {
			e.paste(msg.Content)
		}
	case tea.MouseClickMsg:
		e.click(msg.Mouse())
	case tea.MouseMotionMsg:
		e.dragTo(msg.Mouse())
	case tea.MouseReleaseMsg:
		e.drag.on = false
	case tea.MouseWheelMsg:
		e.wheel(msg.Mouse())
	}
	return nil
}

// Asks says who takes what the editor asks of its owner: to makes the message that brings
// it there, maybe on another goroutine. Without it the root gets the request itself.
func (e *Editor) Asks(to func(tea.Msg) tea.Msg) { e.asks = to }

// request brings a request to the owner.
func (e *Editor) request(make func() tea.Msg) tea.Cmd {
	to := e.asks
	if to == nil {
		return make
	}
	return func() tea.Msg { return to(make()) }
}

// Save asks the owner to save, as the key does.
func (e *Editor) Save() tea.Cmd { return e.save() }

func (e *Editor) save() tea.Cmd {
	e.saveID++
	e.saving = e.text
	e.run = noRun // so that undo can come back to what was saved
	id, text, base := e.saveID, e.text, e.base
	return e.request(func() tea.Msg { return SaveRequest{id, text.bytes(), base} })
}

func (e *Editor) close() tea.Cmd {
	req := CloseRequest{e.dirty}
	return e.request(func() tea.Msg { return req })
}
