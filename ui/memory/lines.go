package memory

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// every is the distance of the indexed lines, so that the index of a million lines takes 64
// KB.
const every = 128

const (
	// wholeFile is the size up to which a file is held in memory completely. Nearly every
	// memory is; a larger file is read in windows.
	wholeFile = 1 << 20
	// maxLineBytes is how much of one line is shown.
	maxLineBytes = 64 << 10
	// windowBytes is the most text in one window.
	windowBytes = 4 << 20
	// indexBytes is how much of a file is indexed at a time. The first piece is small, so
	// that the first screen does not wait.
	firstIndexBytes, indexBytes = 256 << 10, 8 << 20
)

// lineIndex holds the offset of every 128th line of a file. It grows while the file is
// read, piece by piece.
type lineIndex struct {
	offsets []int64 // of line 0, every, 2*every, …
	lines   int     // known so far; the last one counts only when done
	read    int64   // bytes
	done    bool
	crlf    bool // the first line ends in CRLF: assumed for the others, too
}

// piece is one step of an index.
type piece struct {
	offsets []int64
	lines   int
	read    int64
	done    bool
	crlf    bool
}

// indexPiece reads up to limit bytes of r from the end of ix. Commands call it with a copy
// of the index, which it does not change.
func indexPiece(r io.ReaderAt, ix lineIndex, limit int) (piece, error) {
	p := piece{lines: ix.lines, read: ix.read, crlf: ix.crlf}
	if ix.read == 0 {
		p.offsets = []int64{0}
	}
	buf := make([]byte, min(limit, 256<<10))
	last := byte('\n')
	if ix.read > 0 {
		if _, err := r.ReadAt(buf[:1], ix.read-1); err == nil {
			last = buf[0]
		}
	}
	for left := limit; left > 0; {
		n, err := r.ReadAt(buf[:min(left, len(buf))], p.read)
		b := buf[:n]
		if p.read == 0 {
			if i := bytes.IndexByte(b, '\n'); i > 0 && b[i-1] == '\r' {
				p.crlf = true
			}
		}
		at := 0
		for {
			i := bytes.IndexByte(b[at:], '\n')
			if i < 0 {
				break
			}
			at += i + 1
			p.lines++
			if p.lines%every == 0 {
				p.offsets = append(p.offsets, p.read+int64(at))
			}
		}
		if n > 0 {
			last = b[n-1]
		}
		p.read += int64(n)
		left -= n
		if err == io.EOF || err == nil && n == 0 {
			if last != '\n' {
				p.lines++
			}
			p.done = true
			return p, nil
		}
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

// add appends the piece that was read from the end of ix.
func (ix *lineIndex) add(p piece) {
	ix.offsets = append(ix.offsets, p.offsets...)
	ix.lines, ix.read, ix.done, ix.crlf = p.lines, p.read, p.done, p.crlf
}

// near returns the last line with a known offset at or before line.
func (ix *lineIndex) near(line int) (int, int64) {
	if len(ix.offsets) == 0 {
		return 0, 0
	}
	k := min(max(line, 0)/every, len(ix.offsets)-1)
	return k * every, ix.offsets[k]
}

// window is a range of lines of a file, without their ends.
type window struct {
	first int
	lines []string
}

func (w window) holds(line int) bool { return line >= w.first && line < w.first+len(w.lines) }

// line returns the text of a line, or "" if the window does not contain it.
func (w window) line(n int) string {
	if !w.holds(n) {
		return ""
	}
	return w.lines[n-w.first]
}

// readWindow reads n lines from line first on; the line from begins at offset.
func readWindow(r io.ReaderAt, from int, offset int64, first, n int, crlf bool) (window, error) {
	w := window{first: first, lines: make([]string, 0, n)}
	skip := first - from
	var rest []byte
	long := false // the current line is over the limit
	took := 0
	buf := make([]byte, 128<<10)
	for len(w.lines) < n && took < windowBytes {
		m, err := r.ReadAt(buf, offset)
		offset += int64(m)
		for b := buf[:m]; len(b) > 0 && len(w.lines) < n; {
			end := bytes.IndexByte(b, '\n')
			part := b
			if end >= 0 {
				part = b[:end]
			}
			if skip == 0 && !long {
				room := maxLineBytes - len(rest)
				if len(part) > room {
					part, long = part[:room], true
				}
				rest = append(rest, part...)
			}
			if end < 0 {
				break
			}
			b = b[end+1:]
			if skip > 0 {
				skip--
				continue
			}
			took += len(rest)
			w.lines = append(w.lines, lineText(rest, crlf, long))
			rest, long = rest[:0], false
		}
		if err == io.EOF || err == nil && m == 0 {
			if skip == 0 && len(rest) > 0 && len(w.lines) < n {
				w.lines = append(w.lines, lineText(rest, false, long))
			}
			return w, nil
		}
		if err != nil {
			return w, err
		}
	}
	return w, nil
}

// lineText returns a line as it is shown. A line that was cut ends in an ellipsis.
func lineText(b []byte, crlf, long bool) string {
	if long {
		return string(wholeRunes(b)) + "…"
	}
	if crlf && len(b) > 0 && b[len(b)-1] == '\r' {
		b = b[:len(b)-1]
	}
	return string(b)
}

// wholeRunes returns b without an incomplete character at its end.
func wholeRunes(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}
