package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// dropCode releases the pages of the program's code and tables: most of them were needed
// only once, for the initialization of libraries. The system reads pages that are needed
// again from the file.
func dropCode() {
	for _, p := range ownCode() {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, p.from, p.to-p.from, unix.MADV_DONTNEED)
	}
}

// span is a range of addresses in this process.
type span struct{ from, to uintptr }

// ownCode returns the ranges that map the program's file without changes.
var ownCode = sync.OnceValue(func() []span {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return nil
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	return partsOf(exe, f)
})

// partsOf finds, in the smaps of a process, the read-only ranges that map a file. It
// excludes ranges with pages that differ from the file: those would be lost.
func partsOf(file string, smaps io.Reader) (out []span) {
	var now span // the range of the current lines
	ours := false
	for lines := bufio.NewScanner(smaps); lines.Scan(); {
		line := lines.Text()
		if c := line[0]; c < 'A' || c > 'Z' { // a range, not a figure about it
			var perms string
			n := 0
			if strings.HasSuffix(line, " "+file) {
				n, _ = fmt.Sscanf(line, "%x-%x %s ", &now.from, &now.to, &perms)
			}
			ours = n == 3 && !strings.Contains(perms, "w")
		}
		if ours && strings.HasPrefix(line, "Anonymous:") && strings.HasSuffix(line, " 0 kB") {
			out = append(out, now)
		}
	}
	return out
}
