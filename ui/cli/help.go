package cli

import (
	"embed"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// helpFiles are the texts of the help. That of `memend log` is in memend-log.txt: what the command does, then a
// line "Examples:" and its examples. {times} stands for the text in times.txt. screen.txt is what is around the list of all commands.
//
//go:embed help
var helpFiles embed.FS

// helpText returns the text of a file, or "" if there is none.
func helpText(name string) string {
	b, err := helpFiles.ReadFile("help/" + name + ".txt")
	if err != nil {
		return ""
	}
	return string(b)
}

// addHelp adds its help text to a command. Without one a command has only its summary.
func addHelp(cmd *cobra.Command) {
	text := helpText(strings.ReplaceAll(cmd.CommandPath(), " ", "-"))
	for _, part := range []string{"times", "conflicts"} {
		if strings.Contains(text, "{"+part+"}") {
			text = strings.Replace(text, "{"+part+"}\n", helpText(part), 1)
		}
	}
	text = strings.Replace(text, "{exits}\n", exitsText(), 1)
	if text != "" {
		long, examples, _ := strings.Cut(text, "\nExamples:\n")
		cmd.Long, cmd.Example = strings.TrimRight(long, "\n"), strings.TrimRight(examples, "\n")
	}
}

// helpCommand is cobra's help command, except that it lists the commands in one screen, fails for an
// unknown command, and has what is not about one command below it.
func helpCommand(p *program, root *cobra.Command, commands *string) *cobra.Command {
	cmd := &cobra.Command{
		Use:         "help [COMMAND]",
		Annotations: map[string]string{overview: "about these", noJSON: always},
		Short:       "List the commands, or show the help of one",
		Args:        cobra.ArbitraryArgs, // the words of a command
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
				p.out.WriteString(strings.Replace(helpText("screen"), "{commands}\n", *commands, 1)) // errors are reported by the flush
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
	cmd.AddCommand(keysCommand(p), schemaCommand(&p.console), manCommand(&p.console), completionCommand(&p.console))
	return cmd
}

// shells are the shells that have completion, and how each script is written.
var shells = map[string]func(root *cobra.Command, to io.Writer) error{
	"bash":       func(root *cobra.Command, to io.Writer) error { return root.GenBashCompletionV2(to, true) },
	"zsh":        (*cobra.Command).GenZshCompletion,
	"fish":       func(root *cobra.Command, to io.Writer) error { return root.GenFishCompletion(to, true) },
	"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
}

func completionCommand(p *console) *cobra.Command {
	names := slices.Sorted(maps.Keys(shells))
	return &cobra.Command{
		Use:         "completion SHELL",
		Annotations: map[string]string{noJSON: always},
		Short:       "Print the script that completes commands in a shell",
		Args:        cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs:   names,
		RunE:        func(cmd *cobra.Command, args []string) error { return shells[args[0]](cmd.Root(), p.out) },
	}
}
