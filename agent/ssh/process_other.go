//go:build !unix

package ssh

import "os/exec"

// alone does nothing here.
func alone(*exec.Cmd) {}

// killAll kills a command that was started.
func killAll(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
