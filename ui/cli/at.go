package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

func (p *program) atCommand() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:         "at TIME|CHANGE ls|cat|diff [PATH...]",
		Annotations: map[string]string{pages: ""},
		Short:       "Show the store as it was at a moment",
		Long: `Show the memories as they were right after a change, which is named by its
number, or at a time.

` + timeHelp + `

  ls    lists the memories of that moment, all or those in some folders
  cat   prints memories as they were then
  diff  shows what has changed since, or with --to up to another moment`,
		Example: `  memend at 42 ls
  memend at 2h cat notes/plan.md
  memend at "2026-11-21 15:04" diff notes
  memend at 40 diff --to 42`,
		Args:              misused(cobra.MinimumNArgs(2)),
		ValidArgsFunction: p.completeAt,
		RunE: func(cmd *cobra.Command, args []string) error {
			read, err := p.atVerb(cmd, args[1], to)
			if err != nil {
				return err
			}
			moment, err := p.momentArg(cmd.CommandPath(), args[0])
			if err != nil {
				return err
			}
			return p.withStore(cmd.Context(), func(s *versions.Store) error {
				paths, err := pathArgs(s, cmd.CommandPath(), args[2:])
				if err != nil {
					return err
				}
				m, err := moment(cmd.Context(), s)
				if err != nil {
					return err
				}
				return read(cmd.Context(), s, m.Change, paths)
			})
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "with diff: up to this `TIME` or change, instead of now")
	complete(cmd, "to", p.completeChanges)
	return cmd
}

type atReader = func(ctx context.Context, s *versions.Store, change int64, paths []memfs.Path) error

func (p *printer) atVerb(cmd *cobra.Command, verb, to string) (atReader, error) {
	if to != "" && verb != "diff" {
		return nil, misusef(cmd.CommandPath(), "--to is for diff, not for %s", verb)
	}
	switch verb {
	case "ls":
		return p.atLs, nil
	case "cat":
		if cmd.Flags().NArg() < 3 {
			return nil, misusef(cmd.CommandPath(), "cat needs the path of a memory")
		}
		return p.atCat, nil
	case "diff":
		return p.atDiff(cmd, to)
	}
	return nil, misusef(cmd.CommandPath(), "%s: must be ls, cat or diff", verb)
}

// momentOf finds a moment in the history of a store.
type momentOf = func(context.Context, *versions.Store) (versions.Moment, error)

// momentArg parses a moment: the number of a change, or a time.
func (p *printer) momentArg(command, arg string) (momentOf, error) {
	if n, err := strconv.ParseInt(arg, 10, 64); err == nil && n >= 0 {
		return func(ctx context.Context, s *versions.Store) (versions.Moment, error) { return s.MomentOf(ctx, n) }, nil
	}
	_, t, err := parseTime("", arg, p.now())
	if err != nil || arg == "" {
		return nil, misusef(command, "%q is neither a time nor the number of a change; write 42, %s", arg, units.Times)
	}
	return func(ctx context.Context, s *versions.Store) (versions.Moment, error) { return s.MomentAt(ctx, t) }, nil
}

func (p *printer) atLs(ctx context.Context, s *versions.Store, n int64, paths []memfs.Path) error {
	entries, err := s.TreeAt(ctx, n)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return p.list(s, entries, listing{wanted: []memfs.Path{workingPath(s)}})
	}
	return p.list(s, entries, listing{wanted: paths, named: true})
}

func (p *printer) atCat(ctx context.Context, s *versions.Store, n int64, paths []memfs.Path) error {
	for _, path := range paths {
		e, err := s.EntryAt(ctx, path, n)
		if err != nil {
			return fmt.Errorf("at change %d: %w", n, err)
		}
		b, err := s.Content(ctx, e.Version)
		if err != nil {
			return err
		}
		if !p.json {
			p.raw(b)
			continue
		}
		j := contentJSON{Path: path.Tool(), Size: len(b), SHA256: hashOf(b).String()}
		j.textJSON = textOf(b)
		p.emit(j)
	}
	return nil
}

func (p *printer) atDiff(cmd *cobra.Command, to string) (atReader, error) {
	end := func(ctx context.Context, s *versions.Store) (versions.Moment, error) {
		n, err := s.LastChange(ctx)
		return versions.Moment{Change: n}, err
	}
	if to != "" {
		var err error
		if end, err = p.momentArg(cmd.CommandPath(), to); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, s *versions.Store, n int64, paths []memfs.Path) error {
		m, err := end(ctx, s)
		if err != nil {
			return err
		}
		ds, err := s.DiffTrees(ctx, n, m.Change)
		if err != nil {
			return err
		}
		none := true
		for _, d := range ds {
			if d.Kind == versions.TreeSame || !concerns(d, paths) {
				continue
			}
			none = false
			if err := p.treeDiff(ctx, s, d); err != nil {
				return err
			}
		}
		if none {
			p.reportEmpty(s, "nothing differs between change %d and change %d", n, m.Change)
		}
		return nil
	}, nil
}

// concerns reports whether a memory is or was at one of the paths or below it.
func concerns(d versions.TreeDiff, paths []memfs.Path) bool {
	for _, path := range paths {
		for _, e := range []versions.Entry{d.Before, d.After} {
			if e.Version != "" && e.Redacted == nil && e.Path.In(path) {
				return true
			}
		}
	}
	return len(paths) == 0
}

type treeDiffJSON struct {
	Kind     string     `json:"kind"`
	MemoryID string     `json:"memory_id"`
	Before   *entryJSON `json:"before,omitempty"`
	After    *entryJSON `json:"after,omitempty"`
	diffJSON
}

func (p *printer) treeDiff(ctx context.Context, s *versions.Store, t versions.TreeDiff) error {
	d := difference{}
	var err error
	if d.old, d.oldName, err = p.pastSide(ctx, s, "a", t.Before, &d.redacted); err != nil {
		return err
	}
	if d.new, d.newName, err = p.pastSide(ctx, s, "b", t.After, &d.redacted); err != nil {
		return err
	}
	if d.redacted {
		d.old, d.new = nil, nil
	}
	if t.Kind == versions.TreeRenamed {
		d.from, d.to = t.Before.Path.Tool(), t.After.Path.Tool()
	}
	if p.json {
		p.emit(treeDiffJSON{string(t.Kind), string(t.Memory()), sideOf(t.Before), sideOf(t.After), d.json()})
	} else {
		p.difference(d)
	}
	return nil
}

// sideOf returns the memory at one of two moments, or nil if it did not exist then.
func sideOf(e versions.Entry) *entryJSON {
	if e.Version == "" {
		return nil
	}
	j := entryOf(e)
	return &j
}

// pastSide returns the content and the name of one side of a difference between two
// moments.
func (p *printer) pastSide(ctx context.Context, s *versions.Store, prefix string, e versions.Entry, redacted *bool) ([]byte, string, error) {
	if e.Version == "" {
		return nil, nowhere, nil
	}
	b, err := s.Content(ctx, e.Version)
	if errors.Is(err, versions.ErrRedacted) {
		*redacted = true
		return nil, string(e.Version), nil
	}
	return b, prefix + e.Path.String(), err
}

// completeAt completes a change number, then the verb, then paths.
func (p *invocation) completeAt(cmd *cobra.Command, args []string, typed string) (completions, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return p.completeChanges(cmd, args, typed)
	case 1:
		return completions{"ls\tmemories of that moment", "cat\tmemories as they were then", "diff\twhat differs since"}, cobra.ShellCompDirectiveNoFileComp
	}
	return p.completePaths(cmd, args, typed)
}
