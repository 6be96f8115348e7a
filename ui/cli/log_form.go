package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

// logForm selects what log prints for each change.
type logForm struct {
	patch, stat, oneline bool
}

func (f *logForm) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVarP(&f.patch, "patch", "p", false, "also print the differences that each change made")
	flags.BoolVar(&f.stat, "stat", false, "also print the lines added and removed in each memory")
	flags.BoolVar(&f.oneline, "oneline", false, "print only the number and the subject of each change")
}

// patchJSON is a version with its diff.
type patchJSON struct {
	versionJSON
	Unified *string `json:"unified,omitempty"` // absent: not asked for, or redacted
}

type patchedChangeJSON struct {
	changeJSON
	Versions []patchJSON `json:"memory_versions"`
}

// printChange prints a change in the selected form.
func printChange(ctx context.Context, p *console, s *engine.Store, c versions.Change, f logForm) error {
	if !f.patch && !f.stat {
		if f.oneline && !p.json {
			p.println("%d %s", c.Number, cmp.Or(p.safe(c.Subject), describeChange(p, c)))
		} else {
			printLogChange(p, c)
		}
		return nil
	}
	_, vs, err := history.Change(ctx, s, c.Number)
	if err != nil {
		return err
	}
	if p.json {
		j := patchedChangeJSON{changeOf(c), []patchJSON{}}
		for _, v := range vs {
			one, err := patchOf(ctx, s, v, f)
			if err != nil {
				return err
			}
			j.Versions = append(j.Versions, one)
		}
		p.emit(j)
		return nil
	}
	if err := printChange(ctx, p, s, c, logForm{oneline: f.oneline}); err != nil {
		return err
	}
	if f.stat {
		if err := printStat(ctx, p, s, vs); err != nil {
			return err
		}
	}
	if !f.patch {
		return nil
	}
	for _, v := range vs {
		p.println("")
		if err := changedVersion(ctx, p, s, v); err != nil {
			return err
		}
	}
	p.println("")
	return nil
}

// printVersion prints a version in the selected form. Its line already has the number of
// lines added and removed.
func printVersion(ctx context.Context, p *console, s *engine.Store, v versions.Version, other, above string, f logForm) error {
	switch {
	case p.json && (f.patch || f.stat):
		j, err := patchOf(ctx, s, v, f)
		if err == nil {
			p.emit(j)
		}
		return err
	case f.oneline && !p.json:
		p.println("%s%d %s", p.safe(other), v.Change, cmp.Or(p.safe(v.Subject), operationName(v)+" "+versionName(p, v)))
	default:
		printLogVersion(p, v, other, above)
	}
	if !f.patch || p.json {
		return nil
	}
	d, err := versionDiff(ctx, s, v)
	if err != nil {
		return err
	}
	p.println("")
	printDifference(p, d)
	p.println("")
	return nil
}

func patchOf(ctx context.Context, s *engine.Store, v versions.Version, f logForm) (j patchJSON, err error) {
	if v, err = withLines(ctx, s, v); err != nil {
		return j, err
	}
	j.versionJSON = versionOf(v)
	if !f.patch {
		return j, nil
	}
	d, err := versionDiff(ctx, s, v)
	if err == nil && !d.redacted {
		unified := string(d.unified())
		j.Unified = &unified
	}
	return j, err
}

// printStat prints the number of lines that a change added and removed in each memory.
func printStat(ctx context.Context, p *console, s *engine.Store, vs []versions.Version) error {
	for _, v := range vs {
		v, err := withLines(ctx, s, v)
		if err != nil {
			return err
		}
		p.println("       %-8s  %5s %5s  %s", operationName(v), fmt.Sprintf("+%d", v.Added), fmt.Sprintf("-%d", v.Removed), versionName(p, v))
	}
	return nil
}

// withLines returns a version with its lines counted. The engine counts only those of the
// first versions of a change.
func withLines(ctx context.Context, s *engine.Store, v versions.Version) (versions.Version, error) {
	if v.Added > 0 || v.Removed > 0 {
		return v, nil
	}
	d, err := versionDiff(ctx, s, v)
	if err == nil && !d.redacted {
		lines := diff.Lines(d.old, d.new)
		v.Added, v.Removed = lines.Added, lines.Removed
	}
	return v, err
}
