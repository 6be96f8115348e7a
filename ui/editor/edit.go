package editor

import (
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

// maxUndo limits the undo steps.
const maxUndo = 10_000

// apply replaces the bytes from, to with s. It joins the last undo step if that was part of
// the same run.
func (e *Editor) apply(from, to int, s string, kind runKind) {
	edit := step{at: from, old: e.text.slice(from, to), new: s, before: e.marks()}
	if kind == noRun || kind != e.run || len(e.undo) == 0 || !e.undo[len(e.undo)-1].join(edit) {
		if len(e.undo) == maxUndo {
			e.undo = append(e.undo[:0], e.undo[maxUndo/10:]...)
		}
		e.undo = append(e.undo, edit)
	}
	e.replaceText(from, to, s)
	e.cursor, e.anchor, e.goal = from+len(s), -1, -1
	e.run = kind
	e.redo = nil
	e.amend()
	e.checkDirty()
	e.reveal()
}

// join makes an edit part of a step, if it continues what was typed or erased.
func (s *step) join(next step) bool {
	switch {
	case next.old == "" && next.at == s.at+len(s.new):
		s.new += next.new
	case next.new == "" && s.new == "" && next.at+len(next.old) == s.at:
		s.at, s.old = next.at, next.old+s.old
	case next.new == "" && s.new == "" && next.at == s.at:
		s.old += next.old
	default:
		return false
	}
	return true
}

func (e *Editor) replaceText(from, to int, s string) {
	e.light.forgetFrom(e.text.lineOf(from))
	e.text = e.text.replace(from, to, s)
}

func (e *Editor) marks() marks { return marks{e.cursor, e.anchor} }

// amend makes the current cursor the one that redo restores after the edit that was just
// applied.
func (e *Editor) amend() { e.undo[len(e.undo)-1].after = e.marks() }

func (e *Editor) checkDirty() { e.dirty = !same(e.text, e.saved) }

func (e *Editor) undoStep() {
	n := len(e.undo)
	if n == 0 {
		return
	}
	s := e.undo[n-1]
	e.undo = e.undo[:n-1]
	e.redo = append(e.redo, s)
	e.replaceText(s.at, s.at+len(s.new), s.old)
	e.goBack(s.before)
}

func (e *Editor) redoStep() {
	n := len(e.redo)
	if n == 0 {
		return
	}
	s := e.redo[n-1]
	e.redo = e.redo[:n-1]
	e.undo = append(e.undo, s)
	e.replaceText(s.at, s.at+len(s.old), s.new)
	e.goBack(s.after)
}

// goBack shows the text after undo or redo.
func (e *Editor) goBack(to marks) {
	e.cursor, e.anchor, e.goal = to.cursor, to.anchor, -1
	e.run = noRun
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
	e.apply(from, to, s, typing)
}

// startsWord reports whether s begins a word. A run of typing ends there, so that undo goes
// back by words.
func (e *Editor) startsWord(s string) bool {
	return s != " " && e.cursor > 0 && e.text.slice(e.cursor-1, e.cursor) == " "
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
		e.apply(start, end, "", noRun)
		return
	case mark > 0 && from >= start+mark:
		e.apply(from, to, e.eol+next, noRun)
		return
	}
	lead := e.leading(k)
	lead = lead[:min(len(lead), from-start)]
	e.apply(from, to, e.eol+lead, noRun)
}

// leading returns the blanks at the beginning of line k.
func (e *Editor) leading(k int) string {
	s := e.lineText(k)
	s = s[:min(len(s), longLine)]
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
		e.apply(a, b, "", kind)
	}
}

func (e *Editor) backspace() {
	k := e.text.lineOf(e.cursor)
	if n := e.cursor - e.text.lineStart(k); n > 0 && n <= len(e.leading(k)) && e.indent[0] == ' ' {
		// Inside the indentation, remove one step of it; only blanks.
		step := (n-1)%len(e.indent) + 1
		if e.text.slice(e.cursor-step, e.cursor) == strings.Repeat(" ", step) {
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
		e.apply(from, to, in, noRun)
		return
	}
	e.eachLine(first, last, func(line string) string {
		if strings.TrimSpace(line) == "" {
			return line
		}
		return e.indent + line
	})
}

func (e *Editor) outdent() {
	first, last := e.touched()
	e.eachLine(first, last, func(line string) string {
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
func (e *Editor) eachLine(first, last int, f func(line string) string) {
	from, to := e.text.lineStart(first), e.text.lineStart(last+1)
	var b strings.Builder
	for _, line := range e.text.lines[first : last+1] {
		b.WriteString(f(line))
	}
	old, out := e.text.slice(from, to), b.String()
	if old == out {
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
	return e.toClipboard(e.text.slice(from, to))
}

func (e *Editor) toClipboard(s string) tea.Cmd {
	if s == "" {
		return nil
	}
	e.clip.text = s
	if !utf8.ValidString(s) {
		return nil // the terminal's clipboard would change it
	}
	return e.env.Do(screen.Terminal{Do: tea.SetClipboard(s)})
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
		e.apply(from, to, "", noRun)
	}
}

func (e *Editor) pasteOwn() tea.Cmd {
	if e.clip.text == "" {
		return e.env.Do(screen.Terminal{Do: tea.ReadClipboard})
	}
	e.put(e.clip.text)
	return nil
}

// paste inserts what a terminal sends. It sends CR for a line end, or the line ends of the
// other program: they are converted to the text's own. Text that was copied here is
// restored byte for byte.
func (e *Editor) paste(s string) {
	if sameLines(s, e.clip.text) {
		e.put(e.clip.text)
		return
	}
	e.put(strings.ReplaceAll(toLF(s), "\n", e.eol))
}

func (e *Editor) put(s string) {
	if s == "" {
		return
	}
	from, to, _ := e.selection()
	e.apply(from, to, s, noRun)
}

func toLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

func sameLines(a, b string) bool { return a == b || toLF(a) == toLF(b) }
