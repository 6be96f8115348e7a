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
	if !p.mayHold(text) {
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

// mayHold quickly excludes most texts without a hit.
func (p *pattern) mayHold(text []byte) bool { return p.fold || bytes.Contains(text, p.plain) }

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
