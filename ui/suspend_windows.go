package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/memend/memend/ui/screen"
)

// suspend is nothing that Windows knows.
func suspend() tea.Msg { return screen.Notice{Text: "this system cannot suspend programs", Bad: true} }
