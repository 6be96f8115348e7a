package cli

import (
	"bytes"
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"
)

// ancestors returns the processes above this one. The command line and the environment of another user's can't be read.
func ancestors() (out []Process) {
	for id := os.Getppid(); id > 0 && len(out) < maxAncestors; {
		info, err := unix.SysctlKinfoProc("kern.proc.pid", id)
		if err != nil {
			return out
		}
		p := Process{ID: id, Name: unix.ByteSliceToString(info.Proc.P_comm[:])}
		if b, err := unix.SysctlRaw("kern.procargs2", id); err == nil {
			p.Args, p.Env = procArgs(b)
		}
		out = append(out, p)
		id = int(info.Eproc.Ppid)
	}
	return out
}

// procArgs parses the value of kern.procargs2: the number of arguments, the program's file, zeros, the arguments, the
// environment; each ends with a zero.
func procArgs(b []byte) (args, env []string) {
	if len(b) < 4 {
		return nil, nil
	}
	n := int(binary.NativeEndian.Uint32(b))
	_, rest, _ := bytes.Cut(b[4:], []byte{0})
	for s := range bytes.SplitSeq(bytes.TrimLeft(rest, "\x00"), []byte{0}) {
		switch {
		case len(args) < n:
			args = append(args, string(s))
		case len(s) > 0:
			env = append(env, string(s))
		}
	}
	return args, env
}
