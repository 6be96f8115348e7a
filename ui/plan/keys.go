package plan

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions/planning"
)

func planKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	conflict := func(p *Pane) string {
		if r := p.current(); r == nil || r.item.Clash == planning.ClashNone {
			return "this is no conflict"
		}
		return ""
	}
	textual := func(p *Pane) string {
		if why := conflict(p); why != "" {
			return why
		}
		if m := p.current().item.Merge; m == nil || len(m.Regions) == 0 {
			return "there are no two texts to merge: keep, take or skip"
		}
		return ""
	}
	listed := func(p *Pane) string {
		if p.current() == nil {
			return "nothing is listed"
		}
		return ""
	}
	decide := func(id, name, key string, k planning.ChoiceKind) keys.Action[*Pane] {
		return keys.Action[*Pane]{ID: id, Name: name, Keys: []string{key}, Why: conflict, Do: func(p *Pane, _ int) tea.Cmd {
			return p.choose(p.current().item.Memory, planning.Choice{Kind: k})
		}}
	}
	all := func(id, name, key string, k planning.ChoiceKind) keys.Action[*Pane] {
		return keys.Action[*Pane]{ID: id, Name: name, Keys: []string{key}, Why: noConflicts, Do: func(p *Pane, _ int) tea.Cmd { return p.chooseAll(k) }}
	}
	return keys.New("plan", bindings, append([]keys.Action[*Pane]{
		{ID: "apply", Writes: true, Name: "apply", Keys: []string{"a", "ctrl+s"}, Do: (*Pane).apply, Why: (*Pane).disabled},
		decide("keep", "keep current", "o", planning.KeepOurs),
		decide("take", "take old", "t", planning.TakeTheirs),
		decide("skip", "leave out", "s", planning.Skip),
		{ID: "merge", Name: "merge by hand", Short: "merge", Keys: []string{"m"}, Why: textual, Do: (*Pane).merge},
		{ID: "back", Name: "leave it", Short: "leave", Keys: []string{"esc", "q"}, Do: (*Pane).back},
		all("keep-all", "keep all", "O", planning.KeepOurs),
		all("take-all", "take all", "T", planning.TakeTheirs),
		all("skip-all", "leave all conflicts out", "S", planning.Skip),
		{ID: "diff", Name: "view diff", Short: "look", Keys: []string{"enter", "l", "right"}, Why: listed, Do: (*Pane).toDiff},
		{ID: "open", Name: "open the memory", Short: "open", Keys: []string{"g o"}, Why: listed, Do: (*Pane).open},
	}, list.Moves(func(p *Pane, by int) tea.Cmd { p.step(by); return p.compare() }, func(p *Pane) int { return p.places().list.H })...))
}

// Keys lists the actions with their keys.
func Keys(bindings keys.Bindings) []keys.Entry { return planKeys(bindings).All() }

// through are the actions of the diff that also work in the list, and kept the actions of the
// plan that also work in the diff.
var (
	through = []string{"diff.next-hunk", "diff.previous-hunk", "diff.more-context", "diff.less-context", "move.half-down", "move.half-up"}
	kept    = []string{"plan.back", "plan.apply"}
)

// Press handles a sequence of keys.
func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	if p.inDiff && !keys.Bound(p.keys.Entries(p), kept, seq) {
		if cmd, r := p.diff.Press(seq, n); r != keys.None {
			return cmd, r
		}
	}
	if cmd, r := p.keys.Press(p, seq, n); r != keys.None {
		return cmd, r
	}
	if keys.Bound(p.diff.Entries(), through, seq) {
		return p.diff.Press(seq, n)
	}
	return nil, keys.None
}

// Entries returns the actions that are available now.
func (p *Pane) Entries() []keys.Entry {
	out := slices.DeleteFunc(p.keys.Entries(p), func(e keys.Entry) bool { return p.inDiff && e.ID == "plan.diff" })
	for _, e := range p.diff.Entries() {
		if p.current() == nil {
			break
		}
		if p.inDiff || slices.Contains(through, e.ID) {
			out = append(out, e)
		}
	}
	return out
}

// back leaves the diff, then the screen, which cancels planning.
func (p *Pane) back(int) tea.Cmd {
	if p.inDiff {
		p.inDiff = false
		p.fit()
		return nil
	}
	if p.plan == nil && p.err == nil {
		return tea.Batch(p.env.Ask(screen.Back{}), p.env.Ask(screen.Notice{Text: "cancelled: " + p.task.Doing + " · nothing was changed"}))
	}
	return p.env.Ask(screen.Back{})
}

func (p *Pane) toDiff(int) tea.Cmd {
	if p.current() != nil {
		p.inDiff = true
		p.fit()
	}
	return nil
}

func (p *Pane) open(int) tea.Cmd {
	r := p.current()
	if r == nil || !r.item.Now.There() {
		return p.env.Ask(screen.Notice{Text: "this memory does not exist now", Bad: true})
	}
	return p.env.Ask(screen.Open{Path: r.item.Now.Path})
}
