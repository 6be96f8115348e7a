package merge

import (
	"slices"

	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/versions/drafts"
	"github.com/memend/memend/versions/ids"
)

// Decisions can be saved and applied again, by this screen or by one that is opened later for
// the same texts.

// State identifies a state of the decisions. Two states are equal if nothing was decided or
// typed in between.
type State struct {
	pane    *Pane
	decided int
	hunk    int
	typed   editor.Snapshot
}

// State returns the current state; it costs nothing.
func (p *Pane) State() State {
	s := State{pane: p, decided: p.decided}
	if p.hunk != nil {
		s.hunk, s.typed = p.hunk.id, p.hunk.Snapshot()
	}
	return s
}

// pickNames are the saved names of picks.
var pickNames = [...]string{
	open: "open", takeTheirs: "theirs", takeMine: "mine", takeBase: "base",
	theirsFirst: "theirs-first", mineFirst: "mine-first", ownText: "own",
}

// Decided returns the decisions that differ from the defaults, including the text in an open
// editor, or nil if there are none. Its texts must not be modified.
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
			pick.Text = d.typed.text
		}
		m.Picks = append(m.Picks, pick)
	}
	if len(m.Picks) == 0 {
		return nil
	}
	return m
}

// Decide applies saved decisions for the same texts; undo reverts them one change at a time.
// If they can't be for these texts, it returns false and does nothing.
func (p *Pane) Decide(m *drafts.Merge) bool {
	if m.Parts != len(p.m.parts) {
		return false
	}
	var steps []step
	for _, d := range m.Picks {
		k := slices.Index(pickNames[:], d.Pick)
		if k < 0 || d.Part < 0 || d.Part >= len(p.m.parts) || !isChange(&p.m.parts[d.Part]) || (pick(k) == ownText) != (d.Text != nil) ||
			pick(k) == takeBase && !p.m.there[base] {
			return false
		}
		after := decision{pick: pick(k)}
		if d.Text != nil {
			after.typed = newLines(d.Text)
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
