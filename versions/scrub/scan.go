package scrub

import (
	"bytes"
	"io"
	"sync"
)

// Finding is the result of a scan of one file or text.
type Finding struct {
	Hits    Hits
	Matches int  // number of occurrences of the needle
	Whole   bool // the text is one of those that are only searched for as a whole
}

// Any reports whether anything was found.
func (f *Finding) Any() bool { return len(f.Hits) > 0 || f.Matches > 0 || f.Whole }

const (
	scanBytes  = 1 << 20
	matchBytes = 64 << 10 // a longer match of a regular expression may be missed across two parts of a file
	maxEscapes = 4        // levels of JSON inside JSON
)

// Scanner searches streams for erased texts: for their pieces, and for the text that a person named. It is safe for concurrent use.
type Scanner struct {
	Pieces *Pieces
	Needle *Needle
	Flat   bool // don't resolve escapes
}

// readBuffers are for Scan: most files are much smaller.
var readBuffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// overlap returns how much of one part is searched again with the next.
func (s *Scanner) overlap() int {
	n := WindowBytes - 1
	switch {
	case s.Needle == nil:
	case s.Needle.re != nil:
		n = matchBytes
	default:
		n = max(n, len(s.Needle.text)-1)
	}
	return n
}

// Scan reads r to its end in bounded memory and searches it, raw and with its escapes resolved. It calls progress with the size of each part;
// an error from progress ends the scan.
func (s *Scanner) Scan(r io.Reader, found *Finding, progress func(n int) error) error {
	v := s.view(found)
	buf := readBuffers.Get().(*[64 << 10]byte)
	defer readBuffers.Put(buf)
	for {
		n, err := r.Read(buf[:])
		if n > 0 {
			v.write(buf[:n])
			if err := progress(n); err != nil {
				return err
			}
		}
		if err == io.EOF {
			found.Matches += v.close()
			return nil
		}
		if err != nil {
			found.Matches += v.close()
			return err
		}
	}
}

// Text searches a text in memory.
func (s *Scanner) Text(b []byte, found *Finding) {
	if found.Hits == nil {
		found.Hits = Hits{}
	}
	found.Whole = found.Whole || s.Pieces.isWhole(b)
	most := 0 // an occurrence without an escape is at each level
	for level := 0; ; level++ {
		s.Pieces.find(b, 0, found.Hits)
		most = max(most, s.Needle.count(b, 0))
		if s.Flat || level == maxEscapes || bytes.IndexByte(b, '\\') < 0 {
			found.Matches += most
			return
		}
		text, torn := unescaped(b)
		b = append(text, torn...)
	}
}

func (s *Scanner) view(found *Finding) *view {
	if found.Hits == nil {
		found.Hits = Hits{}
	}
	return &view{s: s, found: found}
}

// view is a text with its escapes resolved to one level. It is written in parts.
type view struct {
	s     *Scanner
	found *Finding
	level int
	buf   []byte
	old   int // bytes of buf that were searched before
	count int // of occurrences of the needle at this level; up to where it begins, at the level above
	under *view
	torn  []byte // an incomplete escape at the end of the last part
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

// close searches the rest. It returns the number of occurrences at the level that has most: one without an escape is at each.
func (v *view) close() int {
	v.look()
	if v.under == nil {
		return v.count
	}
	v.under.write(v.torn)
	return max(v.count, v.under.close())
}

// look searches the collected text, and keeps as much as the next search needs.
func (v *view) look() {
	if len(v.buf) == v.old {
		return
	}
	from := max(v.old-(WindowBytes-1), 0)
	v.s.Pieces.find(v.buf[from:], v.old-from, v.found.Hits)
	before := v.count
	v.count += v.s.Needle.count(v.buf, v.old)
	if v.under == nil && !v.s.Flat && v.level < maxEscapes && bytes.IndexByte(v.buf, '\\') >= 0 {
		v.under = &view{s: v.s, found: v.found, level: v.level + 1, count: before - v.s.Needle.count(v.buf[:v.old], 0)}
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
