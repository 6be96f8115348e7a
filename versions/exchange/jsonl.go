package exchange

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/memend/memend/versions"
)

const jsonFormat = 1

func hashOf(b []byte) versions.Hash { return sha256.Sum256(b) }

// JSONWriter writes a history as JSON lines. Close writes the last line; without it, a reader treats the history as truncated.
type JSONWriter struct {
	w       *bufio.Writer
	enc     *json.Encoder
	changes int64
	err     error
}

type headerLine struct {
	Memend string `json:"memend"`
	Format int    `json:"format"`
}

type endLine struct {
	End     bool  `json:"end,omitempty"`
	Changes int64 `json:"changes"`
}

// NewJSONWriter returns a JSONWriter that writes to w. A write error is returned by the next call.
func NewJSONWriter(w io.Writer) *JSONWriter {
	j := &JSONWriter{w: bufio.NewWriterSize(w, 64<<10)}
	j.enc = json.NewEncoder(j.w)
	j.enc.SetEscapeHTML(false)
	j.err = j.enc.Encode(headerLine{"history", jsonFormat})
	return j
}

// Write writes the next item.
func (j *JSONWriter) Write(it versions.Item) error {
	if j.err != nil {
		return j.err
	}
	if it.Record == nil {
		j.err = j.enc.Encode(lineOfContent(it.Content))
		return j.err
	}
	l := lineOfRecord(it.Record)
	for i := range it.Record.Versions {
		l.Versions = append(l.Versions, lineOfVersion(&it.Record.Versions[i]))
	}
	j.changes++
	j.err = j.enc.Encode(l)
	return j.err
}

// Close ends the history. It does not close the underlying writer.
func (j *JSONWriter) Close() error {
	if j.err == nil {
		j.err = j.enc.Encode(endLine{true, j.changes})
	}
	if j.err == nil {
		j.err = j.w.Flush()
	}
	return j.err
}

// ReadJSON reads a history of JSON lines.
func ReadJSON(r io.Reader) iter.Seq2[versions.Item, error] {
	return func(yield func(versions.Item, error) bool) {
		in := newLines(r)
		if err := in.header(); err != nil {
			yield(versions.Item{}, in.at(err))
			return
		}
		changes := int64(0)
		for {
			it, end, err := in.item()
			switch {
			case errors.Is(err, io.EOF):
				err = unsound("the input is truncated: the last line is missing")
			case err == nil && end != nil:
				if err = in.last(end.Changes, changes); err == nil {
					return
				}
			}
			if err != nil {
				yield(versions.Item{}, in.at(err))
				return
			}
			if it.Record != nil {
				changes++
			}
			if !yield(it, nil) {
				return
			}
		}
	}
}

func (in *lines) header() error {
	line, err := in.next()
	if errors.Is(err, io.EOF) {
		return unsound("the input is empty")
	}
	if err != nil {
		return err
	}
	var h headerLine
	if err := in.decode(line, &h); err != nil {
		return err
	}
	switch {
	case h.Memend != "history":
		return unsound("not a history of memend: the first line must begin with {\"memend\":\"history\"")
	case h.Format != jsonFormat:
		return unsound("unsupported format %d: this version of memend reads format %d", h.Format, jsonFormat)
	}
	return nil
}

// item decodes one line: a content, a change, or the end.
func (in *lines) item() (it versions.Item, end *endLine, err error) {
	line, err := in.next()
	if err != nil {
		return it, nil, err
	}
	var l struct {
		changeLine
		contentLine
		endLine
	}
	if err := in.decode(line, &l); err != nil {
		return it, nil, err
	}
	switch {
	case l.Change != nil:
		it.Record, err = l.record()
	case l.contentLine.SHA256 != "":
		it.Content, err = l.bytes()
	case l.End:
		return it, &l.endLine, nil
	default:
		err = unsound("neither a change nor a content")
	}
	return it, nil, err
}

// last checks the announced number of changes, and that nothing follows the end.
func (in *lines) last(said, came int64) error {
	if said != came {
		return unsound("the last line announces %d changes, but there are %d", said, came)
	}
	if _, err := in.next(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = unsound("unexpected text after the last line")
		}
		return err
	}
	return nil
}

// maxLineBytes limits the memory for a line: a content of 256 MiB in base64, one of 64 MiB that is fully escaped, or a change with a million versions.
const maxLineBytes = 400 << 20

// lines reads lines of JSON and skips empty ones.
type lines struct {
	r   *bufio.Reader
	buf []byte
	n   int
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, 64<<10)} }

// at adds the line number to an error.
func (in *lines) at(err error) error { return fmt.Errorf("line %d: %w", in.n, err) }

// next returns the next line, which is valid until the following call, or io.EOF.
func (in *lines) next() ([]byte, error) {
	for {
		in.n++
		in.buf = in.buf[:0]
		for {
			part, err := in.r.ReadSlice('\n')
			if len(in.buf)+len(part) > maxLineBytes {
				return nil, unsound("the line is longer than %d MiB", maxLineBytes>>20)
			}
			in.buf = append(in.buf, part...)
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if err != nil && (!errors.Is(err, io.EOF) || len(in.buf) == 0) {
				return nil, err
			}
			break
		}
		if line := bytes.TrimSpace(in.buf); len(line) > 0 {
			return line, nil
		}
	}
}

func (in *lines) decode(line []byte, v any) error {
	if err := json.Unmarshal(line, v); err != nil {
		return unsound("%v", err)
	}
	return nil
}
