package editor

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
)

// Clipboard is what was cut or copied last, byte for byte. All editors of a program share
// one; the terminal's clipboard gets a copy, but may be unavailable or change bytes.
type Clipboard struct{ text string }

// Set replaces the content.
func (c *Clipboard) Set(text string) { c.text = text }

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
	e.edit(func(d *document) {
		if _, _, ok := d.selection(); ok {
			d.erase(d.cursor)
		} else {
			d.deleteLine()
		}
	})
	return cmd
}

func (e *Editor) pasteOwn() tea.Cmd {
	if e.clip.text == "" {
		return e.env.Do(screen.Terminal{Do: tea.ReadClipboard})
	}
	e.edit(func(d *document) { d.put(e.clip.text) })
	return nil
}

// paste inserts what a terminal sends. It sends CR for a line end, or the line ends of the
// other program: they are converted to the text's own. Text that was copied here is
// restored byte for byte.
func (e *Editor) paste(s string) {
	if sameLines(s, e.clip.text) {
		e.edit(func(d *document) { d.put(e.clip.text) })
		return
	}
	e.edit(func(d *document) { d.put(strings.ReplaceAll(toLF(s), "\n", d.eol)) })
}

func toLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

func sameLines(a, b string) bool { return a == b || toLF(a) == toLF(b) }
