package live

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// dropCode lets go of the program's own code and tables that lie in memory: most of
// them were only needed once, when libraries prepared what nobody asked them for. What
// is needed again the system brings back, from where it keeps the file.
func dropCode() {
	for _, p := range ownCode() {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, p.from, p.to-p.from, unix.MADV_DONTNEED)
	}
}

// span is a part of the memory of this process.
type span struct{ from, to uintptr }

// ownCode are the parts that hold the program's file and nothing else.
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

// partsOf finds in what the system tells of the memory of a process the parts that a
// file stands in and that can't be written. Parts are left out of which something is
// not as in the file: that would be lost.
func partsOf(file string, smaps io.Reader) (out []span) {
	var now span // that the lines are about
	ours := false
	for lines := bufio.NewScanner(smaps); lines.Scan(); {
		line := lines.Text()
		var next span
		var perms string
		if n, _ := fmt.Sscanf(line, "%x-%x %s ", &next.from, &next.to, &perms); n == 3 {
			now = next
			ours = strings.HasSuffix(line, " "+file) && !strings.Contains(perms, "w")
		}
		if ours && strings.HasPrefix(line, "Anonymous:") && strings.HasSuffix(line, " 0 kB") {
			out = append(out, now)
		}
	}
	return out
}
