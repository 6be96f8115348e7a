package review

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/split"
)

func reviewKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	return keys.New("review", bindings, append([]keys.Action[*Pane]{
		{ID: "accept", Writes: true, Name: "accept what is held…", Short: "accept", Keys: []string{"a"}, Why: (*Pane).acceptDisabled, Do: writing((*Pane).accept)},
		keys.Action[*Pane]{ID: "change.reviewed", Name: "keep it", Short: "keep", Why: (*Pane).madeDisabled, Do: (*Pane).keep}.
			While((*Pane).selecting, "keep lines"),
		keys.Action[*Pane]{ID: "change.reject", Writes: true, Name: "reject…, or undo it", Short: "reject", Why: (*Pane).rejectDisabled, Do: writing((*Pane).reject)}.
			Called(func(p *Pane) string {
				switch r := p.current(); {
				case p.selecting():
					return "undo lines"
				case r != nil && made(r):
					return "undo it"
				}
				return ""
			}),
		{ID: "list.next", Name: "next hunk", Why: (*Pane).rowDisabled, Do: func(p *Pane, _ int) tea.Cmd { return p.next(1) }},
		{ID: "list.previous", Name: "previous hunk", Why: (*Pane).rowDisabled, Do: func(p *Pane, _ int) tea.Cmd { return p.next(-1) }, Hide: true},
		{ID: "change.edit", Writes: true, Name: "edit the text, or the hunk", Short: "edit", Why: (*Pane).editDisabled, Do: writing((*Pane).edit)},
		{ID: "why", Name: "why it was changed", Short: "why", Keys: []string{"c"}, Why: (*Pane).whyDisabled, Do: (*Pane).explain},
		{ID: "list.choose", Why: (*Pane).chooseDisabled, Do: (*Pane).choose},
		{ID: "list.open", Name: "view diff", Short: "look", Why: (*Pane).rowDisabled, Do: (*Pane).toDiff},
		{ID: "list.range", Name: "select lines of a hunk", Why: (*Pane).rowDisabled, Do: (*Pane).selectLines, Hide: true},
		{ID: "list.in", Name: "to the diff", Why: (*Pane).rowDisabled, Do: (*Pane).toDiff, Hide: true},
		{ID: "list.next-memory", Why: (*Pane).severalDisabled, Do: func(p *Pane, _ int) tea.Cmd { return p.turn(1) }},
		{ID: "list.previous-memory", Why: (*Pane).severalDisabled, Do: func(p *Pane, _ int) tea.Cmd { return p.turn(-1) }, Hide: true},
		{ID: "change.undo-session", Writes: true, Short: "undo session", Why: (*Pane).sessionDisabled, Do: (*Pane).undoSession},
		{ID: "change.reviewed-all", Short: "keep all", Why: (*Pane).nothingMade, Do: func(p *Pane, _ int) tea.Cmd { return p.env.Do(screen.MarkAllReviewed{}) }},
		{ID: "change.open", Short: "open", Why: (*Pane).rowDisabled, Do: (*Pane).open},
		{ID: "screen.back", Short: "leave", Do: (*Pane).back},
	}, list.Moves((*Pane).MoveBy, (*Pane).Page)...))
}

// writing refuses an action if nothing can be written.
func writing(do func(*Pane, int) tea.Cmd) func(*Pane, int) tea.Cmd {
	return func(p *Pane, n int) tea.Cmd {
		if p.cfg.ReadOnly {
			return p.env.Do(screen.Notice{Text: "read-only: nothing is written", Bad: true})
		}
		return do(p, n)
	}
}

// Keys lists the actions with their keys.
func Keys(bindings keys.Bindings) []keys.Entry { return reviewKeys(bindings).All() }

// Press handles a sequence of keys.
func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	cmd, r := split.Press(p.Split, p, p.keys, seq, n)
	p.Fit() // another hunk may have other facts
	return cmd, r
}

// Entries returns the actions that are available now.
func (p *Pane) Entries() []keys.Entry {
	own := p.keys.Entries(p)
	if p.current() == nil {
		return own
	}
	out := p.Split.Entries(own)
	if p.selecting() {
		slices.SortStableFunc(out, func(a, b keys.Entry) int {
			return cmp.Compare(slices.Index(forLines, b.ID), slices.Index(forLines, a.ID))
		})
	}
	return out
}

// forLines are the actions that come first while lines are selected, the last of them first.
var forLines = []string{"selection.other-end", "change.reject", "change.reviewed"}

func (p *Pane) rowDisabled() string {
	if p.current() == nil {
		return "nothing is listed"
	}
	return ""
}

func (p *Pane) rejectDisabled() string {
	if len(p.targets(held)) == 0 && len(p.targets(made)) > 0 {
		return p.madeDisabled()
	}
	return p.heldDisabled()
}

// heldDisabled is for actions on what is held.
func (p *Pane) heldDisabled() string {
	switch {
	case p.applying:
		return "a decision is being applied"
	case len(p.targets(held)) > 0:
		return ""
	case p.current() == nil:
		return "nothing is listed"
	}
	return "it is done already: " + p.keys.Hint("change.reviewed") + " keeps it, " + p.keys.Hint("change.reject") + " undoes it"
}

func (p *Pane) acceptDisabled() string {
	if why := p.heldDisabled(); why != "" {
		return why
	}
	if rows := p.targets(held); len(rows) == 1 && rows[0].plan == nil {
		return "its text was redacted: " + p.keys.Hint("change.reject") + " rejects it"
	}
	return ""
}

func (p *Pane) editDisabled() string {
	r := p.current()
	switch {
	case r == nil:
		return p.heldDisabled()
	case p.applying:
		return "a decision is being applied"
	case r.memory != nil && p.unshown(r) != "":
		return p.unshown(r)
	case r.memory != nil && !p.detail.pending.Now.Exists:
		return "it is deleted: " + p.keys.Hint("change.reject") + " brings it back"
	case r.memory != nil && p.detail.pending.Decided():
		return "nothing is left to decide"
	case r.memory != nil:
		return ""
	case r.plan == nil:
		return "its text was redacted: " + p.keys.Hint("change.reject") + " rejects it"
	case len(r.plan.Conflicts) > 0:
		return "it conflicts: " + p.keys.Hint("accept") + " lets you decide"
	case r.memories() != 1 || !itemsOf(r.plan)[0].Then.There():
		return "there is no single text to edit"
	}
	return ""
}

// madeDisabled is for actions on what was changed.
func (p *Pane) madeDisabled() string {
	switch {
	case p.applying:
		return "a decision is being applied"
	case len(p.targets(made)) > 0:
		if r := p.targets(made)[0]; r.shown == nil {
			return p.unshown(r)
		}
		return ""
	case p.current() == nil:
		return "nothing is listed"
	}
	return "it is not done: " + p.keys.Hint("accept") + " accepts it, " + p.keys.Hint("change.reject") + " rejects it"
}

// unshown returns why a memory is not shown: what is not shown is not decided.
func (p *Pane) unshown(r *row) string {
	switch {
	case p.detail.of != r.key():
		return "it is being read"
	case p.detail.pending == nil:
		return "it can't be read"
	}
	return ""
}

func (p *Pane) nothingMade() string {
	if !slices.ContainsFunc(p.rows, func(r row) bool { return made(&r) }) {
		return "nothing is to be reviewed"
	}
	return ""
}

func (p *Pane) severalDisabled() string {
	if r := p.current(); r == nil || r.memories() < 2 {
		return "this row has one memory"
	}
	return ""
}

func (p *Pane) sessionDisabled() string {
	switch r := p.current(); {
	case p.Session() == "":
		return "it belongs to no session"
	case r.held != nil && p.detail.of == r.key() && p.detail.idle:
		return "its session has changed nothing that is in effect"
	}
	return ""
}

// Moved shows the change that the cursor has moved to.
func (p *Pane) Moved() tea.Cmd {
	p.memory, p.goTo = 0, ""
	p.Fit()
	return p.compare()
}

// turn shows the next memory of the row.
func (p *Pane) turn(by int) tea.Cmd {
	n := p.current().memories()
	p.memory = (min(p.memory, n-1) + by + n) % n
	return p.compare()
}

// chooseDisabled is for rows in the list: in the diff, a key decides what is shown there.
func (p *Pane) chooseDisabled() string {
	switch r := p.current(); {
	case r == nil:
		return "nothing is listed"
	case p.InDetail:
		return "it works in the list"
	case made(r) && !p.isChosen(r):
		return p.unshown(r)
	}
	return ""
}

func (p *Pane) isChosen(r *row) bool { _, ok := p.chosen[r.key()]; return ok }

// choose chooses the row under the cursor as it is shown, or not any more.
func (p *Pane) choose(int) tea.Cmd {
	r := *p.current()
	if p.isChosen(&r) {
		delete(p.chosen, r.key())
		return p.MoveBy(1)
	}
	if made(&r) {
		shown := p.detail
		r.shown = &shown
	}
	p.chosen[r.key()] = r
	return p.MoveBy(1)
}

func (p *Pane) toDiff(int) tea.Cmd {
	p.Focus(true)
	return nil
}

// selectLines goes to the diff and begins to select lines there, where the diff has the key itself.
func (p *Pane) selectLines(int) tea.Cmd {
	p.Focus(true)
	p.Diff.ToggleSelection() // there is none: the diff had no focus
	return nil
}

// selecting reports whether a decision is about selected lines.
func (p *Pane) selecting() bool {
	r := p.current()
	return r != nil && made(r) && p.InDetail && p.Diff.Selecting()
}

// back ends a selection of lines, then leaves the diff, then what is chosen, then the screen. From a memory, the diff is the screen.
func (p *Pane) back(int) tea.Cmd {
	switch {
	case p.InDetail && p.Diff.Deselect():
	case p.InDetail && p.cfg.At.Memory == "":
		p.Focus(false)
	case len(p.chosen) > 0:
		clear(p.chosen)
	default:
		return p.env.Do(screen.Back{})
	}
	return nil
}

func (p *Pane) open(int) tea.Cmd { return p.env.Do(screen.Open{Path: p.path()}) }

func (p *Pane) undoSession(int) tea.Cmd {
	return p.env.Do(screen.UndoSession{Session: p.Session()})
}
