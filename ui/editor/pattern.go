package editor

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pattern is a plain text to search for. A hit never spans a line end. A pattern does not
// change and is safe for concurrent use.
type pattern struct {
	query string
	plain []byte // in the case that text is compared in
	fold  bool   // ignore case
}

// newPattern parses a query. Case is ignored unless it has a capital letter.
func newPattern(query string) *pattern {
	p := &pattern{query: query, plain: []byte(query), fold: strings.IndexFunc(query, unicode.IsUpper) < 0}
	if p.fold {
		p.plain = lower(p.plain)
	}
	return p
}

// folded returns text in the case for comparison; it may change it.
func (p *pattern) folded(b []byte) []byte {
	if p.fold {
		return lower(b)
	}
	return b
}

// hit is a match of a pattern in a text.
type hit struct{ from, to int }

// inLine calls do for the hits in a line.
func (p *pattern) inLine(line []byte, do func(hit) bool) {
	b := line
	if p.fold {
		b = lower(bytes.Clone(line))
	}
	for at := 0; ; {
		i := bytes.Index(b[at:], p.plain)
		if i < 0 || !do(hit{at + i, at + i + len(p.plain)}) {
			return
		}
		at += i + len(p.plain)
	}
}

// each calls do for all hits in a text.
func (p *pattern) each(text []byte, do func(hit) bool) {
	if !p.fold && !bytes.Contains(text, p.plain) { // quick, and excludes most texts
		return
	}
	start := 0
	more := true
	for whole := range bytes.Lines(text) {
		p.inLine(trimEnd(whole), func(h hit) bool {
			more = do(hit{start + h.from, start + h.to})
			return more
		})
		if start += len(whole); !more {
			return
		}
	}
}

// in returns the first hit at byte from or after it, or the last one that ends there or
// before, wrapping around.
func (p *pattern) in(t *buffer, from, dir int) (hit, bool) {
	if dir > 0 {
		if h, ok := p.down(t, from, t.len()); ok {
			return h, true
		}
		return p.down(t, 0, t.len())
	}
	if h, ok := p.up(t, 0, from); ok {
		return h, true
	}
	return p.up(t, 0, t.len())
}

// down returns the first hit between two bytes.
func (p *pattern) down(t *buffer, from, end int) (hit, bool) {
	var b []byte
	for k := t.lineOf(from); k < len(t.lines) && t.starts[k] < end; k++ {
		start := t.starts[k]
		skip := max(from-start, 0)
		line := t.lines[k][:min(len(t.lines[k]), end-start)]
		b = p.folded(append(b[:0], line[min(skip, len(line)):]...))
		if i := bytes.Index(b, p.plain); i >= 0 {
			at := start + skip + i
			return hit{at, at + len(p.plain)}, true
		}
	}
	return hit{}, false
}

// up returns the last hit between two bytes.
func (p *pattern) up(t *buffer, from, end int) (hit, bool) {
	var b []byte
	for k := t.lineOf(end); k >= 0 && t.lineStart(k+1) > from; k-- {
		start := t.starts[k]
		skip := max(from-start, 0)
		line := t.lines[k][:min(len(t.lines[k]), end-start)]
		b = p.folded(append(b[:0], line[min(skip, len(line)):]...))
		if i := bytes.LastIndex(b, p.plain); i >= 0 {
			at := start + skip + i
			return hit{at, at + len(p.plain)}, true
		}
	}
	return hit{}, false
}

func trimEnd(line []byte) []byte {
	line, ended := bytes.CutSuffix(line, []byte("\n"))
	if ended {
		line = bytes.TrimSuffix(line, []byte("\r"))
	}
	return line
}

// lower lowers letters in place, except where that would change the length.
func lower(b []byte) []byte {
	for i := 0; i < len(b); {
		c := b[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				b[i] = c + 'a' - 'A'
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if l := unicode.ToLower(r); l != r && utf8.RuneLen(l) == n {
			utf8.EncodeRune(b[i:], l)
		}
		i += n
	}
	return b
}
