package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// pane is one part of the screen. Mouse messages reach it in its own
// coordinates; View gives exactly the rows and columns of SetSize.
type pane interface {
	Update(tea.Msg) tea.Cmd
	View() string
	SetSize(w, h int)
	Keys() []key.Binding
}
