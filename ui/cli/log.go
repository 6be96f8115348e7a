package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/versions"
	"github.com/spf13/cobra"
)

func (p *program) logCommand() *cobra.Command {
	var operation, since, until string
	var limit int
	cmd := &cobra.Command{
		Use:   "log [PATH]",
		Short: "List changes, or the versions of a memory",
		Long: `List the changes of a store, the newest first; with the path of a folder those
in it, with the path of a memory its versions, deleted or not.

Here --session and --actor choose whose changes are listed; an actor is a name,
a kind (person, agent, api_key, outside), or both, as KIND:NAME. Times are
written 2026-11-21, "2026-11-21 15:04", as RFC 3339, or as a span back from now:
90m, 12h, 7d.`,
		Example: `  memtrail log
  memtrail log notes/plan.md
  memtrail log --actor agent --since 7d
  memtrail log --operation deleted --json`,
		Args:              misused(cobra.MaximumNArgs(1)),
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			q := query{limit: limit, operation: versions.Operation(operation)}
			if err := q.parse(p, since, until); err != nil {
				return &misuse{err, cmd.CommandPath()}
			}
			return p.withStore(cmd.Context(), func(s *versions.Store) (err error) {
				if len(args) > 0 {
					if q.filter.In, err = pathArg(s, cmd.CommandPath(), args[0]); err != nil {
						return err
					}
				}
				return p.log(cmd.Context(), s, q)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&operation, "operation", "", "only `OP`: created, modified or deleted")
	flags.StringVar(&since, "since", "", "only from this `TIME` on")
	flags.StringVar(&until, "until", "", "only up to this `TIME`")
	flags.IntVarP(&limit, "limit", "n", 0, "at most `N` of them")
	complete(cmd, "operation", cobra.FixedCompletions([]string{"created", "modified", "deleted"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// query is what log should list.
type query struct {
	filter    versions.Filter
	name      string // of the actor; the filter has the kind
	operation versions.Operation
	limit     int
}

func (q *query) parse(p *program, since, until string) (err error) {
	switch q.operation {
	case "", versions.Created, versions.Modified, versions.Deleted:
	default:
		return fmt.Errorf("--operation %s: operations are created, modified and deleted", q.operation)
	}
	if q.limit < 0 {
		return fmt.Errorf("--limit %d: must not be negative", q.limit)
	}
	if q.filter.Since, err = parseTime(since, p.now()); err != nil {
		return fmt.Errorf("--since %w", err)
	}
	if q.filter.Until, err = parseTime(until, p.now()); err != nil {
		return fmt.Errorf("--until %w", err)
	}
	q.filter.Session = versions.SessionID(p.session)
	kind, name, both := strings.Cut(p.actor, ":")
	switch k := versions.ActorKind(kind); {
	case both || k == versions.Person || k == versions.Agent || k == versions.APIKey || k == versions.Outside:
		q.filter.Actor, q.name = k, name
	default:
		q.name = kind
	}
	return nil
}

// parseTime reads a moment, or a span back from now.
func parseTime(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if span, err := time.ParseDuration(s); err == nil && span >= 0 {
		return now.Add(-span), nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s: not a time; write 2026-11-21, \"2026-11-21 15:04\" or 7d", s)
}

func (p *program) log(ctx context.Context, s *versions.Store, q query) error {
	if !q.filter.In.IsRoot() {
		memory, err := s.MemoryAt(ctx, q.filter.In)
		if err == nil {
			return p.logMemory(ctx, s, memory, q)
		}
		if !errors.Is(err, versions.ErrNoMemory) {
			return err
		}
	}
	n, err := p.logChanges(ctx, s, q)
	if err == nil && n == 0 && !q.filter.In.IsRoot() {
		return p.neverThere(ctx, s, q.filter.In)
	}
	return err
}

// neverThere is the error when nothing was ever at a path; when the filters only
// chose nothing there is none.
func (p *program) neverThere(ctx context.Context, s *versions.Store, path memfs.Path) error {
	any, err := s.Changes(ctx, versions.Filter{In: path}, 0, 1)
	if err == nil && len(any) == 0 {
		err = fmt.Errorf("log %s: %w", path.Tool(), versions.ErrNoMemory)
	}
	return err
}

const page = 200 // how much is asked of the store at once

func (p *program) logMemory(ctx context.Context, s *versions.Store, memory versions.MemoryID, q query) error {
	for n, cursor := 0, 0; ; {
		vs, err := s.History(ctx, memory, cursor, page)
		if err != nil {
			return err
		}
		for _, v := range vs {
			cursor = v.Number
			if !q.wants(v) {
				continue
			}
			if err := p.logVersion(v); err != nil {
				return err
			}
			if n++; n == q.limit {
				return nil
			}
		}
		if len(vs) < page {
			return nil
		}
	}
}

func (q query) wants(v versions.Version) bool {
	f := q.filter
	return (q.operation == "" || v.Operation == q.operation) &&
		(f.Actor == "" || v.Actor.Kind == f.Actor) && (q.name == "" || v.Actor.Name == q.name) &&
		(f.Session == "" || v.Session == f.Session) &&
		(f.Since.IsZero() || !v.Time.Before(f.Since)) && (f.Until.IsZero() || !v.Time.After(f.Until))
}

func (p *program) logVersion(v versions.Version) error {
	if p.json {
		return p.emit(versionOf(v))
	}
	what := string(v.Operation)
	path := v.Path.Tool()
	switch {
	case v.Lost():
		what, path = "lost", ""
	case !v.Redacted.IsZero():
		what, path = "redacted", ""
	case v.Damaged:
		what = "damaged"
	case v.Renamed():
		what = "renamed"
	}
	p.println("%4d  %s  %-8s  %5s %5s  %s  %s  %s", v.Number, when(v.Time), what,
		fmt.Sprintf("+%d", v.Added), fmt.Sprintf("-%d", v.Removed), p.column(maker(v.Actor, v.Inferred), actorWidth), v.ID, p.safe(path))
	return nil
}

func (p *program) logChanges(ctx context.Context, s *versions.Store, q query) (n int, err error) {
	for cursor := int64(0); ; {
		cs, err := s.Changes(ctx, q.filter, cursor, page)
		if err != nil {
			return n, err
		}
		for _, c := range cs {
			cursor = c.Number
			wanted, err := q.wantsChange(ctx, s, c)
			if err != nil {
				return n, err
			}
			if !wanted {
				continue
			}
			if err := p.logChange(c); err != nil {
				return n, err
			}
			if n++; n == q.limit {
				return n, nil
			}
		}
		if len(cs) < page {
			return n, nil
		}
	}
}

// wantsChange looks at what the store's own filter does not: the actor's name,
// and what the change did to its memories.
func (q query) wantsChange(ctx context.Context, s *versions.Store, c versions.Change) (bool, error) {
	if q.name != "" && c.Actor.Name != q.name {
		return false, nil
	}
	if q.operation == "" {
		return true, nil
	}
	_, vs, err := s.Change(ctx, c.Number)
	for _, v := range vs {
		if v.Operation == q.operation {
			return true, nil
		}
	}
	return false, err
}

func (p *program) logChange(c versions.Change) error {
	if p.json {
		return p.emit(changeOf(c))
	}
	undone := ""
	if c.UndoneBy > 0 {
		undone = fmt.Sprintf("  [undone by %d]", c.UndoneBy)
	}
	p.println("%5d  %s  %s  %s%s", c.Number, when(c.Time), p.column(maker(c.Actor, c.Inferred), actorWidth), p.told(c), undone)
	return nil
}
