package editor

import (
	"slices"
	"sort"
	"strings"
)

// buffer is a text as its lines. It never changes: an edit makes another one, which shares
// the lines that were not touched. So a buffer may be read on another goroutine during edits.
type buffer struct {
	lines  []string // with their line ends; the last one has none, and may be empty
	starts []int    // the byte at which each line begins
}

func newBuffer(content []byte) *buffer {
	b := &buffer{lines: strings.SplitAfter(string(content), "\n")}
	b.starts = make([]int, len(b.lines))
	b.locate(0)
	return b
}

// locate computes where the lines begin from line k on.
func (b *buffer) locate(k int) {
	at := 0
	if k > 0 {
		at = b.starts[k-1] + len(b.lines[k-1])
	}
	for ; k < len(b.lines); k++ {
		b.starts[k] = at
		at += len(b.lines[k])
	}
}

// len returns the number of bytes.
func (b *buffer) len() int {
	last := len(b.lines) - 1
	return b.starts[last] + len(b.lines[last])
}

// lineStart returns where line k begins, counted from 0, or the end of the text if there
// are fewer lines.
func (b *buffer) lineStart(k int) int {
	if k >= len(b.lines) {
		return b.len()
	}
	return b.starts[max(k, 0)]
}

// lineOf returns the line of byte at.
func (b *buffer) lineOf(at int) int {
	return max(sort.SearchInts(b.starts, at+1)-1, 0)
}

// replace returns the text with s instead of the bytes from, to.
func (b *buffer) replace(from, to int, s string) *buffer {
	first, last := b.lineOf(from), b.lineOf(to)
	s = b.lines[first][:from-b.starts[first]] + s + b.lines[last][to-b.starts[last]:]
	changed := strings.SplitAfter(s, "\n")
	if last < len(b.lines)-1 { // what follows the line end is the next line
		changed = changed[:len(changed)-1]
	}
	c := &buffer{lines: slices.Concat(b.lines[:first], changed, b.lines[last+1:])}
	c.starts = make([]int, len(c.lines))
	copy(c.starts, b.starts[:first])
	c.locate(first)
	return c
}

// slice returns the bytes from, to.
func (b *buffer) slice(from, to int) string {
	if from >= to {
		return ""
	}
	first, last := b.lineOf(from), b.lineOf(to)
	if first == last {
		return b.lines[first][from-b.starts[first] : to-b.starts[first]]
	}
	var s strings.Builder
	s.Grow(to - from)
	s.WriteString(b.lines[first][from-b.starts[first]:])
	for _, line := range b.lines[first+1 : last] {
		s.WriteString(line)
	}
	s.WriteString(b.lines[last][:to-b.starts[last]])
	return s.String()
}

// bytes returns a copy of the whole text.
func (b *buffer) bytes() []byte {
	out := make([]byte, 0, b.len())
	for _, line := range b.lines {
		out = append(out, line...)
	}
	return out
}

// same reports whether two buffers have the same text. Comparing shared lines costs nothing.
func same(a, b *buffer) bool { return a == b || slices.Equal(a.lines, b.lines) }
