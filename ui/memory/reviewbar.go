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
	p := draw.NewRow(dst, m.w)
	p.Put("● ", th.Changed)
	if r.others == 0 {
		p.Put("changed since you reviewed it", th.Dim)
		return p.End()
	}
	v := r.newest
	did := map[versions.Operation]string{versions.Created: "created", versions.Modified: "changed", versions.Deleted: "deleted"}[v.Operation]
	p.Put(did+" by ", th.Dim)
	who := actors.ShortInferred(v.Actor, v.Inferred)
	if v.Actor.Kind == versions.Outside {
		who = "another program"
	}
	p.Put(who, th.Actor(string(v.Actor.Kind)))
	p.Put(m.ago(v), th.Dim)
	if s := actors.After(v.Inputs); s != "" && p.Used+text.Width(s)+3 <= m.w {
		p.Put(" · ", th.Dim)
		p.Put(s, th.Warn)
	}
	var rest []string
	if r.others > 1 {
		since := " changes, new"
		if r.pending.Since > 0 {
			since = " changes since v" + strconv.Itoa(r.pending.Since)
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
		p.Put(" · ", th.Dim)
		p.Clip("“"+r.prompt+"”", room, th.Text)
	}
	for _, s := range rest {
		if p.Used+text.Width(s)+3 <= m.w {
			p.Put(" · "+s, th.Dim)
		}
	}
	return p.End()
}

// minPrompt is how many columns of a prompt are shown before notes about its session.
const minPrompt = 24
