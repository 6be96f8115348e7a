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
	if m.find.query != "" && m.text.w < minQuoted { // keep the end of a path that is cut
		title += " " + m.find.label(true)
	}
	const edge, least = 9, 10 // columns around a title, and its smallest width
	room := m.text.w - max(text.Width(title), least) - edge
	var parts []string
	for _, s := range m.facts() {
		if s == "" {
			continue
		}
		if len(parts) == 0 { // the first note may shorten the title
			clipped, w := text.ClipMore(nil, s, max(m.text.w-least-edge, 0))
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
	d := m.text.doc
	var out []string
	if m.text.sel.on {
		out = append(out, m.text.sel.count()+" selected")
	}
	out = append(out, m.blameLabel(), d.review.label())
	if m.find.query != "" && m.text.w >= minQuoted {
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
	out = append(out, d.ends)
	switch lines := d.count(); {
	case m.focused && len(d.lines) > 0:
		out = append(out, "line "+strconv.Itoa(m.Line())+" of "+lines)
	case lines == "1":
		out = append(out, "1 line")
	default:
		out = append(out, lines+" lines")
	}
	if m.text.blame.on {
		out = append(out, m.text.blame.lines.ids(m.text.cur.line)...)
	} else if m.head != nil {
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

// count returns the number of lines.
func (d *document) count() string {
	if d.partial {
		return strconv.Itoa(len(d.lines)) + "…"
	}
	return strconv.Itoa(len(d.lines))
}
