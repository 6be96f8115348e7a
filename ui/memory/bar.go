package memory

import (
	"strconv"
	"time"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// topLine draws the line over the text: that it is only a part, or the finding of the cursor's line, else the review, else the first
// finding. It is also drawn while the next memory is being opened.
func (m *Pane) topLine(dst []byte) []byte {
	d, th := m.text.doc, m.env.Theme
	out := draw.NewRow(dst, m.text.w)
	here := d.findingIn(m.text.cur.line, m.text.cur.line+1)
	switch {
	case d.partial:
		note := "part of " + draw.Bytes(d.size)
		if m.focused { // the key works where the focus is
			note += ": " + m.keys.Hint("external-editor") + " opens it in your pager"
		}
		out.Put(note, th.Warn)
	case here != nil:
		findingBar(&out, here, th)
	case d.review != nil:
		d.review.bar(&out, th, m.now)
	case len(d.findings) > 0:
		findingBar(&out, &d.findings[0], th)
	}
	return out.End()
}

// bar draws the line that says who changed the memory since it was reviewed, and why.
func (r *review) bar(p *draw.Row, th *theme.Theme, now time.Time) {
	p.Put("● ", th.Changed)
	if r.others == 0 {
		p.Put("changed since you reviewed it", th.Dim)
		return
	}
	v := r.newest
	did := map[versions.Operation]string{versions.Created: "created", versions.Modified: "changed", versions.Deleted: "deleted"}[v.Operation]
	p.Put(did+" by ", th.Dim)
	p.Put(actors.InSentence(v.Actor, v.Inferred), th.Actor(string(v.Actor.Kind)))
	p.Put(ago(now, v), th.Dim)
	if s := actors.After(v.Inputs); s != "" && text.Width(s)+3 <= p.Left() {
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
		room := p.Left() - 3
		for _, s := range rest {
			if w := text.Width(s) + 3; room-w >= minPrompt {
				room -= w
			}
		}
		p.Put(" · ", th.Dim)
		p.Clip("“"+r.prompt+"”", room, th.Text)
	}
	for _, s := range rest {
		if text.Width(s)+3 <= p.Left() {
			p.Put(" · "+s, th.Dim)
		}
	}
}

// minPrompt is how many columns of a prompt are shown before notes about its session.
const minPrompt = 24
