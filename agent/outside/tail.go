package outside

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// tail reads what is appended to a file, line by line. A line that is torn at the end
// waits for its rest. A file that was cut, or that another took the place of, is read
// from its beginning.
type tail struct {
	file string
	at   int64       // up to here lines were given
	was  os.FileInfo // the file that this is of; nil: none was there
	skip bool        // until the next end of a line: this one is too long
}

// A tail takes so much at once, and passes lines over that are longer than maxLine.
const (
	tailAtOnce = 256 << 10
	maxLine    = 32 << 20
)

// tailFrom begins near the end of a file: so many bytes before it, at the next line.
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

// read gives the whole lines that are new. fresh says that they may have been given
// before: the file begins anew.
func (t *tail) read(give func(line []byte)) (fresh bool, err error) {
	f, err := os.Open(t.file)
	if errors.Is(err, os.ErrNotExist) {
		t.was, t.at, t.skip = nil, 0, false
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	if t.was == nil || !os.SameFile(t.was, info) || info.Size() < t.at || !t.follows(f) {
		fresh = t.was != nil
		t.at, t.skip = 0, false
	}
	t.was = info
	if info.Size() == t.at {
		return fresh, nil
	}
	return fresh, t.lines(f, give)
}

// follows reports whether what comes next follows the end of a line: a file that was
// cut and has grown again is told by that, mostly, and else nothing is torn by it.
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
