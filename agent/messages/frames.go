package messages

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxEvent is the maximum size of an event, the same as in the SDK.
const maxEvent = 32 << 20

var errTooLong = fmt.Errorf("an event of the stream is longer than %d MiB", maxEvent>>20)

// frames reads server-sent events:
//
//	event: NAME
//	data: JSON
//	(empty line)
//
// Lines end in LF or CR LF. Several data lines are joined with line feeds. Comments and other fields are skipped. An
// event that is cut off by the end of the stream is dropped.
type frames struct {
	r    *bufio.Reader
	line []byte
	name string
	data []byte
}

func newFrames(r io.Reader) *frames { return &frames{r: bufio.NewReaderSize(r, 16<<10)} }

// next returns the next event's name and data, which are valid until the next call. At the end the error is io.EOF.
func (f *frames) next() (name string, data []byte, err error) {
	f.name, f.data = "", f.data[:0]
	seen := false
	for {
		line, err := f.readLine()
		if err != nil {
			return "", nil, err
		}
		if len(line) == 0 {
			if seen {
				return f.name, f.data, nil
			}
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			f.name, seen = string(value), true
		case "data":
			if seen && len(f.data) > 0 {
				f.data = append(f.data, '\n')
			}
			f.data, seen = append(f.data, value...), true
		}
		if len(f.data) > maxEvent {
			return "", nil, errTooLong
		}
	}
}

// readLine returns a line without its end. An unterminated last line is not a line.
func (f *frames) readLine() ([]byte, error) {
	f.line = f.line[:0]
	for {
		part, err := f.r.ReadSlice('\n')
		if err == nil && len(f.line) == 0 {
			return trimEnd(part), nil
		}
		f.line = append(f.line, part...)
		switch {
		case err == nil:
			return trimEnd(f.line), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(f.line) > maxEvent:
			return nil, errTooLong
		}
	}
}

func trimEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}
