package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/review"
)

func traceCommand(p *program) *cobra.Command {
	var forward, undo bool
	var f planFlags
	cmd := &cobra.Command{
		Use:               "trace PATH[:LINE]|VERSION|SESSION",
		Annotations:       map[string]string{overview: "where from", pages: "", changes: "undo"},
		Short:             "Show the possible sources of a text, and what was written after reading it",
		ValidArgsFunction: p.completeVersions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.reject != nil && !undo {
				return misusef(cmd.CommandPath(), "--reject needs --undo")
			}
			if (undo || f.dryRun || f.conflict != "") && !forward {
				return misusef(cmd.CommandPath(), "--undo, --dry-run and --conflict need --forward")
			}
			choice, err := f.choice(cmd.CommandPath())
			if err != nil {
				return err
			}
			at := pathsOf(args[0])
			if undo {
				at = nil
			}
			return p.withPast(cmd.Context(), at, func(s *engine.Store) error {
				from, line, err := traceFrom(cmd.Context(), s, args[0], forward)
				if err != nil {
					return err
				}
				var tr versions.Trace
				if forward {
					tr, err = review.TraceForward(cmd.Context(), s.Trail, from, 0)
				} else {
					tr, err = review.TraceBack(cmd.Context(), s.Trail, from, 0)
				}
				if err != nil {
					return err
				}
				if !undo {
					return printTrace(cmd.Context(), &p.console, s, tr, line)
				}
				plan, err := plan.Make(cmd.Context(), s, plan.UndoChanges(changesIn(tr, s.Info().ID)))
				if err != nil {
					return err
				}
				return applyPlan(cmd.Context(), &p.caller, s, plan, &f, choice)
			})
		},
	}
	cmd.Flags().BoolVar(&forward, "forward", false, "show what was written after reading it")
	cmd.Flags().BoolVar(&undo, "undo", false, "undo all of it that is in this store")
	f.add(cmd)
	f.addReject(cmd)
	return cmd
}

// traceFrom parses where a trace begins: a line, a version, a path or a session. It also returns
// the text of the line.
func traceFrom(ctx context.Context, s *engine.Store, arg string, forward bool) (from review.TraceFrom, line string, err error) {
	r, err := parseRef(ctx, s, "memend trace", arg)
	if err == nil {
		if from, line, err = traceFromText(ctx, s, r, forward); err == nil {
			return from, line, nil
		}
	}
	session, serr := sessionOf(ctx, s, versions.SessionID(arg))
	if serr == nil {
		// A session that only read is in no list: the trace knows.
		if _, serr = review.TraceForward(ctx, s.Trail, review.TraceFrom{Session: session}, 1); serr == nil {
			return review.TraceFrom{Session: session}, "", nil
		}
	}
	if isID(arg, "sesn_") {
		err = serr
	}
	return from, "", err
}

func traceFromText(ctx context.Context, s *engine.Store, r ref, forward bool) (review.TraceFrom, string, error) {
	if forward {
		v, err := r.one(ctx, s)
		if err == nil && r.id == "" && r.version == 0 {
			return review.TraceFrom{Memory: v.Memory}, "", nil
		}
		return review.TraceFrom{Version: v.ID}, "", err
	}
	v, of, err := versionAndLines(ctx, s, "memend trace", r)
	line := ""
	if err == nil && !of.all() {
		v, line, err = writerOfLine(ctx, s, v, of.from)
	}
	return review.TraceFrom{Version: v.ID}, line, err
}

// writerOfLine returns the version that wrote a line, and the line's text.
func writerOfLine(ctx context.Context, s *engine.Store, v versions.Version, line int) (versions.Version, string, error) {
	b, err := history.Blame(ctx, s, v.ID)
	if err != nil {
		return v, "", err
	}
	for _, r := range b.Runs {
		if line >= r.Start && line < r.Start+r.Lines {
			text := slices.Collect(strings.Lines(string(b.Content)))[line-1]
			return *r.By, strings.TrimRight(text, "\r\n"), nil
		}
	}
	return v, "", fmt.Errorf("trace %s: it has no line %d", v.Path.Tool(), line)
}

// changesIn lists the changes of a trace that are in a store and not undone.
func changesIn(tr versions.Trace, store versions.StoreID) (out []int64) {
	for _, step := range tr.Steps {
		if step.Store == store && step.Version.Change > 0 && !step.Undone {
			out = append(out, step.Version.Change)
		}
	}
	return out
}

type traceJSON struct {
	Depth     int    `json:"depth"`
	StoreID   string `json:"memory_store_id"`
	VersionID string `json:"memory_version_id"`
	MemoryID  string `json:"memory_id"`
	Path      string `json:"path,omitempty"`
	Number    int    `json:"number"`
	Change    int64  `json:"change"`
	authorJSON
	ReadBy string `json:"reading_session_id,omitempty"`
	ReadAt stamp  `json:"read_at,omitzero"`
	From   string `json:"from_version_id,omitempty"`
	Again  bool   `json:"again,omitempty"`
	Undone bool   `json:"undone,omitempty"`
}

// printTrace prints a trace as a tree: each step below the one that it was reached from.
func printTrace(ctx context.Context, p *console, s *engine.Store, tr versions.Trace, line string) error {
	below := map[int][]int{}
	for i, step := range tr.Steps {
		below[step.From] = append(below[step.From], i)
	}
	if line != "" && !p.json {
		p.println("%s", p.content(line))
	}
	var show func(i, depth int)
	show = func(i, depth int) {
		step := tr.Steps[i]
		if p.json {
			p.emit(traceOf(tr, i, depth))
		} else {
			printTraceStep(p, s, step, depth)
		}
		for _, j := range below[i] {
			show(j, depth+1)
		}
	}
	for _, i := range below[-1] {
		show(i, 0)
	}
	if tr.Cut {
		fmt.Fprintf(p.err, "memend: only the first %d steps are shown\n", len(tr.Steps))
	}
	return ctx.Err()
}

func traceOf(tr versions.Trace, i, depth int) traceJSON {
	step := tr.Steps[i]
	v := step.Version
	j := traceJSON{Depth: depth, StoreID: string(step.Store), VersionID: string(v.ID), MemoryID: string(v.Memory), Number: v.Number, Change: v.Change,
		authorJSON: authorOf(v), ReadBy: string(step.ReadBy), ReadAt: stamp(step.Read), Again: step.Again, Undone: step.Undone}
	if v.Redacted.IsZero() {
		j.Path = v.Path.Tool()
	}
	if step.From >= 0 {
		j.From = string(tr.Steps[step.From].Version.ID)
	}
	return j
}

// printTraceStep prints one step.
func printTraceStep(p *console, s *engine.Store, step versions.TraceStep, depth int) {
	v := step.Version
	name := fmt.Sprintf("%s@%d", v.Path.Tool(), v.Number)
	if !v.Redacted.IsZero() {
		name = "a redacted version"
	}
	notes := fmt.Sprintf("  %s  %s  change %d", actors.ShortInferred(v.Actor, v.Inferred), when(v.Time), v.Change)
	if step.Store != s.Info().ID {
		notes += "  in another store"
	}
	if kinds := v.Inputs; kinds != 0 {
		notes += "  after " + kinds.String()
	}
	if step.ReadBy != "" {
		notes += fmt.Sprintf("  (read on %s by %s)", when(step.Read), step.ReadBy)
	}
	if step.Undone {
		notes += "  undone"
	}
	if step.Again {
		notes += "  see above"
	}
	p.println("%s%s%s", strings.Repeat("  ", depth), p.safe(name), p.safe(notes))
}
