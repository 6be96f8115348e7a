package cli

import (
	"fmt"
	"os"
	"slices"

	"github.com/memend/memend/ui/config"
	"github.com/spf13/cobra"
)

// unknownCommand returns an error for an unknown subcommand, with a suggestion.
func unknownCommand(cmd *cobra.Command, word string) error {
	if err := replaced(cmd, word); err != nil {
		return err
	}
	err := fmt.Errorf("unknown command %q for %q", word, cmd.CommandPath())
	if near := config.Nearest(word, commandNames(cmd)); near != "" {
		return &misuse{&hinted{err, fmt.Sprintf("did you mean `%s %s`? `%s --help` lists the commands", cmd.CommandPath(), near, cmd.CommandPath())}, ""}
	}
	return &misuse{err, ""}
}

// unknownWord returns an error for a first argument that is neither a command nor a store.
func unknownWord(root *cobra.Command, word string, stores []string) error {
	if err := replaced(root, word); err != nil {
		return err
	}
	err := fmt.Errorf("no such command or store: %s", word)
	const lists = "`memend help` lists the commands, `memend stores` the stores"
	commands := commandNames(root)
	near := config.Nearest(word, slices.Concat(commands, stores))
	fi, serr := os.Stat(word)
	switch {
	case serr == nil && fi.IsDir():
		return &misuse{&hinted{err, fmt.Sprintf("`memend ./%s` opens the folder", word)}, ""}
	case near != "":
		return &misuse{&hinted{err, fmt.Sprintf("did you mean `memend %s`? %s", near, lists)}, ""}
	}
	return &misuse{&hinted{err, lists}, ""}
}

func commandNames(cmd *cobra.Command) (out []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			out = append(out, c.Name())
		}
	}
	return out
}
