package editor

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
)

// editorKeys returns the editor's bindings, as in micro.
func editorKeys(bindings keys.Bindings) *keys.Map[*Editor] {
	return keys.New("editor", bindings, []keys.Action[*Editor]{
		does("save", "save", (*Editor).Save, "ctrl+s").Writing(),
		does("close", "close", (*Editor).escape, "esc"),
		{ID: "quit", Name: "close", Keys: []string{"ctrl+q"}, Do: func(e *Editor, _ int) tea.Cmd { return e.close() }, Hide: true},
		changes("undo", "undo", (*document).undoStep, "ctrl+z"),
		changes("redo", "redo", (*document).redoStep, "ctrl+y", "ctrl+shift+z"),
		edits("find", "find", func(e *Editor) { e.openSearch(findPrompt) }, "ctrl+f"),
		edits("replace", "replace", func(e *Editor) { e.openSearch(replacePrompt) }, "ctrl+r"),
		edits("next-hit", "next hit", func(e *Editor) { e.findNext(1) }, "ctrl+n", "f3"),
		edits("previous-hit", "previous hit", func(e *Editor) { e.findNext(-1) }, "ctrl+p", "shift+f3"),
		edits("go-to-line", "go to line", func(e *Editor) { e.openPrompt(linePrompt) }, "ctrl+g", "ctrl+l"),
		does("cut", "cut selection or line", (*Editor).cut, "ctrl+x"),
		does("copy", "copy selection or line", (*Editor).copyText, "ctrl+c"),
		does("paste", "paste", (*Editor).pasteOwn, "ctrl+v"),
		edits("wrap", "wrap lines", func(e *Editor) { e.SetWrap(!e.wrap) }, "alt+z"),
		edits("select-all", "select all", (*Editor).selectAll, "ctrl+a"),
		changes("indent", "indent", (*document).tabKey, "tab"),
		changes("indent-less", "indent less", (*document).outdent, "shift+tab"),
	})
}

// typingKeys are the usual keys of a text field. They are not listed, and not bound to others.
var typingKeys = keys.New("editor", nil, append([]keys.Action[*Editor]{
	edits("new-line", "new line", (*Editor).newLine, "enter", "shift+enter"),
	changes("erase-to-the-left", "erase to the left", (*document).backspace, "backspace", "shift+backspace", "ctrl+h"),
	changes("erase-to-the-right", "erase to the right", func(d *document) { d.erase(d.text.next(d.cursor)) }, "delete"),
	changes("erase-the-word", "erase the word", func(d *document) { d.erase(d.text.wordLeft(d.cursor)) }, "ctrl+w", "alt+backspace", "ctrl+backspace"),
	changes("erase-the-next-word", "erase the next word", func(d *document) { d.erase(d.text.wordRight(d.cursor)) }, "ctrl+delete", "alt+delete", "alt+d"),
}, motions(false)...))

// Keys lists the actions of editors with their keys.
func Keys(bindings keys.Bindings) []keys.Entry { return editorKeys(bindings).All() }

// Hint returns the key that messages name for an action.
func (e *Editor) Hint(id string) string { return e.keys.Hint(id) }

// selectingKeys move the cursor, and with Shift extend the selection.
var selectingKeys = keys.New("editor", nil, motions(true))

// motions returns the actions that move the cursor; with extend they extend the selection.
func motions(extend bool) []keys.Action[*Editor] {
	moves := func(id, name string, do func(*Editor, bool), seqs ...string) keys.Action[*Editor] {
		return keys.Action[*Editor]{ID: id, Name: name, Keys: seqs, Hide: true, Do: func(e *Editor, _ int) tea.Cmd { do(e, extend); return nil }}
	}
	return []keys.Action[*Editor]{
		moves("left", "left", (*Editor).toLeft, "left"),
		moves("right", "right", (*Editor).toRight, "right"),
		moves("up", "up", func(e *Editor, x bool) { e.byRows(-1, x) }, "up"),
		moves("down", "down", func(e *Editor, x bool) { e.byRows(1, x) }, "down"),
		moves("word-left", "word left", func(e *Editor, x bool) { e.moveTo(e.text.wordLeft(e.cursor), x) }, "ctrl+left", "alt+b"),
		moves("word-right", "word right", func(e *Editor, x bool) { e.moveTo(e.text.wordRight(e.cursor), x) }, "ctrl+right", "alt+f"),
		moves("start-of-line", "start of line", (*Editor).toHome, "home", "alt+left"),
		moves("end-of-line", "end of line", (*Editor).toEnd, "end", "ctrl+e", "alt+right"),
		moves("page-up", "page up", func(e *Editor, x bool) { e.byPages(-1, x) }, "pgup"),
		moves("page-down", "page down", func(e *Editor, x bool) { e.byPages(1, x) }, "pgdown"),
		moves("start-of-text", "start of text", func(e *Editor, x bool) { e.moveTo(0, x) }, "ctrl+home", "ctrl+up"),
		moves("end-of-text", "end of text", func(e *Editor, x bool) { e.moveTo(e.text.len(), x) }, "ctrl+end", "ctrl+down"),
	}
}

// changes is an action that changes the text.
func changes(id, name string, do func(*document), seqs ...string) keys.Action[*Editor] {
	return edits(id, name, func(e *Editor) { e.edit(do) }, seqs...)
}

func edits(id, name string, do func(*Editor), seqs ...string) keys.Action[*Editor] {
	return keys.Action[*Editor]{ID: id, Name: name, Keys: seqs, Do: func(e *Editor, _ int) tea.Cmd { do(e); return nil }}
}

func does(id, name string, do func(*Editor) tea.Cmd, seqs ...string) keys.Action[*Editor] {
	return keys.Action[*Editor]{ID: id, Name: name, Keys: seqs, Do: func(e *Editor, _ int) tea.Cmd { return do(e) }}
}

// Bindings of the prompt for a line, of the prompts for a search, and of the question
// whether to replace.
var (
	lineKeys = keys.New("editor-prompt", nil, promptActions("go there"))
	findKeys = keys.New("editor-find", nil, searchActions("go there"))
	whatKeys = keys.New("editor-replace-what", nil, searchActions("continue"))
	withKeys = keys.New("editor-replace-with", nil, promptActions("continue"))
	askKeys  = keys.New("editor-replace", nil, []keys.Action[*Editor]{
		does("yes", "replace it", (*Editor).replaceHere, "y", "enter", "space"),
		does("no", "leave it", (*Editor).skipHere, "n", "down"),
		does("all", "replace all that are left", (*Editor).replaceRest, "a", "!"),
		does("end", "end", (*Editor).endReplace, "esc", "q", "ctrl+q"),
	})
)

// promptActions returns the actions of an input line; accept is what Enter does.
func promptActions(accept string) []keys.Action[*Editor] {
	return []keys.Action[*Editor]{
		does("accept", accept, (*Editor).acceptPrompt, "enter"),
		edits("cancel", "back", (*Editor).cancelPrompt, "esc", "ctrl+q"),
	}
}

func searchActions(accept string) []keys.Action[*Editor] {
	return append(promptActions(accept),
		edits("next", "next hit", func(e *Editor) { e.findNext(1) }, "down", "ctrl+n", "f3"),
		edits("previous", "previous hit", func(e *Editor) { e.findNext(-1) }, "up", "ctrl+p", "shift+f3"),
	)
}

// Entries returns the available actions.
func (e *Editor) Entries() []keys.Entry {
	if e.prompt != nil {
		return prompts[e.prompt.kind].keys.Entries(e)
	}
	return e.keys.Entries(e)
}

// TakesText is true: Update handles every key.
func (e *Editor) TakesText() bool { return true }

// Title returns the position of the cursor and the size of the text; the owner adds the
// name.
func (e *Editor) Title() (name, info string) {
	line, col, lines := e.Position()
	all := strconv.Itoa(lines)
	info = fmt.Sprintf("%*s of %s", len(all)+len(":100"), strconv.Itoa(line)+":"+strconv.Itoa(col), all) // the name must not move with the cursor
	size := int64(e.text.len())
	label := e.hitLabel()
	switch {
	case e.limit > 0 && size > e.limit:
		info += " · ! " + draw.Bytes(size) + ", at most " + draw.Bytes(e.limit)
	case e.find.highlighted && e.prompt == nil && label != "":
		info = label + " · " + info
	default:
		info += " · " + draw.TokenCount(size)
	}
	if e.eol == "\r\n" {
		info += " · CRLF"
	}
	return "edit", info
}

// press runs the action of a key, or inserts it.
func (e *Editor) press(msg tea.KeyPressMsg) tea.Cmd {
	for _, name := range keys.Names(msg) {
		for _, m := range []*keys.Map[*Editor]{e.keys, typingKeys} {
			if cmd, r := m.Press(e, []string{name}, 0); r != keys.None {
				return cmd
			}
		}
	}
	for _, name := range keys.Names(msg) {
		plain, shifted := withoutShift(name)
		if !shifted {
			continue
		}
		if cmd, r := selectingKeys.Press(e, []string{plain}, 0); r != keys.None {
			return cmd
		}
	}
	if msg.Text != "" && msg.Mod&(tea.ModCtrl|tea.ModAlt) == 0 {
		e.edit(func(d *document) { d.insert(msg.Text) })
	}
	return nil
}

// newLine breaks the line, and goes on with a list.
func (e *Editor) newLine() {
	from, _, _ := e.selection()
	mark, next := e.light.listMark(e.text.lineOf(from))
	e.edit(func(d *document) { d.newline(mark, next) })
}

// withoutShift returns the name of a key without Shift, if it has one.
func withoutShift(name string) (plain string, shifted bool) {
	plain = strings.Replace(name, "shift+", "", 1)
	return plain, plain != name
}

// escape ends one thing at a time: the highlighting of hits, the selection, the editor.
func (e *Editor) escape() tea.Cmd {
	_, _, selected := e.selection()
	switch {
	case e.find.highlighted:
		e.find.highlighted = false
		if selected {
			e.anchor = -1
		}
	case selected:
		e.anchor = -1
	default:
		return e.close()
	}
	return nil
}
