package memory

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/versions"
)

// firstBytes is how much is shown of a file that is too large to be a memory.
const firstBytes = 256 << 10

// tooLarge is why something can't be done with a file of which only the beginning is read.
var tooLarge = fmt.Sprintf("too large: over %s", draw.Bytes(versions.DefaultMaxBytes))

// read reads a file that can be a memory, or the beginning of a larger one.
func (d *document) read(f versions.File) error {
	d.size = f.Size()
	n := int64(versions.DefaultMaxBytes)
	if d.size > n {
		n = firstBytes
	}
	var err error
	if d.text, err = io.ReadAll(io.NewSectionReader(f, 0, n)); err != nil {
		return err
	}
	d.partial = d.size > versions.DefaultMaxBytes
	if d.partial {
		d.text = beginning(d.text)
	} else {
		d.size = int64(len(d.text)) // it may have been truncated meanwhile
	}
	d.splitLines()
	return nil
}

// beginning returns b up to its last line end or, if that is far from its end, without an
// incomplete character.
func beginning(b []byte) []byte {
	if i := bytes.LastIndexByte(b, '\n'); i >= len(b)/2 {
		return b[:i+1]
	}
	return wholeRunes(b)
}

// splitLines splits the text into lines as they are shown: without their ends.
func (d *document) splitLines() {
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		d.crlf = true
	}
	d.lines = make([]string, 0, bytes.Count(d.text, []byte("\n"))+1)
	for rest := string(d.text); rest != ""; {
		line, after, ended := strings.Cut(rest, "\n")
		if d.crlf && ended {
			line = strings.TrimSuffix(line, "\r")
		}
		d.lines = append(d.lines, line)
		rest = after
	}
}

// line returns a line as it is shown, or "" beyond the end.
func (d *document) line(n int) string {
	if n < 0 || n >= len(d.lines) {
		return ""
	}
	return d.lines[n]
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
