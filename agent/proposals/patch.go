package proposals

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// filePatch is the part of a unified diff that is about one file.
type filePatch struct {
	before, after string // the names in its headers; empty if missing
	hunks         []hunk
}

type hunk struct {
	oldStart, oldLines int
	lines              []string
}

var (
	headerLine = regexp.MustCompile(`^(?:---|\+\+\+|@@)\s`)
	nameLine   = regexp.MustCompile(`^(---|\+\+\+)\s+`)
	nextFile   = regexp.MustCompile(`^(?:Index:\s|diff\s|---\s|\+\+\+\s|={67})`)
	hunkLine   = regexp.MustCompile(`@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)
)

// patchReader reads a unified diff as jsdiff 8.0.3 does.
type patchReader struct {
	lines []string
	i     int
}

func parsePatch(text string) (out []filePatch, err error) {
	r := patchReader{lines: strings.Split(text, "\n")}
	for r.i < len(r.lines) {
		f, err := r.file()
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// line returns the next line, or "" at the end.
func (r *patchReader) line() string {
	if r.i < len(r.lines) {
		return r.lines[r.i]
	}
	return ""
}

func (r *patchReader) file() (f filePatch, err error) {
	for r.i < len(r.lines) && !headerLine.MatchString(r.line()) {
		r.i++
	}
	r.name(&f)
	r.name(&f)
	for r.i < len(r.lines) {
		switch line := r.line(); {
		case nextFile.MatchString(line):
			return f, nil
		case strings.HasPrefix(line, "@@"):
			h, err := r.hunk()
			if err != nil {
				return f, err
			}
			f.hunks = append(f.hunks, h)
		case line != "":
			return f, fmt.Errorf("line %d belongs to no hunk", r.i+1)
		default:
			r.i++
		}
	}
	return f, nil
}

// name reads a header with a file's name, if one is next.
func (r *patchReader) name(f *filePatch) {
	m := nameLine.FindStringSubmatch(r.line())
	if m == nil {
		return
	}
	name, _, _ := strings.Cut(strings.TrimSpace(r.line()[3:]), "\t")
	name = strings.ReplaceAll(name, `\\`, `\`)
	if len(name) > 1 && name[0] == '"' && name[len(name)-1] == '"' {
		name = name[1 : len(name)-1]
	}
	if m[1] == "---" {
		f.before = name
	} else {
		f.after = name
	}
	r.i++
}

func (r *patchReader) hunk() (h hunk, err error) {
	at := r.i + 1
	m := hunkLine.FindStringSubmatch(r.line())
	if m == nil {
		return h, fmt.Errorf("line %d is no head of a hunk", at)
	}
	number := func(s string, or int) int {
		if s == "" {
			return or
		}
		n, convErr := strconv.Atoi(s)
		err = errors.Join(err, convErr)
		return n
	}
	newLines := 0
	h.oldStart, h.oldLines, newLines = number(m[1], 0), number(m[2], 1), number(m[4], 1)
	if err != nil {
		return h, err
	}
	if h.oldLines == 0 { // then the line before is counted
		h.oldStart++
	}
	added, removed := 0, 0
	for r.i++; r.i < len(r.lines) && (removed < h.oldLines || added < newLines || strings.HasPrefix(r.line(), `\`)); r.i++ {
		line, op := r.line(), byte(0)
		switch {
		case line != "":
			op = line[0]
		case r.i < len(r.lines)-1:
			op = ' ' // an editor removed the blank of an empty line
		}
		switch op {
		case '+':
			added++
		case '-':
			removed++
		case ' ':
			added, removed = added+1, removed+1
		case '\\':
		default:
			return h, fmt.Errorf("line %d is no line of a hunk", r.i+1)
		}
		h.lines = append(h.lines, line)
	}
	if removed == 0 && h.oldLines == 1 {
		h.oldLines = 0
	}
	if added == 0 && newLines == 1 {
		newLines = 0
	}
	if added != newLines || removed != h.oldLines {
		return h, fmt.Errorf("the hunk at line %d has another number of lines than it says", at)
	}
	return h, nil
}

// apply applies the hunks to a text, exactly but perhaps at other lines, as jsdiff does.
func (f filePatch) apply(text string) (string, bool) {
	hunks := f.inLineEndsOf(text)
	lines := strings.Split(text, "\n")
	if len(hunks) == 0 {
		return text, true
	}
	lines, ok := lastLineEnd(lines, hunks[len(hunks)-1])
	if !ok {
		return "", false
	}
	var out []string
	from, offset := 0, 0
	for _, h := range hunks {
		want := h.oldStart + offset - 1
		if h.oldLines == 0 && want > len(lines) { // jsdiff fills the gap with empty lines
			return "", false
		}
		at, last, replaced := -1, 0, []string(nil)
		for try := range nearest(want, from, len(lines)-h.oldLines) {
			if replaced, last, ok = h.at(lines, try); ok {
				at = try
				break
			}
		}
		if at < 0 {
			return "", false
		}
		out = append(out, lines[min(from, at):at]...)
		out = append(out, replaced...)
		from, offset = last, at+1-h.oldStart
	}
	return strings.Join(append(out, lines[from:]...), "\n"), true
}

// at fits the hunk's lines to those of a text from a line on. It returns the lines that replace them, and the line that
// follows. Context at the end is left for the next hunk.
func (h hunk) at(lines []string, from int) (out []string, next int, ok bool) {
	if from < 0 || from > len(lines) {
		return nil, 0, false
	}
	next = from
	context := 0
	for _, line := range h.lines {
		op, rest := byte(' '), ""
		if line != "" {
			op, rest = line[0], line[1:]
		}
		if op == ' ' || op == '-' {
			if next == len(lines) || lines[next] != rest {
				return nil, 0, false
			}
			next++
		}
		switch op {
		case '-':
			context = 0
		case '+':
			out, context = append(out, rest), 0
		case ' ':
			out, context = append(out, rest), context+1
		}
	}
	return out[:len(out)-context], next - context, true
}

// nearest yields positions from the wanted one outwards, later ones first.
func nearest(want, least, most int) func(func(int) bool) {
	return func(yield func(int) bool) {
		if !yield(want) {
			return
		}
		for by := 1; want+by <= most || want-by >= least; by++ {
			if want+by <= most && !yield(want+by) || want-by >= least && !yield(want-by) {
				return
			}
		}
	}
}

// lastLineEnd adds or removes the line end of the last line if the last hunk asks for it. It returns false if that is
// impossible.
func lastLineEnd(lines []string, last hunk) ([]string, bool) {
	var removes, adds bool
	for i, line := range last.lines {
		if strings.HasPrefix(line, `\`) && i > 0 {
			removes = removes || strings.HasPrefix(last.lines[i-1], "+")
			adds = adds || strings.HasPrefix(last.lines[i-1], "-")
		}
	}
	ended := lines[len(lines)-1] == ""
	switch {
	case removes && adds:
		return lines, !ended
	case removes && ended:
		return lines[:len(lines)-1], true
	case adds && !ended:
		return append(slices.Clip(lines), ""), true
	}
	return lines, !removes && !adds
}

// inLineEndsOf returns the hunks with the line ends of a text, if both use one kind only.
func (f filePatch) inLineEndsOf(text string) []hunk {
	windows := strings.Contains(text, "\r\n") && strings.Count(text, "\r\n") == strings.Count(text, "\n")
	unix := strings.Contains(text, "\n") && !strings.Contains(text, "\r\n")
	some, all := false, true
	for _, h := range f.hunks {
		for i, line := range h.lines {
			has := strings.HasSuffix(line, "\r") && !strings.HasPrefix(line, `\`)
			some = some || has
			all = all && (has || h.endless(i))
		}
	}
	var change func(h hunk, i int) string
	switch {
	case windows && !some:
		change = func(h hunk, i int) string {
			if h.endless(i) {
				return h.lines[i]
			}
			return h.lines[i] + "\r"
		}
	case unix && some && all:
		change = func(h hunk, i int) string { return strings.TrimSuffix(h.lines[i], "\r") }
	default:
		return f.hunks
	}
	out := slices.Clone(f.hunks)
	for n, h := range out {
		out[n].lines = make([]string, len(h.lines))
		for i := range h.lines {
			out[n].lines[i] = change(h, i)
		}
	}
	return out
}

// endless reports whether a line of the hunk has no line end: a note about the line end, or the line before one.
func (h hunk) endless(i int) bool {
	return strings.HasPrefix(h.lines[i], `\`) || i+1 < len(h.lines) && strings.HasPrefix(h.lines[i+1], `\`)
}
