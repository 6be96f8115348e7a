package editor

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pattern is a plain text that is looked for. A hit never reaches over a line end. It
// does not change and is safe for concurrent use.
type pattern struct {
	query string
	plain []byte // as the text is compared with
	fold  bool   // letter case does not count
}

// newPattern reads a query. Letter case counts only when it has a capital letter.
func newPattern(query string) *pattern {
	p := &pattern{query: query, plain: []byte(query), fold: strings.IndexFunc(query, unicode.IsUpper) < 0}
	if p.fold {
		p.plain = lower(p.plain)
	}
	return p
}

// folded is text as it is compared; it may write to it.
func (p *pattern) folded(b []byte) []byte {
	if p.fold {
		return lower(b)
	}
	return b
}

// hit is where a pattern stands in a text.
type hit struct{ from, to int }

// inLine gives the hits in a line.
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

// each gives all hits in a text.
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

// mayHold is quick where a text surely has no hit.
func (p *pattern) mayHold(text []byte) bool { return p.fold || bytes.Contains(text, p.plain) }

func trimEnd(line []byte) []byte {
	line, ended := bytes.CutSuffix(line, []byte("\n"))
	if ended {
		line = bytes.TrimSuffix(line, []byte("\r"))
	}
	return line
}

// lower makes letters small, in place, where that does not move any byte.
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
