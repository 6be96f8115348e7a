package plan

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/split"
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
		{ID: "back", In: "change", Name: "leave it", Short: "leave", Keys: []string{"esc", "q"}, Do: (*Pane).back},
		next("next-conflict", "next conflict", "tab", 1),
		next("previous-conflict", "previous conflict", "shift+tab", -1),
		decide("leave-out", "leave out", "s", planning.Skip),
		all("all-now", "now for all that are left", "N", planning.KeepOurs),
		all("all-before", "before for all that are left", "B", planning.TakeTheirs).While((*Pane).accepts, "held for all that are left"),
		all("leave-all-out", "leave all conflicts out", "S", planning.Skip),
		{ID: "diff", In: "change", Name: "view diff", Short: "look", Keys: []string{"enter", "l", "right"}, Why: listed, Do: (*Pane).toDiff},
		{ID: "open", Name: "open the memory", Short: "open", Keys: []string{"g o"}, Why: listed, Do: (*Pane).open},
	}, list.Moves((*Pane).MoveBy, (*Pane).Page)...))
}

// accepts reports whether the plan is that of a held change: what is called before elsewhere is held.
func (p *Pane) accepts() bool { return p.then() != before }

// Keys lists the actions with their keys.
func Keys(bindings keys.Bindings) []keys.Entry { return planKeys(bindings).All() }

// Press handles a sequence of keys.
func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	return split.Press(p.Split, p, p.keys, seq, n)
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
	if p.current() == nil {
		return own
	}
	return p.Split.Entries(own)
}

// Moved compares what the cursor has moved to.
func (p *Pane) Moved() tea.Cmd { return p.compare() }

// back leaves the diff, then the screen, which cancels planning.
func (p *Pane) back(int) tea.Cmd {
	if p.InDiff {
		p.Focus(false)
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
		p.Focus(true)
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
