package versions

import (
	"bytes"
	"io"
)

// finding is what a scan found in one file or text.
type finding struct {
	hits    hits
	matches int  // of the needle
	whole   bool // the text is one of those that are only looked for as a whole
}

func (f *finding) any() bool { return len(f.hits) > 0 || f.matches > 0 || f.whole }

const (
	scanBytes  = 1 << 20
	matchBytes = 64 << 10 // a match of a regular expression that is longer may be missed where two parts of a file meet
	maxEscapes = 4        // levels: JSON inside of JSON, and so on
)

// scanner looks for erased texts in streams: for pieces of them, and for the text that
// somebody named.
type scanner struct {
	look   *pieces
	needle *needle
	flat   bool // escapes stay as they are
}

// overlap is how much of one part is looked at again with the next.
func (s *scanner) overlap() int {
	n := windowBytes - 1
	switch {
	case s.needle == nil:
	case s.needle.re != nil:
		n = matchBytes
	default:
		n = max(n, len(s.needle.text)-1)
	}
	return n
}

// scan reads r to its end in bounded memory, as it stands and with what is escaped in
// it undone. progress is told of each part and stops the scan by an error.
func (s *scanner) scan(r io.Reader, found *finding, progress func(n int) error) error {
	v := s.view(found)
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			v.write(buf[:n])
			if err := progress(n); err != nil {
				return err
			}
		}
		if err == io.EOF {
			v.close()
			return nil
		}
		if err != nil {
			v.close()
			return err
		}
	}
}

// text looks at a text that is in memory.
func (s *scanner) text(b []byte, found *finding) {
	if found.hits == nil {
		found.hits = hits{}
	}
	found.whole = found.whole || s.look.isWhole(b)
	for level := 0; ; level++ {
		s.look.find(b, 0, found.hits)
		found.matches += s.needle.count(b, 0)
		if s.flat || level == maxEscapes || bytes.IndexByte(b, '\\') < 0 {
			return
		}
		text, torn := unescaped(b)
		b = append(text, torn...)
	}
}

func (s *scanner) view(found *finding) *view {
	if found.hits == nil {
		found.hits = hits{}
	}
	return &view{s: s, found: found}
}

// view is a text as it reads at one level of escapes. It comes in parts.
type view struct {
	s     *scanner
	found *finding
	level int
	buf   []byte
	old   int // bytes of buf that were looked at before
	under *view
	torn  []byte // an escape that the last part ends in
}

func (v *view) write(b []byte) {
	for len(b) > 0 {
		if v.buf == nil {
			v.buf = make([]byte, 0, min(len(b), scanBytes)+v.s.overlap())
		}
		n := min(len(b), scanBytes+v.s.overlap()-len(v.buf))
		v.buf, b = append(v.buf, b[:n]...), b[n:]
		if len(v.buf) == scanBytes+v.s.overlap() {
			v.look()
		}
	}
}

func (v *view) close() {
	v.look()
	if v.under != nil {
		v.under.write(v.torn)
		v.under.close()
	}
}

// look looks at what was gathered, and keeps as much as the next look needs.
func (v *view) look() {
	if len(v.buf) == v.old {
		return
	}
	from := max(v.old-(windowBytes-1), 0)
	v.s.look.find(v.buf[from:], v.old-from, v.found.hits)
	v.found.matches += v.s.needle.count(v.buf, v.old)
	if v.under == nil && !v.s.flat && v.level < maxEscapes && bytes.IndexByte(v.buf, '\\') >= 0 {
		v.under = &view{s: v.s, found: v.found, level: v.level + 1}
		v.old = 0 // a text may begin before the first escape
	}
	if v.under != nil {
		text, torn := unescaped(append(v.torn, v.buf[v.old:]...))
		v.under.write(text)
		v.torn = bytes.Clone(torn)
	}
	keep := min(len(v.buf), v.s.overlap())
	v.old = copy(v.buf, v.buf[len(v.buf)-keep:])
	v.buf = v.buf[:v.old]
}
