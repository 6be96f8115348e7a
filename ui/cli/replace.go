package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
)

// replaceTexts replaces what a query finds, or shows the plan.
func replaceTexts(ctx context.Context, p *caller, s *engine.Store, r plan.Replacement, f *planFlags) error {
	if !f.dryRun {
		r.Query.Lines = 1 // lines are not shown
	}
	plan, err := plan.Make(ctx, s, r)
	if err != nil {
		return err
	}
	for _, left := range plan.Skipped {
		fmt.Fprintf(p.err, "memend: left out: %s: %s\n", text.Field(left.Path.Tool()), text.Field(left.Err.Error()))
	}
	switch {
	case plan.Empty() && len(plan.Nothing) == 0 && len(plan.Skipped) == 0:
		return nothingFound(r.Query, "")
	case plan.Empty() && len(plan.Nothing) == 0:
		return fmt.Errorf("replace %s: everything that may contain it is left out: %w", r.Query.Text, plan.Skipped[0].Err)
	}
	if err := applyPlan(ctx, p, s, plan, f, planning.Choice{}); err != nil || !f.dryRun || p.json {
		return err
	}
	return printItems(ctx, &p.console, s, plan.Clean)
}

// replaceSummary summarizes a plan to replace.
func replaceSummary(plan *plan.Plan) string {
	hits := 0
	for _, it := range plan.Clean {
		hits += it.Hits
	}
	return fmt.Sprintf("replace %q with %q: %s in %s, %d with nothing to do, %d left out", plan.Replace.Query.Text, plan.Replace.With,
		plural(hits, "hit"), plural(len(plan.Clean), "memory"), len(plan.Nothing), len(plan.Skipped))
}

type skippedJSON struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

func skippedOf(all []versions.UnreadText) (out []skippedJSON) {
	for _, s := range all {
		out = append(out, skippedJSON{s.Path.Tool(), s.Err.Error()})
	}
	return out
}

// patternHint says where a regular expression is invalid.
func patternHint(err error) string {
	var bad *match.PatternError
	if !errors.As(err, &bad) {
		return ""
	}
	valid := "nothing"
	if bad.At > 0 {
		valid = strconv.Quote(bad.Pattern[:bad.At])
	}
	return fmt.Sprintf("it is valid up to %s; the syntax is RE2; without --regexp the text is matched literally", valid)
}
