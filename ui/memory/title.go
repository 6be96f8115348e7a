package memory

import (
	"strconv"
	"strings"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// Title returns the path of the open memory and notes about it: first what is in progress,
// then what is unusual, then its size and the position. Notes for which there is no room
// are left out.
func (m *Pane) Title() (title, info string) {
	p := m.Path()
	if p.IsRoot() {
		return "memory", ""
	}
	title = p.String()
	if !m.shown() {
		return title, ""
	}
	if m.find.query != "" && m.w < minQuoted { // keep the end of a path that is cut
		title += " " + m.find.label(true)
	}
	const edge, least = 9, 10 // columns around a title, and its smallest width
	room := m.w - max(text.Width(title), least) - edge
	var parts []string
	for _, s := range m.facts() {
		if s == "" {
			continue
		}
		if len(parts) == 0 { // the first note may shorten the title
			clipped, w := text.ClipMore(nil, s, max(m.w-least-edge, 0))
			parts = append(parts, string(clipped))
			room -= w
			continue
		}
		w := text.Width(s) + 3 // " · "
		if w > room {
			continue
		}
		parts = append(parts, s)
		room -= w
	}
	return title, strings.Join(parts, " · ")
}

// minQuoted is the width from which the title quotes the search query, beside the number
// of hits.
const minQuoted = 48

// facts returns the notes for the title, the most important first.
func (m *Pane) facts() []string {
	d := m.doc
	var out []string
	out = append(out, m.sel.label(), m.blameLabel(), m.reviewLabel())
	if m.find.query != "" && m.w >= minQuoted {
		out = append(out, m.find.label(false))
	}
	out = append(out, d.findingsLabel())
	if d.hidden > 0 {
		out = append(out, strconv.Itoa(d.hidden)+" hidden")
	}
	if d.cut >= 0 {
		out = append(out, "cut at line "+strconv.Itoa(d.cut+1))
	}
	out = append(out, d.hooksLabel())
	if d.binary {
		out = append(out, "not UTF-8")
	}
	if d.bom {
		out = append(out, "BOM")
	}
	out = append(out, d.ends, m.lines())
	out = append(out, m.blameIDs()...)
	if m.head != nil && !m.blame.on {
		who := actors.ShortInferred(m.head.Actor, m.head.Inferred)
		if m.head.Actor.Kind == versions.Outside && m.head.Operation == versions.Created {
			who = "found" // the file may be older
		}
		out = append(out, "v"+strconv.Itoa(m.head.Number)+" "+strings.TrimSpace(who+" "+draw.Age(m.now, m.head.Time)))
	}
	out = append(out, draw.Bytes(d.size), draw.TokenCount(d.size))
	if !d.partial && len(d.text) > 0 && d.text[len(d.text)-1] != '\n' {
		out = append(out, "no newline at the end")
	}
	return out
}

// lines returns the number of lines and, while the pane has the focus, that of the cursor.
func (m *Pane) lines() string {
	d := m.doc
	lines := strconv.Itoa(len(d.lines))
	if d.partial {
		lines += "…"
	}
	if m.focused && len(d.lines) > 0 {
		return "line " + strconv.Itoa(m.cur.line+1) + " of " + lines
	}
	if len(d.lines) == 1 && !d.partial {
		return lines + " line"
	}
	return lines + " lines"
}
