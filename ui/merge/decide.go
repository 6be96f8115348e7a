package merge

import (
	"strconv"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/versions/diff"
)

// step is what one key decided; undo reverts it as a whole.
type step []change

type change struct {
	part          int
	before, after decision
}

// decide decides the change under the cursor.
func (p *Pane) decide(d decision) {
	if i := p.cur; i >= 0 {
		p.do(step{{i, p.m.parts[i].decision, d}})
	}
}

func (p *Pane) pick(k pick) { p.decide(decision{pick: k}) }

// both takes both sides, theirs first; a second call takes mine first.
func (p *Pane) both() {
	if p.cur >= 0 && p.m.parts[p.cur].pick == theirsFirst {
		p.pick(mineFirst)
		return
	}
	p.pick(theirsFirst)
}

// first returns the default decision for a part.
func (x *region) first() decision {
	switch x.kind {
	case diff.MergeConflict:
		return decision{}
	case diff.MergeOurs, diff.MergeBoth:
		return decision{pick: takeMine}
	}
	return decision{pick: takeTheirs}
}

// rest decides all undecided conflicts.
func (p *Pane) rest(k pick) {
	var s step
	for i := range p.m.parts {
		if x := &p.m.parts[i]; x.pick == open {
			s = append(s, change{i, x.decision, decision{pick: k}})
		}
	}
	p.do(s)
}

func (p *Pane) do(s step) {
	changed := s[:0:0]
	for _, c := range s {
		if c.before != c.after {
			changed = append(changed, c)
		}
	}
	if len(changed) == 0 {
		return
	}
	p.done = append(p.done, changed)
	p.set(changed, func(c change) decision { return c.after })
}

func (p *Pane) undo() {
	n := len(p.done) - 1
	s := p.done[n]
	p.done = p.done[:n]
	p.set(s, func(c change) decision { return c.before })
	p.goTo(s[0].part)
}

func (p *Pane) set(s step, to func(change) decision) {
	p.decided++
	for _, c := range s {
		p.m.parts[c.part].decision = to(c)
	}
	p.left = p.m.left()
	p.m.number()
	p.board.lay()
	p.draw()
}

// Reasons why an action is disabled.

func (p *Pane) noChange() string {
	if p.cur < 0 {
		return "nothing was changed"
	}
	return ""
}

func (p *Pane) noBoth() string {
	if !p.m.there[theirs] || !p.m.there[mine] {
		return "one of them is deleted"
	}
	return p.noChange()
}

func (p *Pane) noBase() string {
	if !p.m.there[base] {
		return p.baseDisabled()
	}
	return p.noChange()
}

func (p *Pane) baseDisabled() string {
	if p.in.BaseLost {
		return "the common text is not known any more"
	}
	return "there is no common text"
}

func (p *Pane) noUndo() string {
	if len(p.done) == 0 {
		return "nothing was decided"
	}
	return ""
}

func (p *Pane) noRest() string {
	if p.left == 0 {
		return "every conflict is decided"
	}
	return ""
}

func (p *Pane) noSave() string {
	switch p.left {
	case 0:
		return ""
	case 1:
		return "1 conflict is not decided"
	}
	return strconv.Itoa(p.left) + " conflicts are not decided"
}

// about returns how many conflicts are left.
func (p *Pane) about() string {
	switch {
	case p.m.conflicts == 0:
		return "no conflict"
	case p.left == 0:
		return draw.Plural(p.m.conflicts, "conflict", "conflicts") + ", all decided"
	case p.w < longFrom:
		return strconv.Itoa(p.left) + " of " + strconv.Itoa(p.m.conflicts) + " left"
	}
	return strconv.Itoa(p.left) + " of " + draw.Plural(p.m.conflicts, "conflict", "conflicts") + " left"
}
