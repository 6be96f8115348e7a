package agent

import (
	"bufio"
	"bytes"
	"errors"
)

// MaxLine is the maximum length in bytes of a line that a program reads on standard input. A
// call that writes 8 MiB, each character escaped, almost reaches it; a memory within the usual
// limit does not come close.
const MaxLine = 32 << 20

// ReadLine reads a line and trims its end and surrounding spaces. A line longer than limit is
// discarded and whole is false; the next line can be read.
func ReadLine(r *bufio.Reader, limit int) (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit {
			line, whole = nil, false
		}
		if whole {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), whole, err
		}
	}
}
