package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

func (p *program) traceCommand() *cobra.Command {
	var forward, undo bool
	var f planFlags
	cmd := &cobra.Command{
		Use:         "trace PATH[:LINE]|VERSION",
		Annotations: map[string]string{pages: "", changes: "undo"},
		Short:       "Show what a text may come from, and what may come from it",
		Long: `Show who wrote a memory, or one line of it, after reading what; who had written
that, after reading what; and so on, through all sessions and stores.

With --forward, start from a session, a version or a memory, and show all that
sessions wrote after they had read it, and after they had read that. A read of a
later version of the memory counts too. --undo undoes all of it that is in this
store, as one change; --dry-run shows the plan.

A trace shows what may have been passed on, not that it was. It knows the reads
that went through memend or that Claude Code reported.`,
		Example: `  memend trace notes/plan.md:2
  memend trace --forward notes/plan.md
  memend trace --forward sesn_abc --undo --dry-run`,
		Args:              misused(cobra.ExactArgs(1)),
		ValidArgsFunction: p.completeVersions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if (undo || f.dryRun || f.conflict != "") && !forward {
				return misusef(cmd.CommandPath(), "--undo, --dry-run and --conflict need --forward")
			}
			choice, err := f.choice(cmd.CommandPath())
			if err != nil {
				return err
			}
			return p.withStore(cmd.Context(), func(s *versions.Store) error {
				if !forward {
					return p.traceBack(cmd.Context(), s, args[0])
				}
				tr, err := p.traceForward(cmd.Context(), s, args[0])
				if err != nil {
					return err
				}
				if !undo {
					return p.printTrace(cmd.Context(), s, tr, "")
				}
				plan, err := s.PlanUndoChanges(cmd.Context(), changesIn(tr, s.Info().ID)...)
				if err != nil {
					return err
				}
				return p.applyPlan(cmd.Context(), s, plan, &f, choice)
			})
		},
	}
	cmd.Flags().BoolVar(&forward, "forward", false, "show what was written after reading it")
	cmd.Flags().BoolVar(&undo, "undo", false, "undo all of it that is in this store")
	f.add(cmd)
	return cmd
}

func (p *program) traceBack(ctx context.Context, s *versions.Store, arg string) error {
	r, err := p.parseRef(ctx, s, "memend trace", arg)
	if err != nil {
		return err
	}
	v, of, err := p.versionAndLines(ctx, s, "memend trace", r)
	if err != nil {
		return err
	}
	line := ""
	if !of.all() {
		if v, line, err = writerOfLine(ctx, s, v, of.from); err != nil {
			return err
		}
	}
	tr, err := p.trail.TraceBack(ctx, v.ID, 0)
	if err != nil {
		return err
	}
	return p.printTrace(ctx, s, tr, line)
}

// writerOfLine returns the version that wrote a line, and the line's text.
func writerOfLine(ctx context.Context, s *versions.Store, v versions.Version, line int) (versions.Version, string, error) {
	b, err := s.Blame(ctx, v.ID)
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

// traceForward parses where a forward trace begins: a session, a version or a path.
func (p *program) traceForward(ctx context.Context, s *versions.Store, arg string) (versions.Trace, error) {
	r, err := p.parseRef(ctx, s, "memend trace", arg)
	if err == nil {
		var v versions.Version
		if v, err = r.one(ctx, s); err == nil {
			from := versions.TraceFrom{Memory: v.Memory}
			if r.id != "" || r.version > 0 {
				from = versions.TraceFrom{Version: v.ID}
			}
			return p.trail.TraceForward(ctx, from, 0)
		}
	}
	session, serr := p.sessionOf(ctx, s, versions.SessionID(arg))
	if serr == nil {
		tr, terr := p.trail.TraceForward(ctx, versions.TraceFrom{Session: session}, 0)
		if !errors.Is(terr, versions.ErrNoSession) {
			return tr, terr
		}
		serr = terr
	}
	if isID(arg, "sesn_") {
		err = serr
	}
	return versions.Trace{}, err
}

// changesIn lists the changes of a trace that are in a store.
func changesIn(tr versions.Trace, store versions.StoreID) (out []int64) {
	for _, step := range tr.Steps {
		if step.Store == store && step.Version.Change > 0 {
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
}

// printTrace prints a trace as a tree: each step below the one that it was reached from.
func (p *printer) printTrace(ctx context.Context, s *versions.Store, tr versions.Trace, line string) error {
	below := map[int][]int{}
	for i, step := range tr.Steps {
		below[step.From] = append(below[step.From], i)
	}
	if line != "" && !p.json {
		p.println("%s", p.safe(line))
	}
	var print func(i, depth int)
	print = func(i, depth int) {
		step := tr.Steps[i]
		if p.json {
			p.emit(traceOf(tr, i, depth))
		} else {
			p.traceStep(s, step, depth)
		}
		for _, j := range below[i] {
			print(j, depth+1)
		}
	}
	for _, i := range below[-1] {
		print(i, 0)
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
		authorJSON: authorOf(v), ReadBy: string(step.ReadBy), ReadAt: stamp(step.Read), Again: step.Again}
	if v.Redacted.IsZero() {
		j.Path = v.Path.Tool()
	}
	if step.From >= 0 {
		j.From = string(tr.Steps[step.From].Version.ID)
	}
	return j
}

// traceStep prints one step.
func (p *printer) traceStep(s *versions.Store, step versions.TraceStep, depth int) {
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
	if step.Again {
		notes += "  see above"
	}
	p.println("%s%s%s", strings.Repeat("  ", depth), p.safe(name), p.safe(notes))
}
