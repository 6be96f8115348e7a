package plan

import (
	"slices"
	"strings"

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
			return "there are no two texts to merge: choose now or before"
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
		return keys.Action[*Pane]{ID: id, Name: name, Keys: []string{key}, Why: (*Pane).optional, Do: func(p *Pane, _ int) tea.Cmd { return p.decide(k) }}
	}
	next := func(id, name, key string, d int) keys.Action[*Pane] {
		return keys.Action[*Pane]{ID: id, Name: name, Keys: []string{key}, Why: noConflicts, Do: func(p *Pane, _ int) tea.Cmd { return p.jump(1, d) }}
	}
	all := func(id, name, key string, k planning.ChoiceKind) keys.Action[*Pane] {
		return keys.Action[*Pane]{ID: id, Name: name, Keys: []string{key}, Why: noConflicts, Do: func(p *Pane, _ int) tea.Cmd { return p.chooseAll(k) }}
	}
	return keys.New("plan", bindings, append([]keys.Action[*Pane]{
		{ID: "apply", Writes: true, Name: "apply", Keys: []string{"a", "ctrl+s"}, Do: (*Pane).apply, Why: (*Pane).disabled},
		{ID: "reject", Writes: true, Name: "apply, and reject it…", Short: "apply and reject", Keys: []string{"-"}, Do: (*Pane).applyAndReject, Why: (*Pane).rejectDisabled},
		decide("now", "now", "n", planning.KeepOurs),
		decide("before", "before", "b", planning.TakeTheirs).While((*Pane).accepts, "held"),
		{ID: "include", Name: "leave out, or include", Short: "out or in", Keys: []string{"space"}, Why: (*Pane).optional, Do: (*Pane).toggle},
		{ID: "merge", Name: "merge by hand", Short: "merge", Keys: []string{"m"}, Why: textual, Do: (*Pane).merge},
		{ID: "back", Name: "leave it", Short: "leave", Keys: []string{"esc", "q"}, Do: (*Pane).back},
		next("next-conflict", "next conflict", "tab", 1),
		next("previous-conflict", "previous conflict", "shift+tab", -1),
		decide("leave-out", "leave out", "s", planning.Skip),
		all("all-now", "now for all that are left", "N", planning.KeepOurs),
		all("all-before", "before for all that are left", "B", planning.TakeTheirs).While((*Pane).accepts, "held for all that are left"),
		all("leave-all-out", "leave all conflicts out", "S", planning.Skip),
		{ID: "diff", Name: "view diff", Short: "look", Keys: []string{"enter", "l", "right"}, Why: listed, Do: (*Pane).toDiff},
		{ID: "open", Name: "open the memory", Short: "open", Keys: []string{"g o"}, Why: listed, Do: (*Pane).open},
	}, list.Moves((*Pane).moveBy, func(p *Pane) int { return p.places().list.H })...))
}

// accepts reports whether the plan is that of a held change: what is called before elsewhere is held.
func (p *Pane) accepts() bool { return p.then() != before }

// Keys lists the actions with their keys.
func Keys(bindings keys.Bindings) []keys.Entry { return planKeys(bindings).All() }

// through are the actions of the diff that also work in the list.
var through = []string{"diff.next-hunk", "diff.previous-hunk", "diff.more-context", "diff.less-context", "move.half-down", "move.half-up"}

// moves reports whether a key of the plan moves in the list, or to the diff: in the diff such
// keys belong to the diff. All other keys decide about the memory, wherever the focus is.
func moves(e keys.Entry) bool { return strings.HasPrefix(e.ID, "move.") || e.ID == "plan.diff" }

// Press handles a sequence of keys.
func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	own := p.keys.Entries(p)
	decides := slices.ContainsFunc(own, func(e keys.Entry) bool { return !moves(e) && keys.Bound(own, []string{e.ID}, seq) })
	if p.inDiff && !decides {
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

// deciding are the actions that decide a conflict. Hints omit them in other rows, where they only
// leave the row out or include it, as Space does.
var deciding = []string{"plan.now", "plan.before", "plan.leave-out"}

// Entries returns the actions that are available now. Those of the diff lack the keys that decide.
func (p *Pane) Entries() []keys.Entry {
	own := p.keys.Entries(p)
	if r := p.current(); r != nil && !r.conflict() {
		for i := range own {
			own[i].Hide = own[i].Hide || slices.Contains(deciding, own[i].ID)
		}
	}
	out := slices.DeleteFunc(slices.Clone(own), func(e keys.Entry) bool { return p.inDiff && moves(e) })
	if p.current() == nil {
		return out
	}
	for _, e := range p.diff.Entries() {
		if !p.inDiff && !slices.Contains(through, e.ID) {
			continue
		}
		e.Keys = slices.DeleteFunc(slices.Clone(e.Keys), func(key string) bool {
			return slices.ContainsFunc(own, func(o keys.Entry) bool { return (!p.inDiff || !moves(o)) && slices.Contains(o.Keys, key) })
		})
		out = append(out, e)
	}
	return out
}

func (p *Pane) moveBy(n int) tea.Cmd {
	p.step(n)
	return p.compare()
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
