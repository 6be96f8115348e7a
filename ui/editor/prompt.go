package editor

import (
	"unicode/utf8"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
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

var prompts = [...]struct {
	label string
	keys  *keys.Map[*Editor]
}{
	findPrompt:    {" find: ", findKeys},
	linePrompt:    {" line: ", lineKeys},
	replacePrompt: {" replace: ", whatKeys},
	withPrompt:    {" with: ", withKeys},
	askPrompt:     {" replace ", askKeys},
}

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

// setPrompt shows an input line below the text; nil is none.
func (e *Editor) setPrompt(p *prompt) {
	e.prompt, e.rows = p, e.h
	if p != nil {
		e.rows--
	}
	e.rows = max(e.rows, 1)
}

func (e *Editor) openPrompt(kind promptKind) {
	in := textinput.New()
	in.Prompt = ""
	in.Focus() // its command would blink a cursor that is not drawn
	e.setPrompt(&prompt{kind: kind, input: in, from: e.marks(), top: e.top, left: e.left})
	e.run = noRun
	e.reveal()
}

// openSearch prompts for a query; a selection within a line is the default.
func (e *Editor) openSearch(kind promptKind) {
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
}

// searches reports whether a query is being typed.
func (p *prompt) searches() bool { return p.kind == findPrompt || p.kind == replacePrompt }

func (e *Editor) updatePrompt(msg tea.Msg) tea.Cmd {
	p := e.prompt
	if k, ok := msg.(tea.KeyPressMsg); ok {
		for _, name := range keys.Names(k) {
			if cmd, r := prompts[p.kind].keys.Press(e, []string{name}, 0); r != keys.None {
				return cmd
			}
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
	e.setPrompt(nil)
	e.find.highlighted = false
	e.cursor, e.anchor, e.top, e.left = p.from.cursor, p.from.anchor, p.top, p.left
	e.clampTop()
}

// movePrompt keeps the prompt at its text after a change by someone else.
func (e *Editor) movePrompt(moved func(at int) int) {
	p := e.prompt
	p.from = marks{moved(p.from.cursor), -1}
	if p.kind == askPrompt {
		p.walk.from = moved(p.walk.from)
		e.nextToReplace(moved(p.walk.current.from))
	}
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
		e.setPrompt(nil)
		e.findNext(1) // enter alone repeats the last search
		return nil
	case p.kind == replacePrompt:
		e.askWith()
		return nil
	}
	e.setPrompt(nil)
	e.reveal()
	return nil
}

// skip returns the column of the input's cursor, and how far the input is scrolled to show it.
func (p *prompt) skip(w int) (col, skip int) {
	value := []rune(p.input.Value())
	col = text.Width(string(value[:min(p.input.Position(), len(value))]))
	return col, max(0, col-(w-len(prompts[p.kind].label)-1))
}

// cursor returns the column of the cursor in a row of w columns.
func (p *prompt) cursor(w int) int {
	col, skip := p.skip(w)
	return min(len(prompts[p.kind].label)+col-skip, max(0, w-1))
}

// draw draws the prompt in w columns; hits tells which hit is selected.
func (p *prompt) draw(dst []byte, w int, hits string, th *theme.Theme) []byte {
	name := prompts[p.kind].label
	label, _ := text.Clip(nil, name, w)
	dst = th.HintKey.Append(dst, string(label))
	_, skip := p.skip(w)
	w = max(0, w-len(name))
	value, note := p.input.Value(), p.problem
	if p.kind == askPrompt {
		value = "“" + p.walk.query + "” with “" + p.walk.with + "”?"
	}
	if note == "" && (p.searches() && value != "" || p.kind == askPrompt) {
		note = hits
	}
	style := th.Input
	if p.problem != "" {
		style = th.Error
	}
	dst, used := text.Line{Width: w, Skip: skip, Base: style.On, Mark: th.HiddenChar.On}.Append(dst, value)
	if note != "" && used+2+text.Width(note) <= w {
		dst = text.Spaces(dst, 2)
		dst = th.Dim.Append(dst, note)
		used += 2 + text.Width(note)
	}
	return text.Spaces(dst, w-used)
}
