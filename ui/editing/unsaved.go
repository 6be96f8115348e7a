package editing

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Unsaved text is never left without a question.

// Leaving runs then if no text is unsaved: at once, or when the person has saved or
// discarded it. what describes then: "open /a.md".
func (r *Room) Leaving(what string, then func() tea.Cmd) tea.Cmd {
	if !r.Dirty() {
		return then()
	}
	return r.askUnsaved([]screen.Option{
		{Key: "s", Label: "save, then " + what, Then: func() tea.Cmd { return r.saveThen(then) }},
		{Key: "d", Label: what + " without saving", Then: func() tea.Cmd { r.Close(); return then() }},
		{Key: "e", Label: "back to the editor", Then: func() tea.Cmd { return r.env.Do(screen.FocusMemory{}) }},
	}, false)
}

// close closes the editor, and asks first if something would be lost.
func (r *Room) close() tea.Cmd {
	if !r.Dirty() {
		return r.leave()
	}
	options := []screen.Option{
		{Key: "s", Label: "save and close", Then: func() tea.Cmd { return r.saveThen(r.leave) }},
		{Key: "d", Label: "close without saving", Then: r.leave},
	}
	if r.cfg.Drafts != nil && !r.session.baseRedacted {
		options = append(options, screen.Option{Key: "l", Label: "close, keep the text for later", Then: r.keepForLater})
	}
	return r.askUnsaved(append(options, screen.Option{Key: "e", Label: "back to the editor"}), true)
}

func (r *Room) askUnsaved(options []screen.Option, first bool) tea.Cmd {
	return r.env.Do(screen.Choose{Title: "not saved", Text: r.session.path.String() + " has changes that are not saved.", Options: options, First: first})
}

// saveThen saves, and then runs then.
func (r *Room) saveThen(then func() tea.Cmd) tea.Cmd {
	if r.session == nil {
		return then()
	}
	r.session.then = then
	return r.session.pane.Save()
}

// leave shows the memory again instead of its editor.
func (r *Room) leave() tea.Cmd {
	if r.session == nil {
		return nil
	}
	p, isNew := r.session.path, r.session.pane.Base() == versions.Hash{}
	line, column, row := r.session.pane.Place()
	r.Close()
	if !isNew {
		return r.memory.ShowEdited(p, line, column, row)
	}
	if r.memory.Path().IsRoot() || r.memory.Previewing() {
		return r.env.Do(screen.FocusTree{})
	}
	return nil
}
