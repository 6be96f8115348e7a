package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
)

func reviewShowCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:         "show NUMBER",
		Annotations: map[string]string{pages: ""},
		Short:       "Show one held change and what it would do now",
		RunE: func(cmd *cobra.Command, args []string) error {
			any := func(versions.Held) error { return nil }
			return eachHeld(&p.storeOpener, cmd, args, any, func(s *engine.Store, h versions.Held) error { return showHeld(cmd.Context(), &p.console, s, h) })
		},
	}
}

func showHeld(ctx context.Context, p *console, s *engine.Store, h versions.Held) error {
	var plan *vplan.Plan
	if h.State == versions.HeldWaiting {
		var err error
		if plan, err = vplan.Make(ctx, s, vplan.Accept(h.Number)); err != nil {
			return err
		}
	}
	return printHeld(ctx, p, s, h, plan)
}

// printHeld prints a held change and its plan, if it has one.
func printHeld(ctx context.Context, p *console, s *engine.Store, h versions.Held, plan *vplan.Plan) error {
	if p.json {
		j := heldOf(h)
		if plan != nil {
			made := planOf(plan)
			j.Plan = &made
		}
		p.emit(j)
		return nil
	}
	printHeldFacts(p, s, h)
	if plan == nil {
		return nil
	}
	return planDifferences(ctx, p, s, h, plan)
}

// printHeldFacts prints the facts of a held change.
func printHeldFacts(p *console, s *engine.Store, h versions.Held) {
	line := func(name, text string) {
		if text != "" {
			p.println("%-9s %s", name, p.safe(text))
		}
	}
	what := h.Kind.Verb() + " " + h.Path.Tool()
	if !h.To.IsRoot() {
		what += " -> " + h.To.Tool()
	}
	p.println("#%d %s, store %s", h.Number, p.safe(what), p.safe(s.Info().Name))
	line("by", fmt.Sprintf("%s, on %s (%s)", actors.Name(h.By.Actor), when(h.Time), h.By.Door))
	line("session", string(h.By.Session))
	line("call", h.By.ToolUse)
	line("after", h.Inputs.String())
	if h.Rule != "" {
		line("why", h.Rule)
	}
	if e := h.Earlier; e != nil {
		line("rejected", strings.TrimSuffix(fmt.Sprintf("it brings back text that was rejected as #%d: %s", e.Number, e.Reason), ": "))
	}
	if h.State != versions.HeldWaiting {
		line(string(h.State), fmt.Sprintf("by %s, on %s", h.DecidedBy, when(h.Decided)))
		if h.Change > 0 {
			line("change", strconv.FormatInt(h.Change, 10))
		}
		line("reason", h.Reason)
	}
}

// planDifferences prints what the plan of a held change changes as unified differences, and its conflicts. Of one without
// lines that conflict, it prints what was wanted, unless that is not possible.
func planDifferences(ctx context.Context, p *console, s *engine.Store, h versions.Held, plan *vplan.Plan) error {
	if err := printItems(ctx, p, s, slices.Concat(plan.Clean, plan.Merged)); err != nil {
		return err
	}
	for _, it := range plan.Conflicts {
		if bareReason(it).Error() != h.Rule { // printed already
			printPlanItem(p, "conflict", it)
		}
		if it.Merge != nil {
			p.raw(append(it.Merge.Marked(sidesOf(plan)), '\n'))
			continue
		}
		wanted, err := vplan.Decided(ctx, s, plan.Goal, map[versions.MemoryID]planning.Choice{it.Memory: {Kind: planning.TakeTheirs}})
		if err != nil { // no choice makes it possible
			continue
		}
		of := slices.DeleteFunc(wanted.Clean, func(w versions.PlanItem) bool { return w.Memory != it.Memory })
		if err := printItems(ctx, p, s, of); err != nil {
			return err
		}
	}
	if plan.Empty() {
		p.println("nothing to change")
	}
	return nil
}

// printItems prints what a plan changes in some memories.
func printItems(ctx context.Context, p *console, s *engine.Store, items []versions.PlanItem) error {
	for _, it := range items {
		d, err := itemDifference(ctx, s, it)
		if err != nil {
			return err
		}
		printDifference(p, d)
	}
	return nil
}

// itemDifference returns what a plan does to one memory.
func itemDifference(ctx context.Context, s *engine.Store, it versions.PlanItem) (d difference, err error) {
	d.oldName, d.newName = nowhere, nowhere
	if it.Now.There() {
		d.oldName = "a" + it.Now.Path.String()
		if d.old, err = history.Content(ctx, s, it.Now.Version); err != nil {
			return d, err
		}
	}
	if it.Then.There() {
		d.newName = "b" + it.Then.Path.String()
		if d.new = it.Text; it.Text == nil {
			if d.new, err = history.Content(ctx, s, it.Then.Version); err != nil {
				return d, err
			}
		}
	}
	if it.Now.There() && it.Then.There() && it.Now.Path != it.Then.Path {
		d.from, d.to = it.Now.Path.Tool(), it.Then.Path.Tool()
	}
	return d, nil
}
