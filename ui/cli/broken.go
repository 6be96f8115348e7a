package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/memend/memend/agent/outside"
	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/agent/references"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

type brokenJSON struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Kind string `json:"kind"`
	Text string `json:"text"`
	Why  string `json:"why"`
}

func (p *program) brokenCommand() *cobra.Command {
	var project string
	cmd := &cobra.Command{
		Use:         "broken [PATH...]",
		Annotations: map[string]string{pages: ""},
		Short:       "Find paths, commands and links in memories that no longer exist",
		Long: `Look up what memories name of their project: paths in code, commands (targets of
make, recipes of just, scripts of package.json, files that are run), links, and
files that agents load with them (imports: @PATH).
Print PATH:LINE, the kind, the text and why. Nothing is run and nothing is
fetched: links to other machines are not checked.

The project is the one of the tool that keeps the memories, else the git
repository that the store is in. --project names another directory. Without a
project, only links and paths outside of it are looked up.

It reports what is almost certainly gone: a path counts if its first folder
exists, or its name ends as files do, and it is nowhere in the project.`,
		Example: `  memend broken
  memend broken notes --project ~/src/app
  memend broken --json | jq -r .path | sort -u`,
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withStore(cmd.Context(), func(s *versions.Store) error {
				wanted, err := pathArgs(s, cmd.CommandPath(), args)
				if err != nil {
					return err
				}
				return p.listBroken(cmd.Context(), s, wanted, project)
			})
		},
	}
	cmd.Flags().StringVar(&project, "project", "", "the `DIR` that the memories are about")
	complete(cmd, "project", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
	return cmd
}

// listBroken prints the broken references in memories.
func (p *program) listBroken(ctx context.Context, s *versions.Store, wanted []memfs.Path, dir string) (err error) {
	home, _ := os.UserHomeDir()
	if dir == "" {
		config, _ := outside.Config()
		dir = places.ProjectOf(ctx, s.Info(), config)
	} else if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	open, err := references.Open(ctx, dir, home)
	if err != nil {
		if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) && errors.Is(err, fs.ErrNotExist) {
			err = &hinted{fmt.Errorf("the project %s does not exist", dir), "--project names the directory that the memories are about"}
		}
		return err
	}
	var found []brokenJSON
	root := s.Info().Folder
	err = s.Contents(ctx, false, func(c versions.Content) error {
		for _, in := range c.In {
			if len(wanted) > 0 && !slices.ContainsFunc(wanted, in.Path.In) {
				continue
			}
			at := filepath.Dir(filepath.Join(root, filepath.FromSlash(in.Path.Rel())))
			for _, b := range open.Check(c.Text, at, root) {
				found = append(found, brokenJSON{in.Path.Tool(), b.Line, string(b.Kind), b.Text, b.Why})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(found, func(a, b brokenJSON) int { return cmp.Compare(a.Path, b.Path) })
	for _, b := range found {
		if p.json {
			p.emit(b)
			continue
		}
		p.println("%s:%d: %s %s: %s", p.safe(b.Path), b.Line, b.Kind, p.safe(b.Text), p.safe(b.Why))
	}
	if len(found) == 0 {
		p.reportEmpty(s, "nothing that memories name is gone")
	}
	return nil
}
