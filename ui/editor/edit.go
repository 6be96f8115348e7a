package editor

import (
	"bytes"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/memend/memend/ui/screen"
)

// runKind is the kind of a run of edits that are undone together.
type runKind uint8

const (
	noRun runKind = iota
	typing
	erasing
)

// maxUndo limits the undo steps. An old root costs little, but not nothing.
const maxUndo = 10_000

// apply replaces the bytes from, to with b. It joins the last undo step if that was part of
// the same run.
func (e *Editor) apply(from, to int, b []byte, kind runKind) {
	before := state{e.text, e.cursor, e.anchor}
	k := e.text.lineOf(from)
	e.forget(k, e.text.lineStart(k), from)
	e.light.forgetFrom(k)
	e.text = e.text.replace(from, to, b)
	e.cursor, e.anchor, e.goal = from+len(b), -1, -1
	if kind == noRun || kind != e.run || len(e.undo) == 0 {
		if len(e.undo) == maxUndo {
			e.undo = append(e.undo[:0], e.undo[maxUndo/10:]...)
		}
		e.undo = append(e.undo, step{before: before, from: from})
	}
	last := &e.undo[len(e.undo)-1]
	last.from = min(last.from, from)
	e.run = kind
	e.redo = nil
	e.amend()
	e.checkDirty()
	e.reveal()
}

// amend makes the current cursor the one that redo restores after the edit that was just
// applied.
func (e *Editor) amend() { e.undo[len(e.undo)-1].after = state{e.text, e.cursor, e.anchor} }

func (e *Editor) checkDirty() { e.dirty = !same(e.text, e.saved) }

func (e *Editor) undoStep() {
	n := len(e.undo)
	if n == 0 {
		return
	}
	s := e.undo[n-1]
	e.undo = e.undo[:n-1]
	e.redo = append(e.redo, s)
	e.setState(s.before, s.from)
}

func (e *Editor) redoStep() {
	n := len(e.redo)
	if n == 0 {
		return
	}
	s := e.redo[n-1]
	e.redo = e.redo[:n-1]
	e.undo = append(e.undo, s)
	e.setState(s.after, s.from)
}

// setState changes to another state whose text is the same up to byte from.
func (e *Editor) setState(s state, from int) {
	e.light.forgetFrom(e.text.lineOf(from))
	e.text, e.cursor, e.anchor, e.goal = s.text, s.cursor, s.anchor, -1
	e.run = noRun
	clear(e.rulers)
	e.checkDirty()
	e.reveal()
}

// selection returns the selected bytes; ok is false if there are none.
func (e *Editor) selection() (from, to int, ok bool) {
	if e.anchor < 0 || e.anchor == e.cursor {
		return e.cursor, e.cursor, false
	}
	return min(e.anchor, e.cursor), max(e.anchor, e.cursor), true
}

// insert replaces the selection with typed text.
func (e *Editor) insert(s string) {
	from, to, selected := e.selection()
	if selected || e.startsWord(s) {
		e.run = noRun
	}
	e.apply(from, to, []byte(s), typing)
}

// startsWord reports whether s begins a word. A run of typing ends there, so that undo goes
// back by words.
func (e *Editor) startsWord(s string) bool {
	return s != " " && e.cursor > 0 && e.byteAt(e.cursor-1) == ' '
}

// newline breaks the line and indents the new one like the old. In a Markdown list it
// begins the next item; from an empty item it ends the list.
func (e *Editor) newline() {
	from, to, selected := e.selection()
	k := e.text.lineOf(from)
	start, end, _ := e.line(k)
	mark, next := e.listMark(k)
	switch {
	case mark > 0 && !selected && from == start+mark && from == end:
		e.apply(start, end, nil, noRun)
		return
	case mark > 0 && from >= start+mark:
		e.apply(from, to, []byte(e.eol+next), noRun)
		return
	}
	lead := e.leading(k)
	lead = lead[:min(len(lead), from-start)]
	e.apply(from, to, []byte(e.eol+lead), noRun)
}

// leading returns the blanks at the beginning of line k.
func (e *Editor) leading(k int) string {
	start, end, _ := e.line(k)
	s := e.slice(start, min(end, start+longLine))
	return s[:len(s)-len(strings.TrimLeft(s, " \t"))]
}

// erase removes the selection, or the text between the cursor and to.
func (e *Editor) erase(to int) {
	kind := erasing
	a, b, selected := e.selection()
	if !selected {
		a, b = min(e.cursor, to), max(e.cursor, to)
	} else {
		kind = noRun
	}
	if a < b {
		e.apply(a, b, nil, kind)
	}
}

func (e *Editor) backspace() {
	k := e.text.lineOf(e.cursor)
	if n := e.cursor - e.text.lineStart(k); n > 0 && n <= len(e.leading(k)) && e.indent[0] == ' ' {
		// Inside the indentation, remove one step of it; only blanks.
		step := (n-1)%len(e.indent) + 1
		if e.slice(e.cursor-step, e.cursor) == strings.Repeat(" ", step) {
			e.erase(e.cursor - step)
			return
		}
	}
	e.erase(e.prev(e.cursor))
}

// touched returns the lines of the selection, or that of the cursor.
func (e *Editor) touched() (first, last int) {
	from, to, ok := e.selection()
	first, last = e.text.lineOf(from), e.text.lineOf(to)
	if ok && last > first && to == e.text.lineStart(last) {
		last-- // a selection that ends at the beginning of a line is not visible in it
	}
	return first, last
}

// tabKey indents the selected lines if there are several, or else inserts an indentation.
func (e *Editor) tabKey() {
	first, last := e.touched()
	if first == last {
		from, to, _ := e.selection()
		in := e.indent
		if in != "\t" {
			in = strings.Repeat(" ", len(in)-e.column(first, from)%len(in))
		}
		e.apply(from, to, []byte(in), noRun)
		return
	}
	e.eachLine(first, last, func(line []byte) []byte {
		if len(bytes.TrimSpace(line)) == 0 {
			return line
		}
		return append([]byte(e.indent), line...)
	})
}

func (e *Editor) outdent() {
	first, last := e.touched()
	e.eachLine(first, last, func(line []byte) []byte {
		if len(line) > 0 && line[0] == '\t' {
			return line[1:]
		}
		n := 0
		for n < len(line) && n < max(len(e.indent), 2) && line[n] == ' ' {
			n++
		}
		return line[n:]
	})
}

// eachLine changes whole lines in one step and keeps them selected; the cursor of a single
// line stays at its text.
func (e *Editor) eachLine(first, last int, f func(line []byte) []byte) {
	from, to := e.text.lineStart(first), e.text.lineStart(last+1)
	var out []byte
	old := e.text.appendTo(nil, from, to)
	for line := range bytes.Lines(old) {
		out = append(out, f(line)...)
	}
	if bytes.Equal(old, out) {
		return
	}
	_, _, selected := e.selection()
	cursor := max(from, e.cursor+len(out)-len(old))
	e.apply(from, to, out, noRun)
	if selected {
		e.anchor, e.cursor = from, from+len(out)
	} else {
		e.cursor = cursor
	}
	e.amend()
	e.reveal()
}

// wholeLines returns the touched lines with their line ends, as bytes.
func (e *Editor) wholeLines() (from, to int) {
	first, last := e.touched()
	return e.text.lineStart(first), e.text.lineStart(last + 1)
}

// copyText copies the selection to the clipboards.
func (e *Editor) copyText() tea.Cmd {
	from, to, ok := e.selection()
	if !ok {
		from, to = e.wholeLines()
	}
	return e.toClipboard(e.text.appendTo(nil, from, to))
}

func (e *Editor) toClipboard(b []byte) tea.Cmd {
	if len(b) == 0 {
		return nil
	}
	e.clip.text = b
	if !utf8.Valid(b) {
		return nil // the terminal's clipboard would change it
	}
	return e.env.Ask(screen.Terminal{Do: tea.SetClipboard(string(b))})
}

// cut copies and erases the selection or, without one, the line.
func (e *Editor) cut() tea.Cmd {
	cmd := e.copyText()
	if _, _, ok := e.selection(); ok {
		e.erase(e.cursor)
	} else {
		e.deleteLine()
	}
	return cmd
}

func (e *Editor) deleteLine() {
	from, to := e.wholeLines()
	if from == to && from > 0 { // the empty last line: include the line end before it
		e.erase(e.prev(e.cursor))
		return
	}
	if from < to {
		e.apply(from, to, nil, noRun)
	}
}

func (e *Editor) pasteOwn() tea.Cmd {
	if len(e.clip.text) == 0 {
		return e.env.Ask(screen.Terminal{Do: tea.ReadClipboard})
	}
	e.put(e.clip.text)
	return nil
}

// paste inserts what a terminal sends. It sends CR for a line end, or the line ends of the
// other program: they are converted to the text's own. Text that was copied here is
// restored byte for byte.
func (e *Editor) paste(s string) {
	if sameLines(s, string(e.clip.text)) {
		e.put(e.clip.text)
		return
	}
	e.put([]byte(strings.ReplaceAll(toLF(s), "\n", e.eol)))
}

func (e *Editor) put(b []byte) {
	if len(b) == 0 {
		return
	}
	from, to, _ := e.selection()
	e.apply(from, to, b, noRun)
}

func toLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

func sameLines(a, b string) bool { return a == b || toLF(a) == toLF(b) }
