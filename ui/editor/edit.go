package editor

import "strings"

// insert replaces the selection with typed text.
func (d *document) insert(s string) {
	from, to, selected := d.selection()
	// A run of typing ends where a word begins, so that undo goes back by words.
	if selected || s != " " && d.cursor > 0 && d.text.slice(d.cursor-1, d.cursor) == " " {
		d.run = noRun
	}
	d.apply(from, to, s, typing)
}

// erase removes the selection, or the text between the cursor and to.
func (d *document) erase(to int) {
	a, b, selected := d.selection()
	kind := noRun
	if !selected {
		a, b, kind = min(d.cursor, to), max(d.cursor, to), erasing
	}
	if a < b {
		d.apply(a, b, "", kind)
	}
}

func (d *document) backspace() {
	k := d.text.lineOf(d.cursor)
	if n := d.cursor - d.text.lineStart(k); n > 0 && n <= len(d.text.leading(k)) && d.indent[0] == ' ' {
		// Inside the indentation, remove one step of it; only blanks.
		step := (n-1)%len(d.indent) + 1
		if d.text.slice(d.cursor-step, d.cursor) == strings.Repeat(" ", step) {
			d.erase(d.cursor - step)
			return
		}
	}
	d.erase(d.text.prev(d.cursor))
}

// tabKey indents the lines of a selection that has a line end, or else inserts an indentation.
func (d *document) tabKey() {
	first, last := d.touched()
	if from, to, _ := d.selection(); d.text.lineOf(from) == d.text.lineOf(to) {
		in := d.indent
		if in != "\t" {
			in = strings.Repeat(" ", len(in)-d.text.column(first, from)%len(in))
		}
		d.apply(from, to, in, noRun)
		return
	}
	d.eachLine(first, last, func(line string) string {
		if strings.TrimSpace(line) == "" {
			return line
		}
		return d.indent + line
	})
}

func (d *document) outdent() {
	first, last := d.touched()
	d.eachLine(first, last, func(line string) string {
		if len(line) > 0 && line[0] == '\t' {
			return line[1:]
		}
		n := 0
		for n < len(line) && n < max(len(d.indent), 2) && line[n] == ' ' {
			n++
		}
		return line[n:]
	})
}

// eachLine changes whole lines in one step and keeps them selected; the cursor of a single
// line stays at its text.
func (d *document) eachLine(first, last int, f func(line string) string) {
	from, to := d.text.lineStart(first), d.text.lineStart(last+1)
	var b strings.Builder
	for _, line := range d.text.lines[first : last+1] {
		b.WriteString(f(line))
	}
	old, out := d.text.slice(from, to), b.String()
	if old == out {
		return
	}
	_, _, selected := d.selection()
	cursor := max(from, d.cursor+len(out)-len(old))
	d.apply(from, to, out, noRun)
	if selected {
		d.anchor, d.cursor = from, from+len(out)
	} else {
		d.cursor = cursor
	}
	d.amend()
}

// newline breaks the line and indents the new one like the old. If mark bytes make it an item of
// a list, the new one begins with next; from an empty item it ends the list.
func (d *document) newline(mark int, next string) {
	from, to, selected := d.selection()
	k := d.text.lineOf(from)
	start, end, _ := d.text.line(k)
	switch {
	case mark > 0 && !selected && from == start+mark && from == end:
		d.apply(start, end, "", noRun)
		return
	case mark > 0 && from >= start+mark:
		d.apply(from, to, d.eol+next, noRun)
		return
	}
	lead := d.text.leading(k)
	lead = lead[:min(len(lead), from-start)]
	d.apply(from, to, d.eol+lead, noRun)
}

func (d *document) deleteLine() {
	from, to := d.wholeLines()
	if from == to && from > 0 { // the empty last line: include the line end before it
		d.erase(d.text.prev(d.cursor))
		return
	}
	if from < to {
		d.apply(from, to, "", noRun)
	}
}

func (d *document) put(s string) {
	if s == "" {
		return
	}
	from, to, _ := d.selection()
	d.apply(from, to, s, noRun)
}
