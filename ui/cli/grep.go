package cli

import (
	"github.com/spf13/cobra"
)

func (p *program) grepCommand() *cobra.Command {
	search := p.searchCommand()
	cmd := &cobra.Command{
		Use:         "grep PATTERN [PATH]",
		Annotations: map[string]string{pages: ""},
		Short:       "Find a regular expression in memories",
		Long: `Find the lines of memories that a regular expression matches, in all memories
or those in a folder: "memend search --regexp PATTERN --path PATH". A pattern
without a capital letter ignores case.`,
		Example: `  memend grep 'v[0-9]+' notes
  memend grep -il todo
  memend grep -C 2 'never|always'`,
		Args: misused(cobra.RangeArgs(1, 2)),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return p.completePaths(cmd, args, typed)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := search.Flags().Set("regexp", "true"); err != nil {
				return err
			}
			if len(args) > 1 {
				if err := search.Flags().Set("path", args[1]); err != nil {
					return err
				}
			}
			return search.RunE(cmd, args[:1])
		},
	}
	for _, name := range []string{"ignore-case", "files-with-matches", "count", "context", "limit", "history", "all-stores", "null"} {
		cmd.Flags().AddFlag(search.Flags().Lookup(name))
	}
	return cmd
}
