package agent

import (
	"bufio"
	"bytes"
	"errors"
)

// MaxLine is the longest line that a program is read on standard input, in bytes: a call
// that writes 8 MiB, each of its characters escaped, fits nearly; no memory of the usual
// limit comes close.
const MaxLine = 32 << 20

// ReadLine reads a line without its end, and without the spaces around it. Of one that is
// longer than most nothing is kept, and it is not whole: the next one can be read.
func ReadLine(r *bufio.Reader, most int) (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > most {
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
