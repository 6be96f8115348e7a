//go:build unix

package ui

import (
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/memend/memend/ui/screen"
	"golang.org/x/sys/unix"
)

// suspend stops the program until its shell continues it. If the program was started without a
// job-control shell (as the first program of a terminal or a container), the stop signal is
// discarded, and waiting for the continue signal would hang forever.
func suspend() tea.Msg {
	own, err1 := unix.Getsid(0)
	parents, err2 := unix.Getsid(os.Getppid())
	orphan := own != parents || own == unix.Getpgrp() // the process group is not a job of a shell
	if err1 != nil || err2 != nil || orphan {
		return screen.Notice{Text: "nothing here could resume memend: not suspended", Bad: true}
	}
	return screen.Terminal{Do: tea.Suspend}
}
