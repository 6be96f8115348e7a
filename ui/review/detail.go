package review

import (
	"context"
	"fmt"
	"slices"
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
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/planning"
	vreview "github.com/memend/memend/versions/review"
)

// detail is what is shown of a row besides its facts.
type detail struct {
	of      string // the key of the row
	title   string
	doc     *diffview.Document
	prompts map[versions.SessionID]string // the first one of each session that wrote it
	idle    bool                          // nothing that the session of the held change did is in effect

	pending *vreview.Pending     // what is to be decided of a memory; nil if it can't be read
	hunks   []vreview.Hunk       // of it
	by      [][]versions.Version // who wrote each hunk, newest first; nil if that is unknown
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
	store, prompt, of, session, at, me := p.cfg.Store, p.cfg.Prompt, *r, r.session(), p.memory, p.cfg.By.Actor
	return p.details.Begin(p.env.Ctx, func(ctx context.Context) (d detail, _ error) {
		d.of = of.key()
		if of.held != nil {
			d.title, d.doc = document(ctx, store, of, at)
			d.idle = session != "" && idle(ctx, store, session)
		} else {
			d.read(ctx, store, of.memory, me)
		}
		if prompt == nil {
			return d, nil
		}
		sessions := []versions.SessionID{session}
		for _, v := range slices.Concat(d.by...) {
			sessions = append(sessions, v.Session)
		}
		d.prompts = map[versions.SessionID]string{}
		for _, s := range sessions {
			if _, known := d.prompts[s]; s != "" && !known {
				d.prompts[s] = strings.Join(strings.Fields(prompt(s)), " ")
			}
		}
		return d, nil
	}, func(d detail, _ error) tea.Cmd {
		was, at := p.detail, p.hunk
		p.detail, p.hunk = d, 0
		if was.of == d.of {
			if was.pending != nil && d.pending != nil && was.pending.Was.Same(d.pending.Was) && was.pending.Now.Same(d.pending.Now) {
				return nil // what is shown stays where it is
			}
			if at == 0 {
				at, _ = p.Diff.Hunk()
			}
		}
		p.Diff.Show(d.doc)
		line := p.cfg.At.Line
		if line > 0 {
			at, p.cfg.At.Line = d.hunkAt(line), 0
		}
		if at > 0 {
			p.Diff.Select(at)
		}
		p.Diff.Point(line)
		p.Fit()
		return nil
	})
}

// idle reports whether a session has nothing to undo: it changed nothing, or all of it was undone.
func idle(ctx context.Context, store Store, session versions.SessionID) bool {
	list, _, err := store.Sessions(ctx, versions.SessionFilter{ID: session}, "", 1)
	return err == nil && (len(list) == 0 || list[0].Undone == list[0].Changes)
}

// read reads what is to be decided of a memory.
func (d *detail) read(ctx context.Context, store Store, m *vreview.Written, me versions.Actor) {
	of, err := store.Pending(ctx, m.Last().Memory, me)
	if err != nil {
		d.doc = diffview.Note("Can't be shown: " + wording.Why(err))
		return
	}
	d.pending, d.hunks, d.title = &of, of.Hunks(), "reviewed → now"
	if d.by, err = store.HunkWriters(ctx, of); err != nil {
		d.by = nil // the hunks are shown without it
	}
	switch {
	case of.Decided():
		d.doc = diffview.Note("Nothing is left to decide.")
	case of.Was.Redacted:
		d.doc = diffview.Note("What you had reviewed of it is redacted, so it is not known what changed since: read it, and keep it.")
	case of.Was.Same(of.Now) && of.Now.Exists:
		d.doc = diffview.Note("It was changed, and changed back: it is what you reviewed.")
	case of.Was.Same(of.Now):
		d.doc = diffview.Note("It was created and deleted since your last review.")
	case of.Renamed() && of.Diff().Identical():
		d.doc = diffview.Note("Renamed from " + of.Was.Path.String() + ": the text stays as it is.")
	default:
		d.doc = diffview.Compare(of.Path().String(), of.Was.Text, of.Now.Text)
	}
	if of.Renamed() {
		d.title = of.Was.Path.String() + " → " + of.Now.Path.String()
		if !of.Diff().Identical() {
			d.doc = d.doc.Headed("Renamed from " + of.Was.Path.String())
		}
	}
}

// hunkAt returns the index of the hunk at a line of the memory, from 1, or of the next one.
func (d *detail) hunkAt(line int) int {
	i := 0
	for _, h := range d.hunks {
		if e := h.Part.Edit; h.Kind == vreview.Renamed || h.Kind == vreview.Edited && max(e.New+e.NewLines, e.New+1) < line {
			i++
		}
	}
	return i
}

// document returns the diff of one memory of a held change, and its title.
func document(ctx context.Context, store Store, r row, at int) (title string, doc *diffview.Document) {
	n := r.memories()
	if n == 0 {
		return "", diffview.Note("Can't be shown: its text is gone.")
	}
	at = min(at, n-1)
	it := itemsOf(r.plan)[at]
	if title, doc = plan.Proposed(it, "held"); doc == nil {
		title, doc = plan.Compare(ctx, store, it, planning.Choice{}, "held")
	}
	if n > 1 {
		title = fmt.Sprintf("%d of %d · %s", at+1, n, placeOf(it).Path.String())
		if it.Clash != planning.ClashNone {
			title = "conflict · " + title
		}
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
		return append(p.heldFacts(r), p.whyFacts()...)
	}
	return append(p.madeFacts(r.act, r.memory), p.whyFacts()...)
}

func (p *Pane) heldFacts(r *row) (out []split.Fact) {
	th, h := p.env.Theme, r.held
	add := func(s string, st theme.Style) {
		if s != "" {
			out = append(out, split.Fact{Text: s, Style: st})
		}
	}
	what := fmt.Sprintf("%s %s wants to %s %s", r.name(), actors.Short(h.By.Actor), h.Kind.Verb(), target(h))
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
		add("it conflicts with what changed since: "+p.keys.Hint("accept")+" lets you decide", th.Warn)
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

func (p *Pane) madeFacts(a *act, m *vreview.Written) (out []split.Fact) {
	th := p.env.Theme
	add := func(s string, st theme.Style) {
		if s != "" {
			out = append(out, split.Fact{Text: s, Style: st})
		}
	}
	v, others := p.writer()
	first, who := m.First(), a.who()
	if p.InDetail {
		first, who = v, actors.InSentence(v.Actor, v.Inferred)
	}
	if others {
		who += " and others"
	}
	add(who+" "+split.Did(first, v)+" "+m.Path().String()+counts(m), th.Strong)
	switch m.Risk {
	case vreview.Finding:
		add("it "+m.Why+": the guard found it", th.Warn)
	case vreview.Contradicts:
		add("it contradicts what is pinned in "+m.Pinned, th.Warn)
	case vreview.OverPin:
		add("it is pinned, and was changed all the same", th.Warn)
	}
	if a.unclaimed() {
		add("nobody claims it: the folder was changed directly", th.Warn)
	}
	add(actors.ExternalInputs(m.Inputs()), th.Warn)
	add(p.promptFact(), th.Text)
	change := "change #"
	if first.Change != v.Change || others {
		change = "last change #" // a hunk may be of an earlier one
	}
	parts := append([]string{draw.Ago(p.now, v.Time), change + strconv.FormatInt(v.Change, 10)}, callOf(v.Session, v.ToolUse, v.Turn)...)
	return append(out, split.Fact{Text: strings.Join(parts, " · "), Style: th.Dim, OneRow: true})
}

// counts says how many hunks are left of a memory, if there are several.
func counts(m *vreview.Written) string {
	if m.Hunks < 2 {
		return ""
	}
	return fmt.Sprintf("  %d hunks", m.Hunks)
}

// target names what a held change is about.
func target(h *versions.Held) string {
	if h.Kind == versions.KindRename {
		return h.Path.String() + " → " + h.To.String()
	}
	return h.Path.String()
}

func (p *Pane) promptFact() string {
	if prompt := p.detail.prompts[p.Session()]; prompt != "" && p.detail.of == p.current().key() {
		return "“" + prompt + "”"
	}
	return ""
}

// writer returns the version that wrote the current hunk, in the diff, or else the newest of the memory, and whether others wrote the
// hunk, too.
func (p *Pane) writer() (v versions.Version, others bool) {
	r := p.current()
	i, _ := p.Diff.Hunk()
	if !p.InDetail || p.detail.of != r.key() || i < 0 || i >= len(p.detail.by) || len(p.detail.by[i]) == 0 {
		return r.memory.Last(), false
	}
	by := p.detail.by[i]
	return by[0], slices.ContainsFunc(by, func(v versions.Version) bool { return v.Session != by[0].Session || v.Actor != by[0].Actor })
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
