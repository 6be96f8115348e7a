package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

func staleCommand(p *program) *cobra.Command {
	var unread string
	var f expireFlags
	cmd := &cobra.Command{
		Use:         "stale",
		Annotations: map[string]string{overview: "unread ones", changes: "delete", pages: ""},
		Short:       "List, or delete, memories that no agent reads any more",
		RunE: func(cmd *cobra.Command, args []string) error {
			age, ok := units.ParseAge(unread)
			span := age.Duration()
			switch {
			case !ok || span <= 0:
				return misusef(cmd.CommandPath(), "--unread %q: not a span of time; write 90d, 2w or 12h", unread)
			case !f.remove && (f.dryRun || f.neverRead || f.yes):
				return misusef(cmd.CommandPath(), "--dry-run, --never-read and --yes need --delete")
			case f.remove && p.null:
				return misusef(cmd.CommandPath(), "--null only lists: leave out --delete")
			case f.remove && !cmd.Flags().Changed("unread"):
				return misusef(cmd.CommandPath(), "--delete needs --unread SPAN")
			case f.remove && !f.dryRun && !f.yes && !p.canAsk():
				return misusef(cmd.CommandPath(), "not a terminal: --yes deletes without asking, --dry-run shows what would be deleted")
			}
			return p.withStore(cmd.Context(), func(s *engine.Store) error {
				if f.remove {
					return expireMemories(&p.caller, cmd, s, span, f)
				}
				plan, err := history.Stale(cmd.Context(), s, span)
				if err != nil {
					return err
				}
				printStale(&p.console, s, plan)
				return nil
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&unread, "unread", "90d", "not read for this `SPAN`: 90d, 2w, 12h")
	flags.BoolVar(&f.remove, "delete", false, "delete them")
	flags.BoolVar(&f.dryRun, "dry-run", false, "with --delete: only show what would be deleted")
	flags.BoolVar(&f.neverRead, "never-read", false, "with --delete: even if no reads were recorded for that long")
	flags.BoolVarP(&f.yes, "yes", "y", false, "with --delete: don't ask")
	nullFlag(&p.console, cmd)
	return cmd
}

// expireFlags holds the flags of stale that delete.
type expireFlags struct{ remove, dryRun, neverRead, yes bool }

// errReadsUnknown refuses to treat a memory as unread if reads were not recorded.
var errReadsUnknown = errors.New("it is unknown whether its memories were read")

// readsKnown returns an error unless reads were recorded for the whole span of a plan.
func readsKnown(p *console, s *engine.Store, plan *versions.StalePlan) error {
	since := "no reads were ever recorded"
	if !plan.Recorded.IsZero() {
		if p.now().Sub(plan.Recorded) >= plan.Unread {
			return nil
		}
		since = "reads were recorded only since " + when(plan.Recorded)
	}
	return &hinted{fmt.Errorf("delete stale memories of store %s: %w: %s", s.Info().Name, errReadsUnknown, since),
		"nothing was deleted; --never-read deletes anyway, --dry-run shows what"}
}

func expireMemories(p *caller, cmd *cobra.Command, s *engine.Store, span time.Duration, f expireFlags) error {
	plan, err := history.Stale(cmd.Context(), s, span)
	if err != nil {
		return err
	}
	var unknown error
	if !f.neverRead && len(plan.Memories) > 0 {
		unknown = readsKnown(&p.console, s, plan)
	}
	if unknown != nil && !f.dryRun {
		return unknown
	}
	if f.dryRun || !f.yes {
		printStale(&p.console, s, plan)
		if f.dryRun || len(plan.Memories) == 0 {
			return unknown
		}
		if !p.confirm(fmt.Sprintf("Delete these (%d)? One undo restores them.", len(plan.Memories))) {
			return nil
		}
	}
	c, kept, err := history.Expire(cmd.Context(), s, p.by, plan)
	if err != nil {
		return err
	}
	for _, m := range kept {
		fmt.Fprintf(p.err, "memend: %s was not deleted: it was read or changed meanwhile\n", p.safe(m.Path.Tool()))
	}
	reportChange(&p.console, c)
	return nil
}

type staleJSON struct {
	ID         string `json:"id"`
	Path       string `json:"path"`
	VersionID  string `json:"memory_version_id"`
	Size       int64  `json:"content_size_bytes"`
	LastReadAt stamp  `json:"last_read_at,omitzero"` // absent: never
	UpdatedAt  stamp  `json:"updated_at"`
}

// printStale prints a plan, and since when reads were recorded.
func printStale(p *console, s *engine.Store, plan *versions.StalePlan) {
	for _, m := range plan.Memories {
		if p.json {
			p.emit(staleJSON{ID: string(m.Memory), Path: m.Path.Tool(), VersionID: string(m.Version), Size: m.Size, UpdatedAt: stamp(m.Written), LastReadAt: stamp(m.LastRead)})
			continue
		}
		if p.null {
			p.printName(m.Path.Tool())
			continue
		}
		last := "never read"
		if !m.LastRead.IsZero() {
			last = "read " + when(m.LastRead)
		}
		p.println("%8s  %-21s  written %s  %s", units.Bytes(m.Size), last, when(m.Written), p.safe(m.Path.Tool()))
	}
	switch {
	case len(plan.Memories) == 0:
		reportEmpty(p, s, "all memories were read within that time")
	case p.json:
	case plan.Recorded.IsZero():
		fmt.Fprintln(p.err, "memend: no reads of this store were ever recorded; agents that read its files directly leave no record")
	case p.now().Sub(plan.Recorded) < plan.Unread:
		fmt.Fprintf(p.err, "memend: reads of this store were recorded only since %s\n", when(plan.Recorded))
	}
}
