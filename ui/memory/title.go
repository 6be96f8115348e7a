package memory

import (
	"strconv"
	"strings"

	"github.com/memtrail/memtrail/ui/draw"
)

// Title names the open memory and says how large it is and where in it one is.
func (m *Pane) Title() (title, info string) {
	p := m.Path()
	if p.IsRoot() {
		return "memory", ""
	}
	title = p.String()
	d := m.doc
	if d == nil || d.why != "" {
		return title, ""
	}
	var parts []string
	if m.query != "" {
		parts = append(parts, m.searchLabel())
	}
	if d.hidden > 0 {
		parts = append(parts, strconv.Itoa(d.hidden)+" hidden")
	}
	if d.binary {
		parts = append(parts, "not UTF-8")
	}
	if d.index.crlf {
		parts = append(parts, "CRLF")
	}
	lines := strconv.Itoa(d.index.lines)
	if !d.index.done {
		lines += "…"
	}
	if d.index.lines > m.h {
		lines = strconv.Itoa(min(m.top.line+m.h, d.index.lines)) + "/" + lines
	}
	parts = append(parts, lines+" lines", draw.Bytes(d.size))
	return title, strings.Join(parts, " · ")
}

func (m *Pane) searchLabel() string {
	n := strconv.Itoa(len(m.hits))
	if m.hunts {
		n += "…"
	}
	if m.hitNow >= 0 {
		n = strconv.Itoa(m.hitNow+1) + "/" + n
	}
	return "“" + m.query + "” " + n
}
