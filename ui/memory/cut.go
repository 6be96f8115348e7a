package memory

import "strconv"

// What of a MEMORY.md an agent gets to see when a session begins.
const (
	indexName   = "MEMORY.md"
	loadedLines = 200
	loadedBytes = 25 << 10
	cutLegend   = " an agent does not see what is below: "
	cutShort    = " not loaded below: "
)

// cutAt finds where a MEMORY.md is cut: at the first line that is not loaded as a
// whole. The lines are the first of the document.
func (d *document) cutAt(lines []string) {
	d.cut = -1
	if d.path.Base() != indexName || d.window.first != 0 {
		return
	}
	end := 1
	if d.index.crlf {
		end = 2
	}
	size := 0
	for i, s := range lines {
		size += len(s) + end
		last := i == len(lines)-1 && i == d.index.lines-1
		switch {
		case i == loadedLines:
			d.cut, d.cutBy = i, strconv.Itoa(loadedLines)+" lines"
			return
		case size > loadedBytes && !(last && size-end <= loadedBytes):
			d.cut, d.cutBy = i, "25 KB"
			return
		}
	}
}
