package search

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
)

// replacing is the state of a replacement: the text to insert, and the hits that are
// excluded. The list shows the plan, with each hit before and after.
type replacing struct {
	with   draw.Input
	inWith bool // this field is being typed in, not the query

	query      versions.Query // that the plan is for
	plan       *plan.Plan     // nil before there is one
	exclusions map[versions.MemoryID]*exclusion
	planAgain  bool // it was replanned, because a memory changed meanwhile
	applying   bool // it is being applied
	pair       screen.Load[outcome]
	diff       *diffview.View
}

// exclusion describes what is excluded in a memory.
type exclusion struct {
	sha  versions.Hash // of the text that the hits refer to
	all  bool
	hits map[int]bool // by number, from 1
}

const (
	maxOfOne = 200  // hits of one memory that are listed
	maxOfAll = 5000 // of all memories
)

// listedPlan is a plan to replace, as it is listed.
type listedPlan struct {
	plan *plan.Plan
	rows []row
}

// outcome is what one memory becomes.
type outcome struct {
	doc  *diffview.Document
	hunk int
}

// openReplace asks for the text to replace hits with.
func (p *Pane) openReplace(int) tea.Cmd {
	p.repl = &replacing{exclusions: map[versions.MemoryID]*exclusion{}, diff: diffview.New(p.env.Theme, p.env.Keys), inWith: p.input.Value != ""}
	p.scope, p.rows, p.keys = Memories, nil, replaceKeys(p.env.Keys)
	p.problem, p.err = "", nil
	p.parts.SetDetail(p.repl.diff)
	return p.search()
}

// closeReplace returns to the search.
func (p *Pane) closeReplace(int) tea.Cmd {
	p.repl.pair.Stop()
	p.repl, p.rows, p.keys = nil, nil, searchKeys(p.env.Keys)
	p.problem, p.err = "", nil
	p.parts.SetDetail(p.preview)
	return p.search()
}

// replacement returns the content of both fields.
func (p *Pane) replacement() (plan.Replacement, bool) {
	q, ok := p.query()
	q.Lines, q.Limit = maxOfOne, maxOfAll
	return plan.Replacement{Query: q, With: p.repl.with.Value}, ok
}

// plan plans the replacement. The list stays until the result arrives.
func (p *Pane) plan() tea.Cmd {
	p.searches.Stop()
	r, ok := p.replacement()
	if !ok {
		p.plans.Stop()
		p.repl.plan = nil
		p.running, p.rows, p.err, p.problem = false, nil, nil, ""
		return p.Moved()
	}
	p.running = true
	store := p.store
	return p.plans.Begin(p.env.Ctx, func(ctx context.Context) (listedPlan, error) {
		plan, err := store.Plan(ctx, r)
		if err != nil {
			return listedPlan{plan: plan}, err
		}
		return listedPlan{plan, planRows(plan)}, nil
	}, func(made listedPlan, err error) tea.Cmd { return p.planned(r.Query, made, err) })
}

// planRows lists a plan: each memory with its hits, then what can't be replaced.
func planRows(plan *plan.Plan) (rows []row) {
	for i := range plan.Clean {
		it := &plan.Clean[i]
		rows = append(rows, row{heading: true, path: it.Now.Path, count: it.Hits, item: it})
		for n, h := range it.Replaced {
			rows = append(rows, row{path: it.Now.Path, item: it, hit: n + 1, line: h.Number, text: h.Text, cut: [2]bool{h.Before, h.After}, highlights: h.Spans, with: h.With})
		}
		if more := it.Hits - len(it.Replaced); more > 0 {
			rows = append(rows, row{note: true, text: "… and " + draw.Plural(more, "more hit", "more hits") + ", also included"})
		}
	}
	if len(plan.Skipped) == 0 {
		return rows
	}
	rows = append(rows, row{note: true, heading: true, text: "can't be replaced · " + draw.Plural(len(plan.Skipped), "file", "files")})
	for _, s := range plan.Skipped {
		rows = append(rows, row{note: true, text: s.Path.String() + ": " + whySkipped(s.Err)})
	}
	return rows
}

// whySkipped returns why a memory can't be replaced, without the operation.
func whySkipped(err error) string {
	var over *versions.LimitError
	if errors.As(err, &over) {
		return fmt.Sprintf("it would have %s, and may have %s", draw.Bytes(over.Bytes), draw.Bytes(over.Limit))
	}
	return err.Error()
}

func (p *Pane) planned(q versions.Query, made listedPlan, err error) tea.Cmd {
	p.running = false
	var bad *match.PatternError
	switch {
	case errors.As(err, &bad):
		p.problem = bad.Error()
		return nil
	case errors.Is(err, versions.ErrInvalid):
		p.problem = `look for one word, one "phrase in quotes" or a regular expression`
		return nil
	}
	re := p.repl
	again := re.plan != nil && re.query == q
	p.problem, p.err, p.rows = "", err, made.rows
	re.plan, re.query = made.plan, q
	if made.plan != nil {
		re.dropStaleExclusions(again)
	}
	if !again {
		p.parts.Cur, p.parts.Top = 0, 0
	}
	p.parts.Step(0)
	return p.Moved()
}

// dropStaleExclusions drops exclusions in texts that have changed.
func (re *replacing) dropStaleExclusions(again bool) {
	now := map[versions.MemoryID]versions.Hash{}
	for _, it := range re.plan.Clean {
		now[it.Memory] = it.Now.SHA256
	}
	maps.DeleteFunc(re.exclusions, func(m versions.MemoryID, out *exclusion) bool { return !again || now[m] != out.sha })
}

// excludedHits returns how many hits of a memory are excluded.
func (re *replacing) excludedHits(it *versions.PlanItem) int {
	out := re.exclusions[it.Memory]
	switch {
	case out == nil:
		return 0
	case out.all:
		return it.Hits
	}
	return len(out.hits)
}

// excludes reports whether a row is excluded.
func (re *replacing) excludes(r *row) bool {
	out := re.exclusions[r.item.Memory]
	return out != nil && (out.all || r.hit > 0 && out.hits[r.hit]) || re.excludedHits(r.item) == r.item.Hits
}

// toggleExcluded excludes or includes the hit or the memory at the cursor.
func (p *Pane) toggleExcluded(int) tea.Cmd {
	r, re := p.current(), p.repl
	out := re.exclusions[r.item.Memory]
	if out == nil {
		out = &exclusion{sha: r.item.Now.SHA256, hits: map[int]bool{}}
		re.exclusions[r.item.Memory] = out
	}
	switch was := re.excludes(r); {
	case r.hit == 0:
		out.all, out.hits = !was, map[int]bool{}
	case was && out.all: // include only this hit
		out.all = false
		for n := 1; n <= r.item.Hits; n++ {
			out.hits[n] = n != r.hit
		}
		delete(out.hits, r.hit)
	case was:
		delete(out.hits, r.hit)
	default:
		out.hits[r.hit] = true
	}
	if !out.all && len(out.hits) == 0 {
		delete(re.exclusions, r.item.Memory)
	}
	p.parts.Step(1)
	return p.Moved()
}

func (p *Pane) excludeDisabled() string {
	if r := p.current(); r == nil || r.item == nil {
		return "no hit is under the cursor"
	}
	return ""
}

// total returns how many hits are replaced, in how many memories.
func (re *replacing) total() (hits, memories int) {
	for i := range re.plan.Clean {
		it := &re.plan.Clean[i]
		if n := it.Hits - re.excludedHits(it); n > 0 {
			hits += n
			memories++
		}
	}
	return hits, memories
}

// applyDisabled returns why the plan can't be applied now.
func (p *Pane) applyDisabled() string {
	if !p.repl.inWith {
		return "" // the key moves to the other field instead
	}
	switch {
	case p.problem != "":
		return p.problem
	case p.running:
		return "it is being planned"
	case p.err != nil || p.repl.plan == nil:
		return "there is nothing to replace"
	case p.repl.applying:
		return "it is being replaced"
	}
	if hits, _ := p.repl.total(); hits == 0 {
		return "there is nothing to replace"
	}
	return ""
}

// apply applies the plan as one change; in the query field it moves to the replacement
// instead. Without a replacement it asks first, because that deletes every hit.
func (p *Pane) apply(int) tea.Cmd {
	re := p.repl
	if !re.inWith {
		re.inWith = true
		return nil
	}
	if re.with.Value != "" {
		return p.applyPlan()
	}
	hits, memories := re.total()
	what := draw.Plural(hits, "hit", "hits") + " in " + draw.Plural(memories, "memory", "memories")
	return p.env.Do(screen.Choose{Title: "replace with nothing", Text: "Delete “" + re.query.Text + "”: " + what + "?", Undoes: true, Options: []screen.Option{
		{Key: "y", Label: "delete", Then: func() tea.Cmd {
			if p.repl != re || p.applyDisabled() != "" {
				return nil
			}
			return p.applyPlan()
		}},
		{Key: "n", Label: "keep"},
	}})
}

func (p *Pane) applyPlan() tea.Cmd {
	re := p.repl
	re.applying = true
	hits, memories := re.total()
	store, by, plan, choices := p.store, p.by, re.plan, re.choices()
	return p.env.Do(screen.Act{
		Did: fmt.Sprintf("replaced “%s” with “%s”: %s in %s", re.query.Text, re.with.Value,
			draw.Plural(hits, "hit", "hits"), draw.Plural(memories, "memory", "memories")),
		Do: func(ctx context.Context) (versions.Change, error) { return store.Apply(ctx, by, plan, choices) },
		Done: func(_ versions.Change, err error) tea.Msg {
			return screen.Then(func() tea.Cmd {
				if p.repl != re {
					return nil
				}
				return p.applied(err)
			})
		},
	})
}

// choices returns the exclusions, for the plan.
func (re *replacing) choices() map[versions.MemoryID]planning.Choice {
	out := map[versions.MemoryID]planning.Choice{}
	for m, left := range re.exclusions {
		if left.all {
			out[m] = planning.Choice{Kind: planning.Skip}
			continue
		}
		c := planning.Choice{Kind: planning.SomeHits}
		for _, n := range slices.Sorted(maps.Keys(left.hits)) {
			c.Except = append(c.Except, n-1)
		}
		out[m] = c
	}
	return out
}

// applied leaves the screen when all is done; after a conflict it plans again.
func (p *Pane) applied(err error) tea.Cmd {
	p.repl.applying = false
	var stale *versions.StalePlanError
	switch {
	case err == nil:
		return p.env.Do(screen.Drop{Pane: p})
	case errors.As(err, &stale):
		p.repl.planAgain = true
		return p.search()
	}
	return nil
}

// replaceTitle returns what is replaced, and how much of it.
func (p *Pane) replaceTitle() (name, info string) {
	name = "replace"
	if p.regexp {
		name += " (regexp)"
	}
	re := p.repl
	switch {
	case p.problem != "":
		return name, strings.TrimPrefix(p.problem, "regular expression: ")
	case p.running:
		return name, "planning…"
	case re.plan == nil:
		return name, ""
	}
	hits, memories := re.total()
	all := 0
	for i := range re.plan.Clean {
		all += re.plan.Clean[i].Hits
	}
	info = draw.Plural(all, "hit", "hits")
	if hits < all {
		info = fmt.Sprintf("%d of %s", hits, info)
	}
	info += " in " + draw.Plural(memories, "memory", "memories")
	if n := len(re.plan.Skipped); n > 0 {
		info += fmt.Sprintf(" · %d can't be", n)
	}
	if re.planAgain {
		info = "planned again · " + info
	}
	return name, info
}
