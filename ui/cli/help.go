package cli

import (
	_ "embed"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"
)

// helpScreen is what `memend help` prints: all commands in one screen.
//
//go:embed help/screen.txt
var helpScreen string

// helpCommand is cobra's help command, except that it fails for an unknown command, and that what
// is not about one command is below it.
func (p *program) helpCommand(root *cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "List the commands, or show the help of one",
		Long:  "List the commands, or show the help of one.",
		Example: `  memend help
  memend help stores create`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var out []cobra.Completion
			for _, c := range cmd.Commands() {
				if c.IsAvailableCommand() {
					out = append(out, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				p.out.WriteString(helpScreen) // errors are reported by the flush
				return nil
			}
			cmd, rest, err := root.Find(args)
			if err != nil {
				return &misuse{err, ""}
			}
			if len(rest) > 0 {
				return unknownCommand(cmd, rest[0])
			}
			cmd.InitDefaultHelpFlag() // otherwise --help is not listed
			return cmd.Help()
		},
	}
	cmd.AddCommand(p.keysCommand(), p.schemaCommand(), p.manCommand(), p.completionCommand())
	return cmd
}

// shells are the shells that have completion, and how each script is written.
var shells = map[string]func(root *cobra.Command, to io.Writer) error{
	"bash":       func(root *cobra.Command, to io.Writer) error { return root.GenBashCompletionV2(to, true) },
	"zsh":        (*cobra.Command).GenZshCompletion,
	"fish":       func(root *cobra.Command, to io.Writer) error { return root.GenFishCompletion(to, true) },
	"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
}

func (p *program) completionCommand() *cobra.Command {
	names := slices.Sorted(maps.Keys(shells))
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the script that completes commands in a shell",
		Long: `Print the script with which a shell completes commands, flags, memories,
versions and changes. SHELL is bash, fish, powershell or zsh.`,
		Example: `  memend help completion bash > memend.bash     for your ~/.bashrc to source
  memend help completion zsh > _memend          for a folder of your $fpath
  memend help completion fish > memend.fish     for ~/.config/fish/completions`,
		Args:      misused(cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)),
		ValidArgs: names,
		RunE:      func(cmd *cobra.Command, args []string) error { return shells[args[0]](cmd.Root(), p.out) },
	}
}
