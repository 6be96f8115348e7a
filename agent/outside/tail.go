package outside

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/memend/memend/versions/disk"
)

// tail reads what is appended to a file, line by line. An incomplete last line waits for its rest. A
// file that was truncated or replaced is read again from its beginning.
type tail struct {
	file string
	at   int64       // offset up to which lines were returned
	was  os.FileInfo // the file that was read; nil: none existed
	skip bool        // until the next line end: this line is too long
}

// A tail reads in chunks, and skips lines longer than maxLine.
const (
	tailAtOnce = 256 << 10
	maxLine    = 32 << 20
)

// tailFrom starts at the first line in the last back bytes of a file.
func tailFrom(file string, back int64) *tail {
	t := &tail{file: file}
	info, err := os.Stat(file)
	if err != nil {
		return t
	}
	t.was = info
	if t.at = max(0, info.Size()-back); t.at > 0 {
		t.at--
		t.skip = true
	}
	return t
}

// read passes the new complete lines to give. Those of a file that is read again are repeated.
func (t *tail) read(give func(line []byte)) error {
	f, err := disk.OpenRegular(t.file)
	if errors.Is(err, os.ErrNotExist) {
		t.was, t.at, t.skip = nil, 0, false
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if t.was == nil || !os.SameFile(t.was, info) || info.Size() < t.at || !t.follows(f) {
		t.at, t.skip = 0, false
	}
	t.was = info
	if info.Size() == t.at {
		return nil
	}
	return t.lines(f, give)
}

// follows reports whether the current offset is preceded by a line end: it detects most files that were
// truncated and have grown again.
func (t *tail) follows(f io.ReaderAt) bool {
	if t.at == 0 || t.skip {
		return true
	}
	var last [1]byte
	_, err := f.ReadAt(last[:], t.at-1)
	return err == nil && last[0] == '\n'
}

func (t *tail) lines(f io.ReaderAt, give func(line []byte)) error {
	buf := make([]byte, tailAtOnce)
	for {
		n, err := f.ReadAt(buf, t.at)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		whole := bytes.LastIndexByte(buf[:n], '\n') + 1
		for line := range bytes.Lines(buf[:whole]) {
			if !t.skip {
				give(line)
			}
			t.skip = false
		}
		t.at += int64(whole)
		switch {
		case whole > 0:
			buf = buf[:min(len(buf), tailAtOnce)]
		case n < len(buf): // the end, or half of a line
			return nil
		case t.skip || len(buf) >= maxLine:
			t.at, t.skip = t.at+int64(n), true
		default:
			buf = make([]byte, 2*len(buf))
		}
	}
}
