package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/memtrail/memtrail/ui/screen"
)

// suspend is nothing that Windows knows.
func suspend() tea.Msg { return screen.Notice{Text: "this system cannot suspend programs", Bad: true} }
