//go:build unix

package ssh

import (
	"os/exec"
	"syscall"
)

// alone keeps the terminal's signals from a command: an interrupt or a suspension of this program
// must not cut the connection in the middle of a request.
func alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killAll kills a command that was started, and what it started if it runs alone.
func killAll(cmd *exec.Cmd) {
	if cmd.SysProcAttr != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	_ = cmd.Process.Kill()
}
