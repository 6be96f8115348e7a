package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/memend/memend/ui/screen"
)

// suspend is not supported on Windows.
func suspend() tea.Msg { return screen.Notice{Text: "this system cannot suspend programs", Bad: true} }
