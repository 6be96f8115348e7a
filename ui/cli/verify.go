package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

type verifiedJSON struct {
	Path       string    `json:"path"`
	Version    string    `json:"memory_version_id"`
	VerifiedBy actorJSON `json:"verified_by"`
	VerifiedAt stamp     `json:"verified_at"`
}

func (p *program) verifyCommand() *cobra.Command {
	var withdraw bool
	cmd := &cobra.Command{
		Use:         "verify [PATH...]",
		Annotations: map[string]string{changes: withName},
		Short:       "Mark memories as still true",
		Long: `Record that you read memories and found them true; without a path, list those
that are marked. The mark belongs to the text: it is gone when the memory
changes, and it stays when the memory is moved. The command
"ls --unverified" lists the rest.

Only a person on a terminal verifies.`,
		Example: `  memend verify team/rules.md
  memend verify --withdraw team/rules.md
  memend verify --json | jq -r .path`,
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				if withdraw {
					return misusef(cmd.CommandPath(), "--withdraw: needs a path")
				}
				return p.withStore(cmd.Context(), func(s *versions.Store) error { return p.listVerified(cmd.Context(), s) })
			}
			if err := p.mayDecide("verify " + args[0]); err != nil {
				return err
			}
			return p.withStore(cmd.Context(), func(s *versions.Store) error {
				return p.markVerified(cmd.Context(), s, cmd.CommandPath(), args, withdraw)
			})
		},
	}
	cmd.Flags().BoolVar(&withdraw, "withdraw", false, "remove the marks instead")
	return cmd
}

// markVerified marks the memories at paths, and those in folders.
func (p *program) markVerified(ctx context.Context, s *versions.Store, command string, args []string, withdraw bool) error {
	wanted, err := pathArgs(s, command, args)
	if err != nil {
		return err
	}
	entries, err := s.Tree(ctx)
	if err != nil {
		return err
	}
	var found []versions.Entry
	for _, w := range wanted {
		in := slices.DeleteFunc(slices.Clone(entries), func(e versions.Entry) bool { return e.Kind != versions.Memory || !e.Path.In(w) })
		if len(in) == 0 {
			return fmt.Errorf("%w: %s", versions.ErrNoMemory, w.Tool())
		}
		found = append(found, in...)
	}
	var vs []versions.VersionID
	for _, e := range found {
		vs = append(vs, e.Version)
	}
	act, done := s.Verify, "verified"
	if withdraw {
		act, done = s.Unverify, "no longer verified:"
	}
	if err := act(ctx, p.caller, vs...); err != nil {
		return err
	}
	if p.json {
		return p.listVerified(ctx, s)
	}
	for _, e := range found {
		p.println("%s %s", done, p.toolPath(e.Path))
	}
	return nil
}

func (p *printer) listVerified(ctx context.Context, s *versions.Store) error {
	all, err := s.Verified(ctx)
	if err != nil {
		return err
	}
	for _, path := range slices.SortedFunc(maps.Keys(all), func(a, b memfs.Path) int { return strings.Compare(a.Tool(), b.Tool()) }) {
		v := all[path]
		if p.json {
			p.emit(verifiedJSON{path.Tool(), string(v.Version), actorOf(v.By), stamp(v.Time)})
			continue
		}
		p.tableLine(fmt.Sprintf("%s  %-14s  ", when(v.Time), p.safe(v.By.String())), p.toolPath(path), "")
	}
	if len(all) == 0 {
		p.reportEmpty(s, "nothing is verified")
	}
	return nil
}
