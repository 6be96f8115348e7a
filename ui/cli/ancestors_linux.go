package cli

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ancestors returns the processes above this one. The environment of another user's can't be read.
func ancestors() (out []Process) {
	for id := os.Getppid(); id > 0 && len(out) < maxAncestors; {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
		if err != nil {
			return out
		}
		end := bytes.LastIndexByte(stat, ')') // the name before it may contain anything
		fields := strings.Fields(string(stat[end+1:]))
		begin := bytes.IndexByte(stat, '(')
		if begin < 0 || end < begin || len(fields) < 2 {
			return out
		}
		out = append(out, Process{ID: id, Name: string(stat[begin+1 : end]), Args: strings0(id, "cmdline"), Env: strings0(id, "environ")})
		if id, err = strconv.Atoi(fields[1]); err != nil {
			return out
		}
	}
	return out
}

func strings0(id int, file string) []string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", id, file))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimRight(string(b), "\x00"), "\x00")
}
