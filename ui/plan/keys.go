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
			return "there are no two texts to merge: choose now or " + p.then()
		}
		return ""
	}
	listed := func(p *Pane) string {
		if p.current() == nil {
			return "nothing is listed"
		}
		return ""
	}
	decide := func(id, name string, k planning.ChoiceKind) keys.Action[*Pane] {
		return keys.Action[*Pane]{ID: id, Name: name, Why: (*Pane).optional, Do: func(p *Pane, _ int) tea.Cmd { return p.decide(k) }}
	}
	next := func(id string, d int) keys.Action[*Pane] {
		return keys.Action[*Pane]{ID: id, Why: noConflicts, Do: func(p *Pane, _ int) tea.Cmd { return p.jump(1, d) }}
	}
	all := func(id, name string, k planning.ChoiceKind, seqs ...string) keys.Action[*Pane] {
		return keys.Action[*Pane]{ID: id, Name: name, Keys: seqs, Why: noConflicts, Do: func(p *Pane, _ int) tea.Cmd { return p.chooseAll(k) }}
	}
	return keys.New("plan", bindings, append([]keys.Action[*Pane]{
		{ID: "change.apply", Writes: true, Name: "apply", Do: (*Pane).apply, Why: (*Pane).disabled},
		{ID: "change.reject", Writes: true, Name: "apply, and reject it…", Short: "apply and reject", Do: (*Pane).applyAndReject, Why: (*Pane).rejectDisabled},
		decide("conflict.now", "", planning.KeepOurs),
		decide("conflict.before", "", planning.TakeTheirs).While((*Pane).accepts, "held"),
		{ID: "list.choose", Name: "leave out, or include", Short: "out or in", Why: (*Pane).optional, Do: (*Pane).toggle},
		{ID: "merge", Name: "merge by hand", Short: "merge", Keys: []string{"m"}, Why: textual, Do: (*Pane).merge},
		{ID: "screen.back", Short: "leave", Do: (*Pane).back},
		next("conflict.next", 1),
		next("conflict.previous", -1),
		all("conflict.all-now", "", planning.KeepOurs),
		all("conflict.all-before", "", planning.TakeTheirs).While((*Pane).accepts, "held for all that are left"),
		all("leave-all-out", "leave all conflicts out", planning.Skip, "S"),
		{ID: "list.open", Name: "view diff", Short: "look", Why: listed, Do: (*Pane).toDiff},
		{ID: "list.in", Name: "to the diff", Why: listed, Do: (*Pane).toDiff, Hide: true},
		{ID: "change.open", Short: "open", Why: listed, Do: (*Pane).open},
	}, list.Moves((*Pane).MoveBy, (*Pane).Page)...))
}

// accepts reports whether the plan applies a held change. Its labels then say "held" instead of "before".
func (p *Pane) accepts() bool { return p.then() != before }

// Keys lists the actions with their keys.
func Keys(bindings keys.Bindings) []keys.Entry { return planKeys(bindings).All() }

// Press handles a sequence of keys.
func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	return split.Press(p.Split, p, p.keys, seq, n)
}

// deciding are the actions that decide a conflict. Hints omit them in other rows, where they only
// leave the row out or include it, as Space does.
var deciding = []string{"conflict.now", "conflict.before"}

// Entries returns the actions that are available now. Those of the diff lack the keys that decide.
func (p *Pane) Entries() []keys.Entry {
	own := p.keys.Entries(p)
	if r := p.current(); r != nil && !r.conflict() {
		for i := range own {
			own[i].Hide = own[i].Hide || slices.Contains(deciding, own[i].ID)
		}
	}
	if p.accepts() { // the help says what the line of hints says
		for i := range own {
			if own[i].ID == "conflict.before" || own[i].ID == "conflict.all-before" {
				own[i].Name = own[i].Short
			}
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
	if p.InDetail {
		p.Focus(false)
		return nil
	}
	if p.plan == nil && p.err == nil {
		return tea.Batch(p.env.Do(screen.Back{}), p.env.Do(screen.Notice{Text: "cancelled: " + p.task.Doing + " · nothing was changed"}))
	}
	return p.env.Do(screen.Back{})
}

func (p *Pane) toDiff(int) tea.Cmd {
	if p.current() != nil {
		p.Focus(true)
	}
	return nil
}

func (p *Pane) open(int) tea.Cmd {
	r := p.current()
	if r == nil || !r.item.Now.There() {
		return p.env.Do(screen.Notice{Text: "this memory does not exist now", Bad: true})
	}
	return p.env.Do(screen.Open{Path: r.item.Now.Path})
}
