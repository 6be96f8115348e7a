package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/engine"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
	"github.com/memend/memend/versions/review"
)

// planFlags holds the flags of commands that make a plan first.
type planFlags struct {
	dryRun   bool
	conflict string
	reject   *string // the reason; nil: nothing is rejected
}

func (f *planFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the plan, and change nothing")
	cmd.Flags().StringVar(&f.conflict, "conflict", "", "what to do about conflicts: `skip`, ours or theirs")
	complete(cmd, "conflict", cobra.FixedCompletions([]string{
		"skip\tleave those memories as they are", "ours\tkeep what is there now", "theirs\ttake what was there before",
	}, cobra.ShellCompDirectiveNoFileComp))
}

// addReject adds the flag of commands that undo.
func (f *planFlags) addReject(cmd *cobra.Command) {
	cmd.Flags().Func("reject", "remember what is undone as rejected, and tell the agent `REASON`", func(reason string) error {
		f.reject = &reason
		return nil
	})
}

var choiceKinds = map[string]planning.ChoiceKind{"skip": planning.Skip, "ours": planning.KeepOurs, "theirs": planning.TakeTheirs}

// choice returns the decision of --conflict.
func (f *planFlags) choice(command string) (planning.Choice, error) {
	if f.conflict == "" {
		return planning.Choice{}, nil
	}
	k, ok := choiceKinds[f.conflict]
	if !ok {
		return planning.Choice{}, misusef(command, "--conflict %s: must be skip, ours or theirs", f.conflict)
	}
	return planning.Choice{Kind: k}, nil
}

// withStorePlanned is withStore for a plan. To show one needs no folder.
func withStorePlanned(ctx context.Context, p *storeOpener, f *planFlags, do func(*engine.Store) error) error {
	if f.dryRun {
		return p.withPast(ctx, nil, do)
	}
	return p.withStore(ctx, do)
}

// applyPlan applies a plan, or shows it with --dry-run. It lists conflicts before it refuses
// them.
func applyPlan(ctx context.Context, p *caller, s *engine.Store, plan *vplan.Plan, f *planFlags, c planning.Choice) error {
	choices := map[versions.MemoryID]planning.Choice{}
	for _, it := range plan.Conflicts {
		choices[it.Memory] = c
	}
	if c.Kind == planning.Skip && !p.json {
		for _, it := range plan.Conflicts {
			printPlanItem(&p.console, "skip", it)
		}
	}
	if f.dryRun {
		decided := plan
		if c.Kind != planning.Undecided {
			var err error
			if decided, err = vplan.Decided(ctx, s, plan.Goal, choices); err != nil {
				return err
			}
			decided.Change = plan.Change // a change of which something is skipped stays in effect
		}
		showPlan(&p.console, decided)
		if err := vplan.Rehearse(ctx, s, p.by, plan, choices); !errors.Is(err, versions.ErrNothing) {
			return err
		}
		return nil
	}
	if f.reject != nil {
		if err := p.mayDecide("reject what is undone"); err != nil {
			return err
		}
	}
	done, err := send(ctx, &p.console, s, func(ctx context.Context) (versions.Change, error) {
		return vplan.Apply(ctx, s, p.by, plan, choices)
	})
	var refused *versions.ConflictsError
	switch {
	case err == nil:
		reportChange(&p.console, done)
		return rejectUndone(ctx, p, s, done, f)
	case errors.As(err, &refused) && p.json:
		showPlan(&p.console, plan)
	case errors.As(err, &refused):
		for _, it := range refused.Conflicts {
			printPlanItem(&p.console, "conflict", it)
		}
	case errors.Is(err, versions.ErrNothing):
		reportChange(&p.console, versions.Change{})
		return nil
	}
	return err
}

// rejectUndone makes what a change has undone stay rejected, if that was asked for.
func rejectUndone(ctx context.Context, p *caller, s *engine.Store, undo versions.Change, f *planFlags) error {
	if f.reject == nil || undo.Number == 0 {
		return nil
	}
	var last versions.Held
	numbers, err := review.RejectUndone(ctx, s, p.by, undo.Number, *f.reject)
	for _, n := range numbers {
		h, err := review.HeldChange(ctx, s.Trail, n)
		if err != nil {
			return err
		}
		if err := reportRejected(ctx, &p.console, s, h); err != nil {
			return err
		}
		last = h
	}
	if err != nil || len(numbers) == 0 {
		return err
	}
	return reportForgotten(ctx, &p.console, s.Trail, last) // it has the lines of all
}

// showPlan prints a plan, one line per memory, and a summary.
func showPlan(p *console, plan *vplan.Plan) {
	if p.json {
		p.emit(planOf(plan))
		return
	}
	for _, it := range plan.Clean {
		printPlanItem(p, action(plan, it), it)
	}
	for _, it := range plan.Merged {
		printPlanItem(p, "merge", it)
	}
	for _, it := range plan.Conflicts {
		printPlanItem(p, "conflict", it)
	}
	for _, o := range plan.Others {
		j := otherOf(o)
		at := fmt.Sprintf("%s (%s)", cmp.Or(j.From, j.To), j.Type)
		if j.Action == "rename" {
			at = fmt.Sprintf("%s -> %s (%s)", j.From, j.To, j.Type)
		}
		p.println("  %-10s               %s", j.Action, p.safe(at))
	}
	if plan.Replace != nil {
		p.println("%s", p.safe(replaceSummary(plan)))
		return
	}
	what := string(plan.Kind)
	if plan.Kind == versions.KindEdit { // of a replacement or a merge
		what = plan.Goal.String()
	}
	switch {
	case plan.Session != "":
		what += fmt.Sprintf(" session %s (%s)", p.safe(string(plan.Session)), plural(len(plan.Changes), "change"))
	case plan.Change > 0:
		what += fmt.Sprintf(" change %d", plan.Change)
	default:
		what += " " + p.safe(plan.Path.Tool())
	}
	if !plan.Moment.Time.IsZero() {
		what += fmt.Sprintf(" to change %d of %s", plan.Moment.Change, when(plan.Moment.Time))
	}
	p.println("%s: %d clean, %d merged, %s, %d with nothing to do", what,
		len(plan.Clean), len(plan.Merged), plural(len(plan.Conflicts), "conflict"), len(plan.Nothing))
}

// action returns what a plan does to a memory.
func action(plan *vplan.Plan, it versions.PlanItem) string {
	switch {
	case !it.Now.There() && plan.Restores():
		return "restore"
	case !it.Now.There():
		return "create"
	case !it.Then.There():
		return "delete"
	case it.Now.Path != it.Then.Path:
		return "rename"
	}
	return "edit"
}

func printPlanItem(p *console, action string, it versions.PlanItem) {
	at, note := it.Now, ""
	if !at.There() {
		at = it.Then
	}
	if it.Clash != planning.ClashNone {
		if it.Clash == planning.ClashText {
			note = " (the same lines, or lines next to them)"
		}
		p.println("  %-10s               %s%s", action, p.safe(bareReason(it).Error()), note)
		return
	}
	columns := fmt.Sprintf("  %-10s  %5s %5s  ", action, fmt.Sprintf("+%d", it.Added), fmt.Sprintf("-%d", it.Removed))
	if it.Now.There() && it.Then.There() && it.Now.Path != it.Then.Path {
		const arrow = " -> "
		room := (p.width() - text.Width(columns) - len(arrow)) / 2
		p.println("%s%s%s%s", columns, p.shortenPath(p.toolPath(it.Now.Path), room), arrow, p.shortenPath(p.toolPath(it.Then.Path), room))
		return
	}
	p.tableLine(columns, p.toolPath(at.Path), "")
}

// bareReason returns why a memory conflicts, without the operation.
func bareReason(it versions.PlanItem) error {
	var later *versions.LaterChangeError
	if errors.As(it.Reason, &later) {
		alone := *later
		alone.Change = 0
		return &alone
	}
	return it.Reason
}

type planJSON struct {
	Kind      string         `json:"kind"`
	Change    int64          `json:"change,omitempty"`
	SessionID string         `json:"session_id,omitempty"`
	Moment    *momentJSON    `json:"moment,omitempty"`
	Path      string         `json:"path"`
	Changes   []int64        `json:"changes,omitempty"` // the changes to undo
	Clean     []planItemJSON `json:"clean"`
	Merged    []planItemJSON `json:"merged"`
	Conflicts []planItemJSON `json:"conflicts"`
	Nothing   []planItemJSON `json:"nothing_to_do"`
	Skipped   []skippedJSON  `json:"skipped,omitempty"`
	Others    []otherJSON    `json:"others,omitempty"`
}

// otherJSON is what a plan does to a link, a folder or a file without versions.
type otherJSON struct {
	Type   string `json:"type"`
	Action string `json:"action"`
	From   string `json:"from_path,omitempty"`
	To     string `json:"to_path,omitempty"`
}

func otherOf(o versions.Other) otherJSON {
	j := otherJSON{Type: [...]string{memfs.File: "file", memfs.Folder: "folder", memfs.Link: "link", memfs.Special: "special"}[o.Kind]}
	switch {
	case o.From.IsRoot():
		j.Action = "restore"
	case o.To.IsRoot():
		j.Action = "delete"
	default:
		j.Action = "rename"
	}
	if !o.From.IsRoot() {
		j.From = o.From.Tool()
	}
	if !o.To.IsRoot() {
		j.To = o.To.Tool()
	}
	return j
}

type momentJSON struct {
	Change int64 `json:"change"`
	AsOf   stamp `json:"as_of,omitzero"`
}

type placeJSON struct {
	Path      string `json:"path"`
	VersionID string `json:"memory_version_id,omitempty"` // empty for a text made by a merge
	Size      int64  `json:"content_size_bytes"`
	SHA256    string `json:"content_sha256"`
}

type planItemJSON struct {
	MemoryID string     `json:"memory_id"`
	Action   string     `json:"action"`
	Now      *placeJSON `json:"now,omitempty"`
	Then     *placeJSON `json:"then,omitempty"`
	Added    int        `json:"lines_added"`
	Removed  int        `json:"lines_removed"`
	textJSON            // made by a merge or a replacement; with markers for a conflict
	Conflict string     `json:"conflict,omitempty"`
	Reason   string     `json:"reason,omitempty"`
	Later    int64      `json:"later_change,omitempty"`
	Hits     int        `json:"match_count,omitempty"` // of a replacement
}

func planOf(plan *vplan.Plan) planJSON {
	j := planJSON{Kind: string(plan.Kind), Change: plan.Change, SessionID: string(plan.Session), Path: plan.Path.Tool(), Changes: plan.Changes,
		Clean: planItemsOf(plan, plan.Clean), Merged: planItemsOf(plan, plan.Merged), Conflicts: planItemsOf(plan, plan.Conflicts), Nothing: planItemsOf(plan, plan.Nothing), Skipped: skippedOf(plan.Skipped)}
	for _, o := range plan.Others {
		j.Others = append(j.Others, otherOf(o))
	}
	if !plan.Moment.Time.IsZero() {
		j.Moment = &momentJSON{plan.Moment.Change, stamp(plan.Moment.Time)}
	}
	return j
}

// sidesOf names the sides of a plan's conflicts.
func sidesOf(plan *vplan.Plan) diff.Labels {
	if plan.Held != 0 {
		return diff.Labels{Ours: "now", Base: "before", Theirs: "held"}
	}
	return diff.Labels{Ours: "now", Base: "undone", Theirs: "before"}
}

func planItemsOf(plan *vplan.Plan, items []versions.PlanItem) []planItemJSON {
	out := []planItemJSON{}
	for _, it := range items {
		out = append(out, planItemOf(plan, it))
	}
	return out
}

func planItemOf(plan *vplan.Plan, it versions.PlanItem) planItemJSON {
	j := planItemJSON{MemoryID: string(it.Memory), Action: action(plan, it), Hits: it.Hits, Now: placeOf(it.Now), Then: placeOf(it.Then), Added: it.Added, Removed: it.Removed}
	text := it.Text
	switch {
	case it.Clash != planning.ClashNone:
		j.Action, j.Conflict, j.Reason = "conflict", string(it.Clash), bareReason(it).Error()
		var later *versions.LaterChangeError
		if errors.As(it.Reason, &later) {
			j.Later = later.Later
		}
		if it.Merge != nil {
			text = it.Merge.Marked(sidesOf(plan))
		}
	case it.Now == it.Then:
		j.Action = "none"
	case text != nil && it.Hits == 0:
		j.Action = "merge"
	}
	if text != nil {
		j.textJSON = textOf(text)
	}
	return j
}

func placeOf(p versions.Place) *placeJSON {
	if !p.There() {
		return nil
	}
	return &placeJSON{p.Path.Tool(), string(p.Version), p.Size, p.SHA256.String()}
}
