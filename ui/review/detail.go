package review

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/plan"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/planning"
)

// detail is what is shown of a row besides its facts.
type detail struct {
	of     string // the key of the row
	title  string
	doc    *diffview.Document
	prompt string
}

// compare reads the diff of the row under the cursor.
func (p *Pane) compare() tea.Cmd {
	p.details.Stop()
	r := p.current()
	if r == nil {
		p.detail = detail{}
		p.Diff.Show(diffview.Note(""))
		return nil
	}
	store, prompt, of, session, at := p.cfg.Store, p.cfg.Prompt, *r, p.Session(), p.memory
	return p.details.Begin(p.env.Ctx, func(ctx context.Context) (d detail, _ error) {
		d.of = of.key()
		d.title, d.doc = document(ctx, store, of, at)
		if session != "" && prompt != nil {
			d.prompt = strings.Join(strings.Fields(prompt(session)), " ")
		}
		return d, nil
	}, func(d detail, _ error) tea.Cmd {
		p.detail = d
		p.Diff.Show(d.doc)
		p.Fit()
		return nil
	})
}

// document returns the diff of one memory of a row, and its title.
func document(ctx context.Context, store Store, r row, at int) (title string, doc *diffview.Document) {
	n := r.memories()
	if n == 0 {
		return "", diffview.Note("Can't be shown: its text is gone.")
	}
	at = min(at, n-1)
	var path string
	if r.held != nil {
		it := itemsOf(r.plan)[at]
		title, doc = plan.Compare(ctx, store, it, planning.Choice{}, "held")
		path = placeOf(it).Path.String()
	} else {
		m := r.act.memories[at]
		path, title = m.last.Path.String(), "before → after"
		doc = split.Effect(ctx, store, m.first, m.last)
	}
	if n > 1 {
		title = fmt.Sprintf("%d of %d · %s", at+1, n, path)
	}
	return title, doc
}

// placeOf returns where a memory is, or will be.
func placeOf(it versions.PlanItem) versions.Place {
	if it.Then.There() {
		return it.Then
	}
	return it.Now
}

// Facts returns the rows about the change under the cursor, the most important first.
func (p *Pane) Facts() []split.Fact {
	r := p.current()
	if r == nil {
		return nil
	}
	if r.held != nil {
		return p.heldFacts(r)
	}
	return p.actFacts(r.act)
}

func (p *Pane) heldFacts(r *row) (out []split.Fact) {
	th, h := p.env.Theme, r.held
	add := func(s string, st theme.Style) {
		if s != "" {
			out = append(out, split.Fact{Text: s, Style: st})
		}
	}
	what := fmt.Sprintf("%s %s wants to %s %s", r.name(), actors.Short(h.By.Actor), h.Kind, target(h))
	if n := r.memories(); n > 1 {
		what += " (" + draw.Plural(n, "memory", "memories") + ")"
	}
	if added, removed := lines(r.plan); added+removed > 0 {
		what += "  " + draw.LineCounts(added, removed)
	}
	add(what, th.Strong)
	switch {
	case r.plan == nil:
		add("its text was redacted: it can't be accepted", th.Warn)
	case len(r.plan.Conflicts) > 0:
		add("the memory changed since in the same lines: "+p.keys.Hint("accept")+" lets you decide", th.Warn)
	case len(r.plan.Merged) > 0:
		add("the memory changed since: both changes are merged", th.Warn)
	case r.plan.Empty():
		add("the memory is like that already", th.Dim)
	}
	if h.Earlier != nil {
		why := fmt.Sprintf("brings back text that was rejected as #%d", h.Earlier.Number)
		if h.Earlier.Reason != "" {
			why += ": " + h.Earlier.Reason
		}
		add(why, th.Warn)
	}
	add(actors.ExternalInputs(h.Inputs), th.Warn)
	add(p.promptFact(), th.Text)
	who := []string{}
	if h.By.Door != versions.NoDoor {
		who = append(who, "through "+h.By.Door.String())
	}
	who = append(who, draw.Ago(p.now, h.Time))
	call := strings.Join(append(who, callOf(h.By.Session, h.By.ToolUse, h.By.Turn)...), " · ")
	out = append(out, split.Fact{Text: call, Style: th.Dim, OneRow: true})
	switch first, _, _ := strings.Cut(h.Rule, " "); {
	case first == "hold": // as each rule that holds begins
		add("held by the rule: "+h.Rule, th.Dim)
	case h.Rule != "": // a conflict, or what forbids it
		add("held because: "+strings.TrimPrefix(h.Rule, "/memories"), th.Dim)
	}
	return out
}

func (p *Pane) actFacts(a *act) (out []split.Fact) {
	th := p.env.Theme
	add := func(s string, st theme.Style) {
		if s != "" {
			out = append(out, split.Fact{Text: s, Style: st})
		}
	}
	what := actors.ShortInferred(a.actor, a.inferred)
	if a.actor.Kind == versions.Outside {
		what = "another program"
	}
	if len(a.memories) == 1 {
		what += " " + split.Did(a.memories[0].first, a.memories[0].last) + " " + a.memories[0].last.Path.String()
	} else {
		what += " changed " + draw.Plural(len(a.memories), "memory", "memories")
	}
	add(what, th.Strong)
	if n := a.deleted(); n > 0 && len(a.memories) > 1 {
		st := th.Dim
		if a.loss {
			st = th.Warn
		}
		add("deleted "+draw.Plural(n, "memory", "memories")+": "+p.keys.Hint("change.undo")+" undoes that", st)
	}
	if a.pinned != nil {
		add(a.pinned.Path.String()+" is pinned, and its file was written all the same: "+p.keys.Hint("change.undo")+" undoes that", th.Warn)
	}
	if a.unclaimed() {
		add("nobody claims it: the folder was changed directly", th.Warn)
	}
	add(actors.ExternalInputs(a.inputs), th.Warn)
	add(p.promptFact(), th.Text)
	parts := []string{draw.Ago(p.now, a.newest.Time)}
	if n := len(a.changes); n > 1 {
		parts = append(parts, strconv.Itoa(n)+" changes")
	} else {
		parts = append(parts, "change #"+strconv.FormatInt(a.changes[0], 10))
	}
	parts = append(parts, callOf(a.session, a.newest.ToolUse, a.newest.Turn)...)
	return append(out, split.Fact{Text: strings.Join(parts, " · "), Style: th.Dim, OneRow: true})
}

// target names what a held change is about.
func target(h *versions.Held) string {
	if h.Kind == versions.KindRename {
		return h.Path.String() + " → " + h.To.String()
	}
	return h.Path.String()
}

func (p *Pane) promptFact() string {
	if r := p.current(); p.detail.prompt == "" || p.detail.of != r.key() {
		return ""
	}
	return "“" + p.detail.prompt + "”"
}

// callOf names a session and a call in it. The id of the call is last: it is what is cut first.
func callOf(session versions.SessionID, call string, turn int) (out []string) {
	if session != "" {
		out = append(out, "session "+draw.ShortID(string(session), 8))
	}
	if call != "" {
		id, _ := text.ClipMore(nil, call, 16)
		if turn > 0 {
			out = append(out, "turn "+strconv.Itoa(turn))
		}
		out = append(out, "call "+string(id))
	}
	return out
}
