package merge

import (
	"slices"

	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/versions/drafts"
	"github.com/memend/memend/versions/ids"
)

// What was decided can be written down and taken up again, by this screen or by one
// that a later run of the program makes of the same texts.

// State is what was decided at a moment. Two are equal when nothing was decided or
// typed between them.
type State struct {
	pane    *Pane
	decided int
	hunk    int
	typed   editor.Snapshot
}

// State is what is decided now; it costs nothing.
func (p *Pane) State() State {
	s := State{pane: p, decided: p.decided}
	if p.hunk != nil {
		s.hunk, s.typed = p.hunk.id, p.hunk.Snapshot()
	}
	return s
}

// pickNames are the words that picks are written down as.
var pickNames = [...]string{
	open: "open", takeTheirs: "theirs", takeMine: "mine", takeBase: "before",
	theirsFirst: "theirs-first", mineFirst: "mine-first", ownText: "own",
}

// Decided is what was decided otherwise than it is at first, with what is typed into
// a change right now. Its texts must not be written to. nil is nothing.
func (p *Pane) Decided(theirs ids.Hash) *drafts.Merge {
	m := &drafts.Merge{Theirs: theirs, Parts: len(p.m.parts)}
	for i := range p.m.parts {
		x := &p.m.parts[i]
		d := x.decision
		if p.hunk != nil && p.hunk.part == i && p.hunk.Dirty() {
			d = decision{ownText, newLines(p.hunk.Content())}
		}
		if d == x.first() {
			continue
		}
		pick := drafts.Pick{Part: i, Pick: pickNames[d.pick]}
		if d.pick == ownText {
			pick.Text = d.own.text
		}
		m.Picks = append(m.Picks, pick)
	}
	if len(m.Picks) == 0 {
		return nil
	}
	return m
}

// Decide takes up what was decided of the same texts; undo takes it back, one change
// at a time. It reports false, and does nothing, when that can't be of these texts.
func (p *Pane) Decide(m *drafts.Merge) bool {
	if m.Parts != len(p.m.parts) {
		return false
	}
	var steps []step
	for _, d := range m.Picks {
		k := slices.Index(pickNames[:], d.Pick)
		if k < 0 || d.Part < 0 || d.Part >= len(p.m.parts) || !isChange(&p.m.parts[d.Part]) || (pick(k) == ownText) != (d.Text != nil) {
			return false
		}
		after := decision{pick: pick(k)}
		if d.Text != nil {
			after.own = newLines(d.Text)
		}
		steps = append(steps, step{{d.Part, p.m.parts[d.Part].decision, after}})
	}
	for _, s := range steps {
		p.do(s)
	}
	if i := p.next(-1, 1, isOpen); i >= 0 {
		p.goTo(i)
	}
	return true
}
