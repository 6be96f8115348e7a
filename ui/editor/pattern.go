package editor

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pattern is what is looked for. A hit never reaches over a line end. It does not
// change and is safe for concurrent use.
type pattern struct {
	query string
	plain []byte         // as the text is compared with; of a regular expression nil
	fold  bool           // letter case does not count
	re    *regexp.Regexp // nil for a plain text
}

// newPattern reads a query. Letter case counts only when it has a capital letter.
func newPattern(query string, isRegexp bool) (*pattern, error) {
	p := &pattern{query: query, fold: strings.IndexFunc(query, unicode.IsUpper) < 0}
	if !isRegexp {
		p.plain = []byte(query)
		if p.fold {
			p.plain = lower(p.plain)
		}
		return p, nil
	}
	flags := ""
	if p.fold {
		flags = "(?i)"
	}
	var err error
	p.re, err = regexp.Compile(flags + query)
	return p, err
}

// folded is text as it is compared; it may write to it.
func (p *pattern) folded(b []byte) []byte {
	if p.fold && p.re == nil {
		return lower(b)
	}
	return b
}

// hit is where a pattern stands in a text.
type hit struct{ from, to int }

// inLine gives the hits in a line, with the parts that a regular expression found.
func (p *pattern) inLine(line []byte, do func(h hit, parts []int) bool) {
	if p.re != nil {
		for _, m := range p.re.FindAllSubmatchIndex(line, -1) {
			if m[0] < m[1] && !do(hit{m[0], m[1]}, m) {
				return
			}
		}
		return
	}
	b := line
	if p.fold {
		b = lower(bytes.Clone(line))
	}
	for at := 0; ; {
		i := bytes.Index(b[at:], p.plain)
		if i < 0 || !do(hit{at + i, at + i + len(p.plain)}, nil) {
			return
		}
		at += i + len(p.plain)
	}
}

// each gives all hits in a text, with the line that each is in.
func (p *pattern) each(text []byte, do func(h hit, line []byte, start int, parts []int) bool) {
	if p.re == nil && !p.mayHold(text) {
		return
	}
	start := 0
	more := true
	for whole := range bytes.Lines(text) {
		line := trimEnd(whole)
		p.inLine(line, func(h hit, parts []int) bool {
			more = do(hit{start + h.from, start + h.to}, line, start, parts)
			return more
		})
		if start += len(whole); !more {
			return
		}
	}
}

// mayHold is quick where a text surely has no hit.
func (p *pattern) mayHold(text []byte) bool { return p.fold || bytes.Contains(text, p.plain) }

// replaced appends what stands in the place of a hit afterwards.
func (p *pattern) replaced(dst, line []byte, parts []int, with string) []byte {
	if p.re == nil {
		return append(dst, with...)
	}
	return p.re.Expand(dst, []byte(with), line, parts)
}

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
