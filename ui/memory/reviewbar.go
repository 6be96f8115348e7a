package memory

import (
	"strconv"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
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
	dst = p.Put(dst, actors.ShortInferred(v.Actor, v.Inferred), th.Actor(string(v.Actor.Kind)))
	dst = p.Put(dst, m.ago(v), th.Dim)
	if r.prompt != "" {
		dst = p.Put(dst, " · ", th.Dim)
		dst = p.Clip(dst, "“"+r.prompt+"”", max(m.w/2, m.w-p.Used-40), th.Text)
	}
	rest := ""
	if r.others > 1 {
		rest += " · " + strconv.Itoa(r.others) + " changes since v" + strconv.Itoa(r.base.Number)
	}
	if v.Session != "" {
		rest += " · session " + draw.ShortID(string(v.Session), 8)
	}
	if v.ToolUse != "" {
		rest += " · call " + clipID(v.ToolUse)
	}
	if v.Turn > 0 {
		rest += " turn " + strconv.Itoa(v.Turn)
	}
	dst = p.Clip(dst, rest, m.w-p.Used, th.Dim)
	return p.Space(dst, m.w-p.Used)
}
