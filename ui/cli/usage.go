package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// printUsage prints how a command is used, as cobra does, with the flags in lines that fit a terminal. A template of cobra would do
// the same, but text/template calls methods by names that the linker can't know: it keeps all methods of all
// types then, and the program's file is 30 MB larger.
func printUsage(c *cobra.Command) error {
	w := c.OutOrStderr()
	section := func(title string, lines string) {
		if lines != "" {
			fmt.Fprintf(w, "\n\n%s\n%s", title, strings.TrimRight(lines, " \n"))
		}
	}
	io.WriteString(w, "Usage:")
	if c.Runnable() {
		fmt.Fprintf(w, "\n  %s", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n  %s [command]", c.CommandPath())
	}
	if c.HasExample() {
		section("Examples:", c.Example)
	}
	for _, group := range slices.Concat(c.Groups(), []*cobra.Group{{Title: "Available Commands:"}}) {
		section(group.Title, commandsOf(c, group.ID))
	}
	section("Flags:", flagLines(c.LocalFlags()))
	section("Global Flags:", flagLines(c.InheritedFlags()))
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n\nUse \"%s [command] --help\" for more information about a command.", c.CommandPath())
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func commandsOf(c *cobra.Command, group string) string {
	var lines strings.Builder
	for _, below := range c.Commands() {
		if below.GroupID == group && below.IsAvailableCommand() {
			fmt.Fprintf(&lines, "  %-*s %s\n", below.NamePadding(), below.Name(), below.Short)
		}
	}
	return lines.String()
}

func flagLines(flags *pflag.FlagSet) string {
	if !flags.HasAvailableFlags() {
		return ""
	}
	return flags.FlagUsagesWrapped(usualWidth)
}
