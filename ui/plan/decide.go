package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/planning"
)

// choose decides one conflict and moves to the next undecided one.
func (p *Pane) choose(m versions.MemoryID, c planning.Choice) tea.Cmd {
	p.choices[m] = c
	if p.undecided() == 0 {
		return p.compare()
	}
	return p.jump(0, 1)
}

// decide decides the row under the cursor. In a row without a conflict, the current text stays if
// the memory is left out, and the earlier one comes back otherwise.
func (p *Pane) decide(k planning.ChoiceKind) tea.Cmd {
	r := p.current()
	if r.conflict() {
		return p.choose(r.item.Memory, planning.Choice{Kind: k})
	}
	if k == planning.KeepOurs || k == planning.Skip {
		p.choices[r.item.Memory] = planning.Choice{Kind: planning.Skip}
	} else {
		delete(p.choices, r.item.Memory)
	}
	p.Step(1)
	return p.compare() // also in the last row: the choice changed
}

// toggle leaves the row under the cursor out, or includes it.
func (p *Pane) toggle(int) tea.Cmd {
	m := p.current().item.Memory
	if p.choices[m].Kind == planning.Skip {
		delete(p.choices, m)
	} else {
		p.choices[m] = planning.Choice{Kind: planning.Skip}
	}
	p.Step(1)
	return p.compare() // also in the last row: the choice changed
}

// optional returns why the row under the cursor can't be left out.
func (p *Pane) optional() string {
	switch r := p.current(); {
	case r == nil:
		return "nothing is listed"
	case !r.optional():
		return "nothing happens to it"
	}
	return ""
}

// jump moves to the nearest conflict in direction d, an undecided one if there is one, beginning
// at a distance from the cursor. It wraps around at the ends.
func (p *Pane) jump(from, d int) tea.Cmd {
	left := p.undecided()
	for i := from; i < from+len(p.rows); i++ {
		at := ((p.Cur+i*d)%len(p.rows) + len(p.rows)) % len(p.rows)
		if r := &p.rows[at]; r.conflict() && (left == 0 || p.choices[r.item.Memory].Kind == planning.Undecided) {
			p.Step(at - p.Cur)
			break
		}
	}
	return p.compare()
}

// chooseAll decides all undecided conflicts, or all conflicts if none is undecided.
func (p *Pane) chooseAll(k planning.ChoiceKind) tea.Cmd {
	left := p.undecided()
	for _, it := range p.plan.Conflicts {
		if left == 0 || p.choices[it.Memory].Kind == planning.Undecided {
			p.choices[it.Memory] = planning.Choice{Kind: k}
		}
	}
	return p.compare()
}

func (p *Pane) undecided() int {
	n := 0
	if p.plan != nil {
		for _, it := range p.plan.Conflicts {
			if p.choices[it.Memory].Kind == planning.Undecided {
				n++
			}
		}
	}
	return n
}

func noConflicts(p *Pane) string {
	if p.plan == nil || len(p.plan.Conflicts) == 0 {
		return "there are no conflicts"
	}
	return ""
}

// disabled returns why the plan can't be applied now.
func (p *Pane) disabled() string {
	n := p.undecided()
	switch {
	case p.plan == nil && p.err == nil:
		return "it is being planned"
	case p.err != nil:
		return "there is no plan"
	case p.applying:
		return "it is being applied"
	case p.plan.Empty():
		return "there is nothing to do"
	case n > 0:
		return draw.Plural(n, "conflict is", "conflicts are") + " not decided: " + p.keys.Hint("conflict.now") + " takes now, " + p.keys.Hint("conflict.before") + " " + p.then() + ", " + p.keys.Hint("list.choose") + " leaves out"
	case len(p.plan.Others) == 0 && !slices.ContainsFunc(p.rows, func(r row) bool { return r.optional() && p.choices[r.item.Memory].Kind != planning.Skip }):
		return "everything is left out: " + p.keys.Hint("list.choose") + " includes a memory"
	}
	return ""
}

// apply applies the plan as one change.
func (p *Pane) apply(int) tea.Cmd { return p.applyThen(nil) }

func (p *Pane) rejectDisabled() string {
	if p.task.Reject == nil {
		return "only what is undone can be rejected"
	}
	return p.disabled()
}

// applyAndReject asks for a reason, and applies the plan so that what it undoes stays rejected.
func (p *Pane) applyAndReject(int) tea.Cmd {
	return p.env.Do(screen.Prompt{Label: p.task.Doing + " and reject it", Topic: "reject", Example: "why; the agent reads it", Then: func(reason string) tea.Cmd {
		if p.rejectDisabled() != "" { // it is planned again
			return p.env.Do(screen.Notice{Text: "nothing was changed: the plan is made again", Bad: true})
		}
		reject := p.task.Reject
		return p.applyThen(func(ctx context.Context, c versions.Change) error {
			if err := reject(ctx, c.Number, strings.TrimSpace(reason)); err != nil {
				return fmt.Errorf("undone, but not rejected: %w", err)
			}
			return nil
		})
	}})
}

// applyThen applies the plan. then is called with the change that did; it may be nil.
func (p *Pane) applyThen(then func(context.Context, versions.Change) error) tea.Cmd {
	p.applying = true
	store, by, plan := p.store, p.task.By, p.plan
	choices := make(map[versions.MemoryID]planning.Choice, len(p.choices))
	for _, r := range p.rows { // an earlier plan may have had others
		if c, ok := p.choices[idOf(r)]; ok {
			choices[r.item.Memory] = c
		}
	}
	return p.env.Do(screen.Act{
		Doing: p.task.Doing,
		Did:   p.task.Did,
		Do: func(ctx context.Context) (versions.Change, error) {
			c, err := store.Apply(ctx, by, plan, choices)
			if err == nil && then != nil {
				err = then(ctx, c)
			}
			return c, err
		},
		Done: func(c versions.Change, err error) tea.Msg {
			return screen.Then(func() tea.Cmd { return p.applied(c, err) })
		},
	})
}

// idOf returns the memory of a row; empty if it has none.
func idOf(r row) versions.MemoryID {
	if r.item == nil {
		return ""
	}
	return r.item.Memory
}

// applied leaves the screen if the plan was applied completely. If the plan is outdated or was
// applied in part, it plans again and keeps the decisions.
func (p *Pane) applied(c versions.Change, err error) tea.Cmd {
	p.applying = false
	var stale *versions.StalePlanError
	var partly *versions.PartlyError
	switch {
	case err == nil:
		p.env.Do(screen.Drop{Pane: p})
		if p.task.After != nil {
			return p.task.After(c)
		}
		return nil
	case errors.As(err, &partly): // the rest can be continued
		p.partly = withDone(p.partly, partly)
		return p.Start()
	case errors.As(err, &stale):
		p.stale = true
		return p.Start()
	}
	return nil
}

// withDone adds what earlier attempts have done: a plan may need several.
func withDone(before, now *versions.PartlyError) *versions.PartlyError {
	if before == nil {
		return now
	}
	sum := *now
	sum.Done = slices.Concat(before.Done, now.Done)
	return &sum
}

// merge requests a manual merge of a conflict.
func (p *Pane) merge(int) tea.Cmd {
	it := *p.current().item
	req := screen.Merge{Path: it.Now.Path, Base: []byte{}, MineIs: p.then(), Done: func(text []byte) tea.Cmd {
		return p.choose(it.Memory, planning.Choice{Kind: planning.OwnText, Text: text})
	}}
	for _, region := range it.Merge.Regions {
		req.Base = append(req.Base, region.Base...)
		req.Theirs = append(req.Theirs, region.Ours...)
		req.Mine = append(req.Mine, region.Theirs...)
	}
	return p.env.Do(req)
}

// choiceLabel returns the name of a decision.
func choiceLabel(c planning.Choice, then string) string {
	switch c.Kind {
	case planning.Skip:
		return "left out"
	case planning.KeepOurs:
		return "now"
	case planning.TakeTheirs:
		return then
	case planning.OwnText:
		return "own text"
	}
	return "decide"
}

// Title returns what is planned and its state.
func (p *Pane) Title() (name, info string) {
	name = p.task.Doing
	if p.plan == nil {
		return name, ""
	}
	var facts []string // what the user has to know first
	switch {
	case p.applying:
		facts = append(facts, "being applied")
	case p.partly != nil:
		facts = append(facts, fmt.Sprintf("%d of %d done, a continues", len(p.partly.Done), len(p.partly.Done)+len(p.partly.Left)))
	}
	if p.stale {
		facts = append(facts, "planned again")
	}
	if n := p.undecided(); n > 0 {
		facts = append(facts, fmt.Sprintf("%d to decide", n))
	}
	return name, strings.Join(facts, " · ")
}
