package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// What is not saved is never left behind unasked.

// leaving runs then when no text is left behind unsaved: at once, or when the person
// has saved it or given it up. what says what then does: "open /a.md".
func (a *App) leaving(what string, then func() tea.Cmd) tea.Cmd {
	if a.edit == nil || !a.edit.pane.Dirty() {
		return then()
	}
	save := func() tea.Cmd { return a.saveThen(then) }
	giveUp := func() tea.Cmd {
		a.edit = nil
		a.resize()
		return then()
	}
	a.show(&dialog.Choice{Name: "not saved", Body: a.edit.path.String() + " has changes that are not saved.", Cur: 2, Options: []screen.Option{
		{Key: "s", Label: "save, then " + what, Then: save},
		{Key: "d", Label: what + " without saving", Then: giveUp},
		{Key: "e", Label: "back to the editor", Then: func() tea.Cmd { a.setFocus(slotMemory); return nil }},
	}})
	return nil
}

// closeEdit closes the editor, and asks first when something would be lost.
func (a *App) closeEdit() tea.Cmd {
	if a.edit == nil {
		return nil
	}
	if !a.edit.pane.Dirty() {
		return a.leaveEdit()
	}
	options := []screen.Option{
		{Key: "s", Label: "save and close", Then: func() tea.Cmd { return a.saveThen(a.leaveEdit) }},
		{Key: "d", Label: "close without saving", Then: a.leaveEdit},
	}
	if a.cfg.Drafts != nil && !a.edit.baseRedacted {
		options = append(options, screen.Option{Key: "l", Label: "close, keep the text for later", Then: a.keepForLater})
	}
	a.show(&dialog.Choice{Name: "not saved", Body: a.edit.path.String() + " has changes that are not saved.",
		Options: append(options, screen.Option{Key: "e", Label: "back to the editor"})})
	return nil
}

// saveThen makes the editor save, and runs then when that is done.
func (a *App) saveThen(then func() tea.Cmd) tea.Cmd {
	if a.edit == nil {
		return then()
	}
	a.edit.then = then
	return a.edit.pane.Save()
}

// leaveEdit shows the memory again in the place of its editor.
func (a *App) leaveEdit() tea.Cmd {
	if a.edit == nil {
		return nil
	}
	p := a.edit.path
	isNew := a.edit.pane.Base() == versions.Hash{}
	a.edit = nil
	a.resize()
	if isNew {
		if a.memory.Path().IsRoot() {
			a.setFocus(slotTree)
		}
		return nil
	}
	return a.memory.Show(p, 0)
}
