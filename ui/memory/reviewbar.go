package memory

import (
	"strconv"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// minRowsWithBar is the height from which the line about the review is shown.
const minRowsWithBar = 6

// reviewBar draws the line that says who changed the memory since it was reviewed, and why.
func (m *Pane) reviewBar(dst []byte) []byte {
	r, th := m.doc.review, m.env.Theme
	p := draw.Pen{W: m.w}
	dst = p.Put(dst, "● ", th.Changed)
	if r.others == 0 {
		dst = p.Put(dst, "changed since you reviewed it", th.Dim)
		return p.Space(dst, m.w-p.Used)
	}
	v := r.last
	did := map[versions.Operation]string{versions.Created: "created", versions.Modified: "changed", versions.Deleted: "deleted"}[v.Operation]
	dst = p.Put(dst, did+" by ", th.Dim)
	who := actors.ShortInferred(v.Actor, v.Inferred)
	if v.Actor.Kind == versions.Outside {
		who = "another program"
	}
	dst = p.Put(dst, who, th.Actor(string(v.Actor.Kind)))
	dst = p.Put(dst, m.ago(v), th.Dim)
	if s := actors.After(v.Inputs); s != "" && p.Used+text.Width(s)+3 <= m.w {
		dst = p.Put(dst, " · ", th.Dim)
		dst = p.Put(dst, s, th.Warn)
	}
	var rest []string
	if r.others > 1 {
		since := " changes, new"
		if r.base.Number > 0 {
			since = " changes since v" + strconv.Itoa(r.base.Number)
		}
		rest = append(rest, strconv.Itoa(r.others)+since)
	}
	if v.Session != "" {
		rest = append(rest, "session "+draw.ShortID(string(v.Session), 8))
	}
	if v.ToolUse != "" {
		call := "call " + clipID(v.ToolUse)
		if v.Turn > 0 {
			call += " turn " + strconv.Itoa(v.Turn)
		}
		rest = append(rest, call)
	}
	if r.prompt != "" {
		room := m.w - p.Used - 3
		for _, s := range rest {
			if w := text.Width(s) + 3; room-w >= minPrompt {
				room -= w
			}
		}
		dst = p.Put(dst, " · ", th.Dim)
		dst = p.Clip(dst, "“"+r.prompt+"”", room, th.Text)
	}
	for _, s := range rest {
		if p.Used+text.Width(s)+3 <= m.w {
			dst = p.Put(dst, " · "+s, th.Dim)
		}
	}
	return p.Space(dst, m.w-p.Used)
}

// minPrompt is how many columns of a prompt are shown before notes about its session.
const minPrompt = 24
