package merge

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions/ids"
)

// hunk is a change whose text is edited, in an editor below the merge.
type hunk struct {
	*editor.Editor
	id   int
	part int
}

// edit opens an editor for the change under the cursor. It starts with the text of the result,
// or with mine if nothing is decided.
func (p *Pane) edit() {
	x := p.m.parts[p.cur]
	if x.pick == open {
		x.pick = takeMine
	}
	p.hunks++
	h := &hunk{editor.New(p.env, p.m.appendPart(nil, &x), ids.Hash{}, p.in.Clip), p.hunks, p.cur}
	h.SetOwner(func(request tea.Msg) tea.Msg { // requests of a memory's editor go to the owner of that editor
		return screen.Then(func() tea.Cmd { p.answer(h, request); return nil })
	})
	p.hunk = h
	p.hunk.SetWrap(!p.board.unwrap)
	p.arrange()
	p.placeHunk()
	p.goTo(p.cur)
}

func (p *Pane) placeHunk() { p.hunk.SetSize(p.w, p.hunkRows()) }

// Beyond reports whether the mouse is dragged above or below the text of a hunk.
func (p *Pane) Beyond() bool { return p.hunk != nil && p.hunk.Beyond() }

// bothFrom is the number of rows from which a hunk's editor leaves room for the merge.
const bothFrom = 16

// hunkRow returns the row of the line above the editor.
func (p *Pane) hunkRow() int {
	if p.h < bothFrom {
		return 0
	}
	return p.h / 2
}

func (p *Pane) hunkRows() int { return max(p.h-p.hunkRow()-1, 0) }

// toHunk passes a message to the editor.
func (p *Pane) toHunk(msg tea.Msg) tea.Cmd {
	if p.hunk == nil {
		return nil
	}
	return p.hunk.Update(msg)
}

// answer handles a request of a hunk's editor. Leaving the editor takes its text as the
// decision, which undo can revert.
func (p *Pane) answer(h *hunk, request tea.Msg) {
	if p.hunk != h {
		return
	}
	switch request.(type) {
	case editor.SaveRequest:
		p.takeHunk()
	case editor.CloseRequest:
		if h.Dirty() {
			p.takeHunk()
		} else {
			p.closeHunk()
		}
	}
}

func (p *Pane) takeHunk() {
	text := p.hunk.Content()
	p.cur = p.hunk.part
	p.closeHunk()
	x := &p.m.parts[p.cur]
	if x.pick != open && string(p.m.appendPart(nil, x)) == string(text) {
		return
	}
	p.decide(decision{ownText, newLines(text)})
}

func (p *Pane) closeHunk() {
	p.hunk = nil
	p.arrange()
	p.goTo(p.cur)
}

// withHunk returns the frame including the editor.
func (p *Pane) withHunk() string {
	if p.w <= 0 || p.h <= 0 {
		return ""
	}
	dst := []byte(p.frame)
	if len(dst) > 0 {
		dst = append(dst, '\n')
	}
	dst = p.appendWhole(dst, p.env.Theme.Selected, "  "+p.hunkTitle())
	if p.hunkRows() > 0 {
		dst = append(append(dst, '\n'), p.hunk.View()...)
	}
	return string(dst)
}

func (p *Pane) hunkTitle() string {
	what := "edit this change"
	if n := p.m.parts[p.hunk.part].number; n > 0 {
		what = "edit conflict " + strconv.Itoa(n)
	}
	if p.w < longFrom {
		return what + " · " + p.hunk.Hint("close") + " takes the text"
	}
	return what + " · " + p.hunk.Hint("close") + " keeps the text, " + p.keys.Hint("change.undo") + " restores the old one"
}
