package ui

import (
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/memtrail/memtrail/ui/screen"
)

// hangups are the signals that end the program and that Bubble Tea leaves alone.
var hangups = []os.Signal{}

// suspend is nothing that Windows knows.
func suspend() tea.Msg { return screen.Notice{Text: "this system cannot suspend programs", Bad: true} }
