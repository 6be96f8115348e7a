package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

func diffCommand(p *program) *cobra.Command {
	var at, to string
	cmd := &cobra.Command{
		Use:               "diff A [B] | diff --at TIME|CHANGE [PATH...]",
		Annotations:       map[string]string{overview: "compare", pages: ""},
		Short:             "Show the differences between versions",
		Args:              cobra.ArbitraryArgs, // RunE checks them
		ValidArgsFunction: p.completeVersions,
	}
	versionsOf := refCommand(&p.storeOpener, func(ctx context.Context, s *engine.Store, refs []ref) error {
		ds, err := differences(ctx, s, refs)
		if err != nil {
			return err
		}
		for _, d := range ds {
			if p.json {
				p.emit(d.json())
			} else {
				printDifference(&p.console, d)
			}
		}
		return nil
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if at == "" {
			if err := misused(cobra.RangeArgs(1, 2))(cmd, args); err != nil {
				return err
			}
			if to != "" {
				return misusef(cmd.CommandPath(), "--to needs --at")
			}
			return versionsOf(cmd, args)
		}
		var end momentOf
		if to != "" {
			var err error
			if end, err = momentArg(&p.console, cmd.CommandPath(), to); err != nil {
				return err
			}
		}
		return withStoreOf(&p.storeOpener, cmd, at, args, func(ctx context.Context, c *console, s *engine.Store, change int64, paths []memfs.Path) error {
			return diffSince(ctx, c, s, change, end, paths)
		})
	}
	atFlag(&p.storeOpener, cmd, &at, "show what changed since this `TIME` or change")
	cmd.Flags().StringVar(&to, "to", "", "with --at: up to this `TIME` or change, instead of now")
	complete(cmd, "to", p.completeChanges)
	return cmd
}

// difference is two contents with their names.
type difference struct {
	old, new         []byte
	oldName, newName string
	redacted         bool
	from, to         string // set for a rename only
}

const nowhere = "/dev/null"

func (d difference) unified() []byte {
	return diff.Lines(d.old, d.new).Unified(d.oldName, d.newName, 3)
}

func differences(ctx context.Context, s *engine.Store, refs []ref) ([]difference, error) {
	if len(refs) == 2 {
		a, err := refs[0].side(ctx, s)
		if err != nil {
			return nil, err
		}
		b, err := refs[1].side(ctx, s)
		if err != nil {
			return nil, err
		}
		d := difference{old: a.content, oldName: a.name, new: b.content, newName: b.name}
		if from, to := a.version, b.version; from.Memory == to.Memory && from.Path != to.Path {
			d.from, d.to = from.Path.Tool(), to.Path.Tool()
		}
		return []difference{d}, nil
	}
	if refs[0].change == 0 {
		v, err := refs[0].one(ctx, s)
		if err != nil {
			return nil, err
		}
		d, err := versionDiff(ctx, s, v)
		return []difference{d}, err
	}
	_, vs, err := history.Change(ctx, s, refs[0].change)
	if err != nil {
		return nil, err
	}
	var ds []difference
	for _, v := range vs {
		d, err := versionDiff(ctx, s, v)
		if err != nil {
			return nil, err
		}
		ds = append(ds, d)
	}
	return ds, nil
}

// versionDiff returns what a version changed.
func versionDiff(ctx context.Context, s *engine.Store, v versions.Version) (difference, error) {
	d := difference{oldName: nowhere, newName: nowhere}
	prev, ok, err := before(ctx, s, v)
	if err != nil {
		return d, err
	}
	if v.Renamed() && v.Redacted.IsZero() && (!ok || prev.Redacted.IsZero()) {
		d.from, d.to = v.From.Tool(), v.Path.Tool()
	}
	if ok && prev.Operation != versions.Deleted {
		d.oldName = "a" + prev.Path.String()
		d.old, err = content(ctx, s, prev)
	}
	if err == nil && v.Operation != versions.Deleted {
		d.newName = "b" + v.Path.String()
		d.new, err = content(ctx, s, v)
	}
	if errors.Is(err, versions.ErrRedacted) {
		return difference{oldName: d.oldName, newName: d.newName, redacted: true}, nil
	}
	return d, err
}

// side is one of the two contents to compare.
type side struct {
	content []byte
	name    string
	version versions.Version // zero: a memory as it is on disk
}

// side returns a version, or a memory as it is on disk.
func (r ref) side(ctx context.Context, s *engine.Store) (side, error) {
	if r.id == "" && r.memory == "" && r.change == 0 && r.version == 0 {
		b, err := readMemory(ctx, s, r.path)
		return side{content: b, name: r.path.Tool()}, err
	}
	v, err := r.one(ctx, s)
	if err != nil {
		return side{}, err
	}
	b, err := content(ctx, s, v)
	return side{b, fmt.Sprintf("%s@%d", v.Path.Tool(), v.Number), v}, err
}

type diffJSON struct {
	From     string `json:"from_path,omitempty"`
	To       string `json:"to_path,omitempty"`
	Old      string `json:"old"`
	New      string `json:"new"`
	Added    int    `json:"lines_added"`
	Removed  int    `json:"lines_removed"`
	Redacted bool   `json:"redacted,omitempty"`
	Unified  string `json:"unified"`
}

func (d difference) json() diffJSON {
	lines := diff.Lines(d.old, d.new)
	return diffJSON{d.from, d.to, d.oldName, d.newName, lines.Added, lines.Removed, d.redacted, string(d.unified())}
}
