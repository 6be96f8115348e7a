package review

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/deciding"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/plan"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/textscreen"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
)

func held(r *row) bool { return r.held != nil }
func made(r *row) bool { return r.memory != nil }

// targets returns what a key decides about: in the list the chosen rows of a kind, as they were shown, or else the row under the
// cursor, which the diff is of.
func (p *Pane) targets(of func(*row) bool) (out []*row) {
	for i := range p.rows {
		if r, ok := p.chosen[p.rows[i].key()]; ok && of(&r) && !p.InDetail {
			out = append(out, &r)
		}
	}
	if r := p.current(); len(out) == 0 && r != nil && of(r) {
		out = append(out, r)
	}
	return out
}

// scope is a set of held changes that a person may decide about together.
type scope struct {
	key, label string
	rows       []*row
}

// scopes returns the sets that the row under the cursor belongs to, and that the caller may decide about. The first is what
// is chosen, or the row itself.
func (p *Pane) scopes(may func(*row) bool) []scope {
	targets := p.targets(held)
	out := []scope{{"y", "this one: " + targets[0].name(), targets}}
	if len(targets) > 1 {
		out[0].label = fmt.Sprintf("the %d that are chosen", len(targets))
	}
	of := targets[0].held
	add := func(key string, label func(n int) string, in func(*row) bool) {
		var rows []*row
		for i := range p.rows {
			if r := &p.rows[i]; r.held != nil && in(r) && may(r) {
				rows = append(rows, r)
			}
		}
		if len(rows) > 1 {
			out = append(out, scope{key, label(len(rows)), rows})
		}
	}
	inSession := func(r *row) bool { return r.held.By.Session == of.By.Session && of.By.Session != "" }
	add("s", func(n int) string {
		return fmt.Sprintf("the %d of session %s", n, draw.ShortID(string(of.By.Session), 8))
	}, inSession)
	add("+", func(n int) string { return fmt.Sprintf("the %d of its session that only add lines", n) },
		func(r *row) bool { return inSession(r) && onlyAdds(r.plan) })
	folder := of.Path.Dir()
	add("f", func(n int) string {
		if folder.IsRoot() {
			return fmt.Sprintf("the %d of the store", n)
		}
		return fmt.Sprintf("the %d below %s/", n, folder)
	}, func(r *row) bool { return r.held.Path.In(folder) })
	return out
}

// onlyAdds reports whether a plan only adds lines or memories.
func onlyAdds(p *vplan.Plan) bool {
	for _, it := range itemsOf(p) {
		if !it.Then.There() || it.Removed > 0 || it.Now.There() && it.Now.Path != it.Then.Path {
			return false
		}
	}
	return p != nil
}

// ready reports whether a held change can be accepted without another decision.
func ready(r *row) bool { return r.plan != nil && len(r.plan.Conflicts) == 0 }

// describe names the changes of a set: "#7 edit /a.md", or "12 changes".
func describe(rows []*row) string {
	if len(rows) > 1 {
		return fmt.Sprintf("%d changes", len(rows))
	}
	return fmt.Sprintf("%s: %s %s", rows[0].name(), rows[0].held.Kind.Verb(), target(rows[0].held))
}

// accept asks, and then accepts. A conflict is decided in the screen of plans.
func (p *Pane) accept(int) tea.Cmd {
	targets := p.targets(held)
	if len(targets) == 1 && !ready(targets[0]) {
		p.showPlan(*targets[0])
		return nil
	}
	text := "Accept " + describe(targets) + "?"
	if added, removed := linesOf(targets); added+removed > 0 {
		text = fmt.Sprintf("Accept %s (%s)?", describe(targets), draw.LineCounts(added, removed))
	}
	var options []screen.Option
	for _, s := range p.scopes(ready) {
		rows := copyRows(s.rows)
		options = append(options, screen.Option{Key: s.key, Label: s.label, Then: func() tea.Cmd { return p.acceptAll(rows) }})
	}
	return p.env.Do(screen.Choose{Title: "accept", Text: text, Fresh: true, Options: append(options, screen.Option{Key: "n", Label: "nothing"})})
}

func linesOf(rows []*row) (added, removed int) {
	for _, r := range rows {
		a, d := lines(r.plan)
		added, removed = added+a, removed+d
	}
	return added, removed
}

// copyRows copies rows, because those that are listed may change before the answer.
func copyRows(rows []*row) (out []row) {
	for _, r := range rows {
		out = append(out, *r)
	}
	return out
}

// outcome is what became of decisions about several changes.
type outcome struct {
	changes []versions.Change
	done    int
	stale   []row // have to be shown again
	decided []*versions.DecidedError
	err     error
}

// acceptAll accepts rows as they were shown.
func (p *Pane) acceptAll(rows []row) tea.Cmd {
	store, by := p.cfg.Store, p.cfg.By
	return p.decide("accept", rows, func(ctx context.Context, r row, o *outcome) error {
		if !ready(&r) {
			o.stale = append(o.stale, r)
			return nil
		}
		c, err := store.Apply(ctx, by, r.plan, nil)
		var conflicts *versions.ConflictsError
		var stale *versions.StalePlanError
		if errors.As(err, &stale) || errors.As(err, &conflicts) {
			o.stale = append(o.stale, r)
			return nil
		}
		if err == nil {
			o.changes = append(o.changes, c)
		}
		return err
	})
}

// decide decides about rows, one after the other, and says what became of them.
func (p *Pane) decide(verb string, rows []row, one func(context.Context, row, *outcome) error) tea.Cmd {
	p.applying = true
	finish := func(o outcome) tea.Msg { return screen.Then(func() tea.Cmd { return p.ended(verb, rows, o) }) }
	return p.env.Do(screen.Work{
		Doing: fmt.Sprintf("%s %s", verb, draw.Plural(len(rows), "change", "changes")),
		Keeps: true,
		Do: func(ctx context.Context) (tea.Msg, error) {
			o := outcome{}
			for _, r := range rows {
				err := one(ctx, r, &o)
				var decided *versions.DecidedError
				switch {
				case errors.As(err, &decided):
					o.decided = append(o.decided, decided)
				case err != nil:
					o.err = fmt.Errorf("%s %s: %s", verb, r.name(), wording.Why(err))
					return finish(o), nil
				default:
					o.done++
				}
			}
			o.done -= len(o.stale)
			return finish(o), nil
		},
	})
}

// ended reports decisions, and goes to what is left.
func (p *Pane) ended(verb string, rows []row, o outcome) tea.Cmd {
	p.applying = false
	for _, r := range rows {
		delete(p.chosen, r.key())
	}
	if len(o.stale) > 0 {
		p.goTo = o.stale[0].key()
	}
	var said []string
	past := map[string]string{"accept": "accepted", "reject": "rejected"}[verb]
	switch {
	case o.done == 1 && len(rows) == 1:
		said = append(said, past+" "+rows[0].name())
	case o.done > 0:
		said = append(said, past+" "+draw.Plural(o.done, "change", "changes"))
	}
	took := deciding.Took{Undone: p.backTo(rows[0].key())}
	for _, c := range o.changes {
		took.Changes = append(took.Changes, c.Number)
	}
	switch {
	case len(o.changes) > 0:
		took.What, took.But = said[0], notHeldAgain(len(o.changes))
		said[0] += " · " + p.env.Hint("global.undo") + " undoes that"
	case o.done > 0:
		took.What, took.But = said[0], "that can't be undone: the agent may have read it"
	}
	for i, r := range o.stale {
		if i == 3 {
			said = append(said, fmt.Sprintf("and %d more changed since", len(o.stale)-i))
			break
		}
		said = append(said, fmt.Sprintf("%s changed since it was shown: %s is shown again", r.held.Path, r.name()))
	}
	for i, d := range o.decided {
		if i == 3 {
			said = append(said, fmt.Sprintf("and %d more were decided", len(o.decided)-i))
			break
		}
		said = append(said, whoDecided(d))
	}
	if o.err != nil {
		said = append(said, o.err.Error())
	}
	p.notified = len(o.stale) > 0
	p.env.Do(took)
	p.decided()
	p.env.Do(screen.Notice{Text: strings.Join(said, "; "), Bad: len(o.stale)+len(o.decided) > 0 || o.err != nil})
	return p.load()
}

// decided says that less is held, and that what was accepted may be reviewed.
func (p *Pane) decided() {
	p.env.Do(screen.Decided{})
	p.env.Do(screen.ReviewChanged{})
}

// notHeldAgain is what the undo of n accepted changes leaves out.
func notHeldAgain(n int) string {
	if n > 1 {
		return "they don't wait again"
	}
	return "it doesn't wait again"
}

// whoDecided says who decided about a change before.
func whoDecided(d *versions.DecidedError) string {
	if d.State == versions.HeldErased {
		return d.Error()
	}
	return fmt.Sprintf("#%d was %s by %s already", d.Number, d.State, actors.Short(d.DecidedBy))
}

// showPlan shows the plan of a held change, where its conflicts are decided.
func (p *Pane) showPlan(r row) {
	store, h, n := p.cfg.Store, r.held, r.held.Number
	p.env.Do(screen.Show{Pane: plan.New(p.env, store, plan.Task{
		Doing: fmt.Sprintf("accept #%d: %s %s", n, h.Kind.Verb(), target(h)), Did: fmt.Sprintf("accepted #%d", n), By: p.cfg.By, Then: "held",
		Goal: vplan.Accept(n),
		After: func(c versions.Change) tea.Cmd {
			p.decided()
			p.env.Do(deciding.Took{What: fmt.Sprintf("accepted #%d", n), But: notHeldAgain(1), Changes: []int64{c.Number}, Undone: p.backTo(r.key())})
			return p.load()
		},
	})})
}

// reject asks for the reason to reject what is shown, or chosen. What was made already is undone.
func (p *Pane) reject(int) tea.Cmd {
	if len(p.targets(held)) == 0 {
		return p.undo(0)
	}
	scopes := p.scopes(func(*row) bool { return true })
	var wider func(string) tea.Cmd
	if len(scopes) > 1 {
		wider = func(reason string) tea.Cmd { return p.rejectMore(scopes, reason) }
	}
	return p.askReason(copyRows(scopes[0].rows), "", wider)
}

// rejectMore asks which of several sets to reject, for a reason that may be known already.
func (p *Pane) rejectMore(scopes []scope, reason string) tea.Cmd {
	var options []screen.Option
	for _, s := range append(scopes[1:len(scopes):len(scopes)], scopes[0]) {
		rows := copyRows(s.rows)
		options = append(options, screen.Option{Key: s.key, Label: s.label, Then: func() tea.Cmd { return p.askReason(rows, reason, nil) }})
	}
	return p.env.Do(screen.Choose{Title: "reject", Text: "Reject what? The reason is asked next.", First: true,
		Options: append(options, screen.Option{Key: "n", Label: "nothing"})})
}

func (p *Pane) askReason(rows []row, reason string, wider func(string) tea.Cmd) tea.Cmd {
	store, by := p.cfg.Store, p.cfg.By
	label := "reject " + rows[0].name()
	if len(rows) > 1 {
		label = "reject " + draw.Plural(len(rows), "change", "changes")
	}
	return p.env.Do(screen.Prompt{Label: label, Value: reason, Topic: "reject", Example: "why; the agent reads it", Wider: wider, Then: func(reason string) tea.Cmd {
		return p.decide("reject", rows, func(ctx context.Context, r row, _ *outcome) error {
			return store.Reject(ctx, by, r.held.Number, strings.TrimSpace(reason))
		})
	}})
}

// edit opens an editor on the held text, or on the memory. Saving a held text accepts the change with the person's text.
func (p *Pane) edit(int) tea.Cmd {
	r := *p.current()
	if r.held == nil {
		return p.editMade()
	}
	store, it := p.cfg.Store, itemsOf(r.plan)[0]
	return p.texts.Begin(p.env.Ctx, func(ctx context.Context) ([]byte, error) { return plan.Text(ctx, store, it) }, func(text []byte, err error) tea.Cmd {
		if err != nil {
			return p.env.Do(screen.Notice{Text: "edit " + r.name() + ": " + err.Error(), Bad: true})
		}
		planned := r.plan
		e := textscreen.New(p.env, textscreen.Config{
			Title: fmt.Sprintf("edit #%d, then accept: %s", r.held.Number, placeOf(it).Path),
			Note:  "Saving accepts the change with your text, in your name. " + p.env.Hint("editor.close") + " leaves it held.",
			Text:  text, Clip: p.cfg.Clip,
			Save: func(e *textscreen.Pane, text []byte) tea.Cmd { return p.acceptOwn(e, r, &planned, text) },
		})
		if p.detail.of == r.key() {
			e.GoTo(max(p.Diff.Line(), 1))
		}
		return p.env.Do(screen.Late{From: p, Request: screen.Show{Pane: e}})
	})
}

// acceptOwn accepts a change with the person's own text. If the memory has changed since it was shown, the
// editor stays, and the next save applies to the memory as it is then.
func (p *Pane) acceptOwn(e *textscreen.Pane, r row, planned **vplan.Plan, text []byte) tea.Cmd {
	type result struct {
		change versions.Change
		again  *vplan.Plan
		err    error
	}
	ctx, store, by, agreed := p.env.Ctx, p.cfg.Store, p.cfg.By, *planned
	own := map[versions.MemoryID]planning.Choice{}
	for _, it := range itemsOf(agreed) {
		own[it.Memory] = planning.Choice{Kind: planning.OwnText, Text: text}
	}
	return screen.Run(func() (out result) {
		out.change, out.err = store.Apply(ctx, by, agreed, own)
		var stale *versions.StalePlanError
		if errors.As(out.err, &stale) {
			if again, err := store.Plan(ctx, vplan.Accept(r.held.Number)); err == nil {
				out.again = again
			}
		}
		return out
	}, func(out result) tea.Cmd {
		var decided *versions.DecidedError
		switch {
		case out.again != nil:
			*planned = out.again
			return e.Refuse(fmt.Sprintf("Not saved: %s changed since it was shown. Save again to replace what is there now by your text.", r.held.Path), 0, 0)
		case errors.As(out.err, &decided):
			return tea.Batch(e.Refuse("Not saved: "+whoDecided(decided)+". Copy your text if you need it.", 0, 0), p.load())
		case out.err != nil:
			return e.Refuse("Not saved: "+wording.Why(out.err), 0, 0)
		}
		took := deciding.Took{What: fmt.Sprintf("accepted #%d with your text", r.held.Number), But: notHeldAgain(1), Changes: []int64{out.change.Number}, Undone: p.backTo(r.key())}
		p.env.Do(screen.Notice{Text: took.What + " · " + p.env.Hint("global.undo") + " undoes that"})
		p.env.Do(took)
		p.decided()
		return tea.Batch(e.Done(), p.load())
	})
}
