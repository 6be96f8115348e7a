package ui

import (
	"os"

	tea "charm.land/bubbletea/v2"
)

// hangups are the signals that end the program and that Bubble Tea leaves alone.
var hangups = []os.Signal{}

// suspend is nothing that Windows knows.
func suspend() tea.Msg { return noticeMsg{"this system cannot suspend programs", true} }
