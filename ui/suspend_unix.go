//go:build unix

package ui

import (
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/memend/memend/ui/screen"
	"golang.org/x/sys/unix"
)

// suspend stops the program until its shell brings it back. Where nobody could
// (it was started as a terminal's or a container's first program), the stop
// signal is thrown away and waiting for the other would hang for ever.
func suspend() tea.Msg {
	own, err1 := unix.Getsid(0)
	parents, err2 := unix.Getsid(os.Getppid())
	orphan := own != parents || own == unix.Getpgrp() // no shell has given us a job of our own
	if err1 != nil || err2 != nil || orphan {
		return screen.Notice{Text: "nothing here could resume memend: not suspended", Bad: true}
	}
	return screen.Terminal{Do: tea.Suspend}
}
