package editor

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/text"
)

type promptKind uint8

const (
	findPrompt    promptKind = iota
	linePrompt               // where to go
	replacePrompt            // what to replace
	withPrompt               // with what
	askPrompt                // whether to replace this one: takes no text
)

// prompt is the input line at the bottom. The textinput holds the text and its cursor;
// drawing is done here.
type prompt struct {
	kind    promptKind
	input   textinput.Model
	from    marks // where Esc returns to
	top     position
	left    int
	problem string // why the input can't be used
	walk    walk   // of askPrompt
}

func (e *Editor) openPrompt(kind promptKind) tea.Cmd {
	in := textinput.New()
	in.Prompt = ""
	in.Focus() // its command would blink a cursor that is not drawn
	e.prompt = &prompt{kind: kind, input: in, from: e.marks(), top: e.top, left: e.left}
	e.run = noRun
	e.reveal()
	return nil
}

func (e *Editor) openGoTo() tea.Cmd { return e.openPrompt(linePrompt) }

func (e *Editor) openFind() tea.Cmd    { return e.openSearch(findPrompt) }
func (e *Editor) openReplace() tea.Cmd { return e.openSearch(replacePrompt) }

// openSearch prompts for a query; a selection within a line is the default.
func (e *Editor) openSearch(kind promptKind) tea.Cmd {
	from, to, ok := e.selection()
	proposal := ""
	if ok && to-from <= 200 && e.text.lineOf(from) == e.text.lineOf(to) {
		proposal = e.text.slice(from, to)
	}
	e.openPrompt(kind)
	if proposal != "" && utf8.ValidString(proposal) {
		e.prompt.input.SetValue(proposal)
		e.prompt.from.cursor, e.prompt.from.anchor = from, -1
		e.searchTyped()
	}
	return nil
}

// searches reports whether a query is being typed.
func (p *prompt) searches() bool { return p.kind == findPrompt || p.kind == replacePrompt }

func (e *Editor) updatePrompt(msg tea.Msg) tea.Cmd {
	p := e.prompt
	if k, ok := msg.(tea.KeyPressMsg); ok {
		if cmd, r := p.keys().Press(e, []string{k.String()}, 0); r != keys.None {
			return cmd
		}
	}
	if p.kind == askPrompt {
		return nil
	}
	before := p.input.Value()
	p.input, _ = p.input.Update(msg)
	if p.input.Value() != before {
		p.problem = ""
		if p.searches() {
			e.searchTyped()
		}
	}
	return nil
}

// cancelPrompt returns to the state before the prompt.
func (e *Editor) cancelPrompt() {
	p := e.prompt
	e.prompt, e.find.highlighted = nil, false
	e.cursor, e.anchor, e.top, e.left = p.from.cursor, p.from.anchor, p.top, p.left
}

func (e *Editor) acceptPrompt() tea.Cmd {
	p := e.prompt
	value := p.input.Value()
	switch {
	case p.kind == linePrompt:
		if value != "" && !e.goToText(value) {
			p.problem = "not a line number"
			return nil
		}
	case p.kind == withPrompt:
		return e.beginReplace(value)
	case value == "" && p.kind == replacePrompt:
		p.problem = "type what to replace"
		return nil
	case value == "" && e.find.pattern == nil:
	case value == "" && p.kind == findPrompt:
		e.prompt = nil
		e.findNext(1) // enter alone repeats the last search
		return nil
	case p.kind == replacePrompt:
		e.askWith()
		return nil
	}
	e.prompt = nil
	e.reveal()
	return nil
}

func (p *prompt) label() string {
	switch p.kind {
	case linePrompt:
		return " line: "
	case replacePrompt:
		return " replace: "
	case withPrompt:
		return " with: "
	case askPrompt:
		return " replace "
	}
	return " find: "
}

// promptSkip returns how far the input is scrolled to show its cursor.
func (e *Editor) promptSkip() (col, skip int) {
	in := e.prompt.input
	value := []rune(in.Value())
	col = text.Width(string(value[:min(in.Position(), len(value))]))
	return col, max(0, col-(e.w-len(e.prompt.label())-1))
}

func (e *Editor) promptCursor() int {
	col, skip := e.promptSkip()
	return min(len(e.prompt.label())+col-skip, max(0, e.w-1))
}

func (e *Editor) appendPrompt(dst []byte) []byte {
	p := e.prompt
	name := p.label()
	label, _ := text.Clip(nil, name, e.w)
	dst = e.env.Theme.HintKey.Append(dst, string(label))
	w := max(0, e.w-len(name))
	value, note := p.input.Value(), p.problem
	if p.kind == askPrompt {
		value = "“" + e.find.pattern.query + "” with “" + p.walk.with + "”?"
	}
	if note == "" && (p.searches() && value != "" || p.kind == askPrompt) {
		note = e.hitLabel()
	}
	_, skip := e.promptSkip()
	style := e.env.Theme.Input
	if p.problem != "" {
		style = e.env.Theme.Error
	}
	dst, used := text.Line{Width: w, Skip: skip, Base: style.On, Mark: e.env.Theme.HiddenChar.On}.Append(dst, value)
	if note != "" && used+2+text.Width(note) <= w {
		dst = text.Spaces(dst, 2)
		dst = e.env.Theme.Dim.Append(dst, note)
		used += 2 + text.Width(note)
	}
	return append(dst, strings.Repeat(" ", max(0, w-used))...)
}

// hitLabel returns the number of the selected hit: "3 of 12".
func (e *Editor) hitLabel() string {
	n, all, known := e.hitNumber()
	switch {
	case !known:
		return ""
	case n > 0:
		return strconv.Itoa(n) + " of " + strconv.Itoa(all)
	case all == 1:
		return "1 hit"
	}
	return strconv.Itoa(all) + " hits"
}
