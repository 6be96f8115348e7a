//go:build unix

package ssh

import (
	"os/exec"
	"syscall"
)

// alone keeps the terminal's signals from a command: an interrupt or a suspension of this program
// must not cut the connection in the middle of a request.
func alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
