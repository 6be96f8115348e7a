package editor

import (
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/versions/ids"
)

// SaveRequest asks the owner to write Content, if the hash of the memory is still Base. The
// owner answers with Saved and the same Text, which is what Content is copied from.
type SaveRequest struct {
	Text    Snapshot
	Content []byte
	Base    ids.Hash
}

// CloseRequest asks the owner to close the editor; if Dirty, it should ask the person
// first.
type CloseRequest struct{ Dirty bool }

// Editor is the pane: a document, the window in which it is shown, and what is being typed, found
// and saved. Create it with New.
type Editor struct {
	screen.Plain
	document
	window

	env   screen.Env
	keys  *keys.Map[*Editor]
	clip  *Clipboard
	owner func(tea.Msg) tea.Msg // who takes SaveRequest and CloseRequest; nil for the root

	saved *buffer // the content of the memory
	base  ids.Hash
	dirty bool
	limit int64 // the most bytes that may be saved; 0 for no limit

	h      int
	row    int // of the screen, in which the line of the cursor begins at first; -1 for any
	light  highlighter
	drag   drag
	clicks screen.Clicks[int] // on a byte
	prompt *prompt
	find   search
}

// New returns an editor of content, the content of the memory with hash base. A nil clip is
// a new clipboard.
func New(env screen.Env, content []byte, base ids.Hash, clip *Clipboard) *Editor {
	if clip == nil {
		clip = &Clipboard{}
	}
	e := &Editor{env: env, keys: editorKeys(env.Keys), clip: clip, document: newDocument(content), base: base, row: -1}
	e.window, e.saved = newWindow(&e.document), e.text
	return e
}

// edit changes the text, and shows the cursor if it did.
func (e *Editor) edit(do func(*document)) {
	was := e.text
	do(&e.document)
	if e.text != was {
		e.dirty = !same(e.text, e.saved)
		e.reveal()
	}
}

// reveal scrolls as little as possible to show the cursor.
func (e *Editor) reveal() {
	margin := 2
	if e.drag.on { // the place under the mouse must not move
		margin = 0
	}
	e.show(e.cursor, margin)
}

// SetTheme changes the theme.
func (e *Editor) SetTheme(th *theme.Theme) {
	e.env.Theme = th
	e.light.styles = syntax.NewStyles(th)
}

// SetLanguage sets the language for highlighting.
func (e *Editor) SetLanguage(l syntax.Language) {
	e.light = highlighter{language: l, styles: syntax.NewStyles(e.env.Theme)}
	e.lex()
}

// lex computes the colours of what is visible.
func (e *Editor) lex() { e.light.lex(e.text, e.top.line+e.rows) }

// SetLimit sets how many bytes may be saved: the title warns of more.
func (e *Editor) SetLimit(bytes int64) { e.limit = bytes }

// SetSize sets the columns and rows of View.
func (e *Editor) SetSize(w, h int) {
	if e.w == w && e.h == h {
		return
	}
	first := e.w == 0 && e.h == 0
	e.w, e.h = w, h
	e.setPrompt(e.prompt)
	if first && e.row >= 0 {
		e.top, _ = e.move(e.placeOf(e.text.lineStart(e.text.lineOf(e.cursor))), -e.row)
		e.clampTop()
	} else {
		e.reveal()
	}
	e.lex()
}

// Dirty reports whether the text differs from the content of the memory, as known to the
// editor.
func (e *Editor) Dirty() bool { return e.dirty }

// Snapshot is the text at a moment. Two are equal if nothing was edited between them.
type Snapshot struct{ text *buffer }

// Snapshot returns the current text, without copying.
func (e *Editor) Snapshot() Snapshot { return Snapshot{e.text} }

// Len returns the number of bytes.
func (s Snapshot) Len() int { return s.text.len() }

// Bytes returns a copy of the text. It may be called on another goroutine.
func (s Snapshot) Bytes() []byte { return s.text.bytes() }

// Replace replaces the text, as one undo step.
func (e *Editor) Replace(content []byte) {
	now := e.text.bytes()
	if from, to, end := differing(now, content); from < to || from < end {
		e.edit(func(d *document) { d.apply(from, to, string(content[from:end]), noRun) })
	}
	e.lex()
}

// Content returns a copy of the text.
func (e *Editor) Content() []byte { return e.text.bytes() }

// Original returns a copy of the content of the memory, as known to the editor.
func (e *Editor) Original() []byte { return e.saved.bytes() }

// Base returns the hash of the memory's content when it was last read or saved.
func (e *Editor) Base() ids.Hash { return e.base }

// Position returns the cursor's line and column on the screen, from 1, and the number of
// lines.
func (e *Editor) Position() (line, column, lines int) {
	k := e.text.lineOf(e.cursor)
	return k + 1, e.text.column(k, e.cursor) + 1, len(e.text.lines)
}

// GoTo moves the cursor to the beginning of a line, counted from 1, and shows it in the
// middle.
func (e *Editor) GoTo(line int) {
	k := min(max(line-1, 0), len(e.text.lines)-1)
	e.moveTo(e.text.lineStart(k), false)
	e.top, _ = e.move(e.placeOf(e.cursor), -e.rows/2)
	e.reveal()
	e.lex()
}

// Begin puts the cursor on a byte of a line, counted from 1, before the editor is shown. The line
// begins in a row of the screen, as it did in the pane that the editor replaces.
func (e *Editor) Begin(line, column, row int) {
	start, end, _ := e.text.line(min(max(line-1, 0), len(e.text.lines)-1))
	e.moveTo(min(start+column, end), false)
	e.row = row
}

// Place returns the line of the cursor, from 1, the byte of the cursor in it, and the row of the
// screen in which the line begins.
func (e *Editor) Place() (line, column, row int) {
	k := e.text.lineOf(e.cursor)
	start := e.text.lineStart(k)
	row = max(e.distance(e.top, e.placeOf(start), e.rows-1), 0)
	return k + 1, e.cursor - start, row
}

// Saved reports that the text of a SaveRequest was written, with that hash.
func (e *Editor) Saved(s Snapshot, hash ids.Hash) {
	e.saved, e.base = s.text, hash
	e.run = noRun
	e.dirty = !same(e.text, e.saved)
}

// Reload takes over a change by someone else, as one undo step. The cursor stays at its
// text.
func (e *Editor) Reload(content []byte, hash ids.Hash) {
	now := e.text.bytes()
	from, to, end := differing(now, content)
	moved := func(at int) int {
		switch {
		case at >= to:
			return at + len(content) - len(now)
		case at > from:
			return from
		}
		return at
	}
	if from < to || from < end {
		cursor, top := moved(e.cursor), e.text.lineStart(e.top.line)
		e.edit(func(d *document) { d.apply(from, to, string(content[from:end]), noRun) })
		if top >= to {
			e.top.line = e.text.lineOf(moved(top))
		}
		e.cursor = cursor
		e.amend()
		e.run = noRun
		e.reveal()
		e.drag = drag{}
		if e.prompt != nil {
			e.movePrompt(moved)
		}
	}
	e.saved, e.base, e.dirty = e.text, hash, false
	e.lex()
}

// differing returns the parts in which a and b differ: a[from:to] and b[from:end]. They divide no
// UTF-8 sequence.
func differing(a, b []byte) (from, to, end int) {
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	to, end = len(a), len(b)
	for to > from && end > from && a[to-1] == b[end-1] {
		to, end = to-1, end-1
	}
	within := func(b []byte, at int) bool { return at < len(b) && !utf8.RuneStart(b[at]) }
	for from > 0 && (within(a, from) || within(b, from)) {
		from--
	}
	for within(a, to) {
		to, end = to+1, end+1
	}
	return from, to, end
}

// Update handles keys, pastes and the mouse, whose coordinates are relative to the pane.
func (e *Editor) Update(msg tea.Msg) tea.Cmd {
	cmd := e.update(msg)
	e.lex()
	return e.count(cmd)
}

func (e *Editor) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		e.drag = drag{}
		e.clicks.Forget()
		if e.prompt != nil {
			return e.updatePrompt(msg)
		}
		if paste, ok := msg.(tea.PasteMsg); ok {
			e.paste(paste.Content)
			return nil
		}
		return e.press(msg.(tea.KeyPressMsg))
	case tea.ClipboardMsg:
		if e.prompt == nil {
			e.paste(msg.Content)
		}
	case tea.MouseClickMsg:
		return e.click(msg.Mouse())
	case tea.MouseMotionMsg:
		e.dragTo(msg.Mouse())
	case tea.MouseReleaseMsg:
		e.drag.on = false
	case tea.MouseWheelMsg:
		e.wheel(msg.Mouse())
	}
	return nil
}

// SetOwner sets the function that wraps the editor's requests for its owner. It may be called on another goroutine. Without it
// the root gets the requests themselves.
func (e *Editor) SetOwner(wrap func(tea.Msg) tea.Msg) { e.owner = wrap }

// request brings a request to the owner.
func (e *Editor) request(message func() tea.Msg) tea.Cmd {
	to := e.owner
	if to == nil {
		return message
	}
	return func() tea.Msg { return to(message()) }
}

// Save asks the owner to save, as the key does.
func (e *Editor) Save() tea.Cmd {
	e.run = noRun // so that undo can return to what was saved
	text, base := e.Snapshot(), e.base
	return e.request(func() tea.Msg { return SaveRequest{text, text.Bytes(), base} })
}

func (e *Editor) close() tea.Cmd {
	req := CloseRequest{e.dirty}
	return e.request(func() tea.Msg { return req })
}
