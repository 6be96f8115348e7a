package editor

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/ui/keys"
	"github.com/memtrail/memtrail/ui/text"
)

type promptKind uint8

const (
	findPrompt promptKind = iota
	linePrompt
)

// prompt is the line at the bottom that asks what to find or where to go. The
// input keeps the text and its cursor; the drawing is ours.
type prompt struct {
	kind  promptKind
	input textinput.Model
	from  state // where the editor stood; esc goes back there
	top   int
	left  int
	wrong bool // nothing was found
}

// search is what is looked for.
type search struct {
	query string
	lit   bool // hits are lit
}

func (e *Editor) openPrompt(kind promptKind) tea.Cmd {
	in := textinput.New()
	in.Prompt = ""
	in.Focus() // its command only makes a cursor blink that is never drawn
	e.prompt = &prompt{kind: kind, input: in, from: state{e.text, e.cursor, e.anchor}, top: e.top, left: e.left}
	e.run = noRun
	e.reveal()
	return nil
}

func (e *Editor) openGoTo() tea.Cmd { return e.openPrompt(linePrompt) }

// openFind asks for a text; what is selected within a line is the proposal.
func (e *Editor) openFind() tea.Cmd {
	from, to, ok := e.selection()
	proposal := ""
	if ok && to-from <= 200 && e.text.lineOf(from) == e.text.lineOf(to) {
		proposal = e.slice(from, to)
	}
	e.openPrompt(findPrompt)
	if proposal != "" && utf8.ValidString(proposal) {
		e.prompt.input.SetValue(proposal)
		e.prompt.from.cursor, e.prompt.from.anchor = from, -1
		e.lookUp()
	}
	return nil
}

func (e *Editor) updatePrompt(msg tea.Msg) tea.Cmd {
	p := e.prompt
	if k, ok := msg.(tea.KeyPressMsg); ok {
		if _, r := p.keys().Press(e, []string{k.String()}, 0); r != keys.None {
			return nil
		}
	}
	before := p.input.Value()
	p.input, _ = p.input.Update(msg)
	if p.input.Value() != before {
		p.wrong = false
		if p.kind == findPrompt {
			e.lookUp()
		}
	}
	return nil
}

// cancelPrompt goes back to where it was opened.
func (e *Editor) cancelPrompt() {
	p := e.prompt
	e.prompt, e.find.lit = nil, false
	e.cursor, e.anchor, e.top, e.left = p.from.cursor, p.from.anchor, p.top, p.left
}

func (e *Editor) acceptPrompt() {
	p := e.prompt
	if p.kind == linePrompt {
		if p.input.Value() != "" && !e.goToText(p.input.Value()) {
			p.wrong = true
			return
		}
	} else if p.input.Value() == "" && e.find.query != "" {
		e.prompt = nil
		e.findNext(1) // enter alone looks for the last text again
		return
	}
	e.prompt = nil
	e.reveal()
}

// lookUp finds what the prompt says, from where the search began.
func (e *Editor) lookUp() {
	p := e.prompt
	e.find = search{query: p.input.Value(), lit: true}
	if e.find.query == "" {
		e.find.lit = false
		e.moveTo(p.from.cursor, false)
		return
	}
	at, ok := e.search(p.from.cursor, 1)
	p.wrong = !ok
	if ok {
		e.showHit(at)
	}
}

// findNext goes to the next hit after the cursor, or the one before, around the ends.
func (e *Editor) findNext(dir int) {
	if e.find.query == "" {
		return
	}
	e.find.lit = true
	from, to, _ := e.selection()
	start := to
	if dir < 0 {
		start = from
	}
	at, ok := e.search(start, dir)
	if e.prompt != nil {
		e.prompt.wrong = !ok
	}
	if ok {
		e.showHit(at)
	}
}

func (e *Editor) showHit(at int) {
	k := e.text.lineOf(at)
	if k < e.top || k >= e.top+e.rows() {
		e.top = max(0, k-e.rows()/2)
	}
	e.moveTo(at, false)
	e.anchor, e.cursor = at, at+len(e.find.query)
	e.reveal()
}

// searchPiece is how much text is looked at in one go.
const searchPiece = 64 << 10

// search is the first hit at byte from or after it, or the last one that ends
// there or before; then around the end of the text.
func (e *Editor) search(from, dir int) (int, bool) {
	if dir > 0 {
		if at, ok := e.searchDown(from, e.text.len()); ok {
			return at, true
		}
		return e.searchDown(0, min(e.text.len(), from+len(e.find.query)))
	}
	if at, ok := e.searchUp(0, from); ok {
		return at, true
	}
	return e.searchUp(max(0, from-len(e.find.query)), e.text.len())
}

func (e *Editor) searchDown(from, end int) (int, bool) {
	q, fold := e.pattern()
	for ; from < end; from += searchPiece {
		b := e.text.appendTo(nil, from, min(end, from+searchPiece+len(q)-1))
		if i := bytes.Index(fold(b), q); i >= 0 {
			return from + i, true
		}
	}
	return 0, false
}

func (e *Editor) searchUp(from, end int) (int, bool) {
	q, fold := e.pattern()
	for to := end; to > from; to -= searchPiece {
		b := e.text.appendTo(nil, max(from, to-searchPiece-len(q)+1), to)
		if i := bytes.LastIndex(fold(b), q); i >= 0 {
			return to - len(b) + i, true
		}
	}
	return 0, false
}

// pattern is what to look for and how to read the text for it: letter case
// counts only when the query has a capital letter.
func (e *Editor) pattern() ([]byte, func([]byte) []byte) {
	for _, r := range e.find.query {
		if unicode.IsUpper(r) {
			return []byte(e.find.query), func(b []byte) []byte { return b }
		}
	}
	return lower([]byte(e.find.query)), lower
}

// lower makes letters small, in place, where that does not move any byte.
func lower(b []byte) []byte {
	for i := 0; i < len(b); {
		c := b[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				b[i] = c + 'a' - 'A'
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if l := unicode.ToLower(r); l != r && utf8.RuneLen(l) == n {
			utf8.EncodeRune(b[i:], l)
		}
		i += n
	}
	return b
}

// hits are where the lit query stands in s.
func (e *Editor) hits(s, on string) []text.Span {
	if !e.find.lit || e.find.query == "" {
		return nil
	}
	q, fold := e.pattern()
	b := fold([]byte(s))
	var spans []text.Span
	for at := 0; ; {
		i := bytes.Index(b[at:], q)
		if i < 0 {
			return spans
		}
		at += i + len(q)
		spans = append(spans, text.Span{From: at - len(q), To: at, On: on})
	}
}
