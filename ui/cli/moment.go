package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

// withStoreOf runs do with the store as it was right after a change, or at a time.
func withStoreOf(p *storeOpener, cmd *cobra.Command, at string, args []string, do func(ctx context.Context, p *console, s *engine.Store, change int64, paths []memfs.Path) error) error {
	moment, err := momentArg(&p.console, cmd.CommandPath(), at)
	if err != nil {
		return err
	}
	return p.withPast(cmd.Context(), nil, func(s *engine.Store) error {
		paths, err := pathArgs(s, cmd.CommandPath(), args)
		if err != nil {
			return err
		}
		m, err := moment(cmd.Context(), s)
		if err != nil {
			return err
		}
		return do(cmd.Context(), &p.console, s, m.Change, paths)
	})
}

// atFlag adds --at to a command that can show the past.
func atFlag(p *storeOpener, cmd *cobra.Command, at *string, about string) {
	cmd.Flags().StringVar(at, "at", "", about)
	complete(cmd, "at", p.completeChanges)
}

// momentOf finds a moment in the history of a store.
type momentOf = func(context.Context, *engine.Store) (versions.Moment, error)

// momentArg parses a moment: the number of a change, or a time.
func momentArg(p *console, command, arg string) (momentOf, error) {
	if n, err := strconv.ParseInt(arg, 10, 64); err == nil && n >= 0 {
		return func(ctx context.Context, s *engine.Store) (versions.Moment, error) {
			return history.MomentOf(ctx, s, n)
		}, nil
	}
	_, t, err := parseTime("", arg, p.now())
	if err != nil || arg == "" {
		return nil, misusef(command, "%q is neither a time nor the number of a change; write 42, %s", arg, units.Times)
	}
	return func(ctx context.Context, s *engine.Store) (versions.Moment, error) {
		return history.MomentAt(ctx, s, t)
	}, nil
}

func printEntriesAt(ctx context.Context, p *console, s *engine.Store, n int64, paths []memfs.Path) error {
	entries, err := history.TreeAt(ctx, s, n)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return printEntries(p, s, entries, []memfs.Path{workingPath(s)}, false)
	}
	return printEntries(p, s, entries, paths, true)
}

func printMemoriesAt(ctx context.Context, p *console, s *engine.Store, n int64, paths []memfs.Path) error {
	for _, path := range paths {
		e, err := history.EntryAt(ctx, s, path, n)
		if err != nil {
			return fmt.Errorf("at change %d: %w", n, err)
		}
		b, err := history.Content(ctx, s, e.Version)
		if err == nil {
			err = printContent(p, path, b, lines{}, false)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// diffSince shows what differs between a moment and another, or now without one.
func diffSince(ctx context.Context, p *console, s *engine.Store, n int64, to momentOf, paths []memfs.Path) error {
	last, err := s.LastChange(ctx)
	if err == nil && to != nil {
		var m versions.Moment
		m, err = to(ctx, s)
		last = m.Change
	}
	if err != nil {
		return err
	}
	ds, err := history.DiffTrees(ctx, s, n, last)
	if err != nil {
		return err
	}
	same := true
	for _, d := range ds {
		if d.Kind == versions.TreeSame || !concerns(d, paths) {
			continue
		}
		same = false
		if err := treeDiff(ctx, p, s, d); err != nil {
			return err
		}
	}
	if same {
		reportEmpty(p, s, "nothing differs between change %d and change %d", n, last)
	}
	return nil
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

func treeDiff(ctx context.Context, p *console, s *engine.Store, t versions.TreeDiff) error {
	d := difference{}
	var err error
	if d.old, d.oldName, err = pastSide(ctx, s, "a", t.Before, &d.redacted); err != nil {
		return err
	}
	if d.new, d.newName, err = pastSide(ctx, s, "b", t.After, &d.redacted); err != nil {
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
		printDifference(p, d)
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
func pastSide(ctx context.Context, s *engine.Store, prefix string, e versions.Entry, redacted *bool) ([]byte, string, error) {
	if e.Version == "" {
		return nil, nowhere, nil
	}
	b, err := history.Content(ctx, s, e.Version)
	if errors.Is(err, versions.ErrRedacted) {
		*redacted = true
		return nil, string(e.Version), nil
	}
	return b, prefix + e.Path.String(), err
}

// parseTime returns the first and the last moment of the time that a text names, or zero
// times for an empty text. what is the flag with that value.
func parseTime(what, s string, now time.Time) (from, to time.Time, err error) {
	if s == "" {
		return from, to, nil
	}
	from, to, ok := units.Span(s, now.Local())
	if !ok {
		return from, to, fmt.Errorf("%s %s: not a time; write %s", what, s, units.Times)
	}
	return from, to, nil
}
