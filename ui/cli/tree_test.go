package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandTree lists all commands in their groups, with their subcommands. A command that comes in
// has to replace another: every command is one more that everybody reads past.
const commandTree = `
memories: cat cp edit ls merge mv rm search write
the past: blame diff log redact redo restore show trace undo
trust: check guard pin policy(edit set show use) review(accept edit keep reject show undo) stale
agents: agent hook mcp serve sessions setup tokens(create revoke) tool watch
home: backup config(check init themes) demo doctor export help(completion json keys man) import status stores(archive connect create delete describe disconnect discover merge mirror move) sync version
`

// maxFlags is how many flags a command may have besides those that all have.
const maxFlags = 8

func TestTheCommandsAreTheseInFiveGroups(t *testing.T) {
	t.Parallel()
	root := rootCommand((&program{}))
	got := "\n"
	for _, group := range root.Groups() {
		got += group.ID + ":"
		for _, cmd := range root.Commands() {
			if cmd.GroupID != group.ID {
				continue
			}
			got += " " + cmd.Name()
			var below []string
			for _, sub := range cmd.Commands() {
				below = append(below, sub.Name())
				if sub.HasSubCommands() {
					t.Errorf("%s has subcommands of its own", sub.CommandPath())
				}
			}
			if below != nil {
				got += "(" + strings.Join(below, " ") + ")"
			}
		}
		got += "\n"
	}
	if got != commandTree {
		t.Errorf("the commands are%s", got)
	}
}

func TestNoCommandHasMoreFlagsThanAHelpTextCanCarry(t *testing.T) {
	t.Parallel()
	each(rootCommand((&program{})), func(cmd *cobra.Command) {
		var own []string
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { own = append(own, f.Name) })
		if len(own) > maxFlags {
			t.Errorf("%s has %d flags: %s", cmd.CommandPath(), len(own), strings.Join(own, " "))
		}
	})
}

// The screen of `memend help` fits a small terminal, with the prompt below it, and says of every command what it does.
func TestTheHelpScreenListsEveryCommand(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := newProgram(console{out: bufio.NewWriter(&out), err: io.Discard})
	root := rootCommand(p)
	root.SetArgs([]string{"help"})
	if err := errors.Join(root.ExecuteContext(t.Context()), p.out.Flush()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) > 23 || slices.ContainsFunc(lines, func(line string) bool { return len(line) > 80 }) {
		t.Errorf("%d lines:\n%s", len(lines), out.String())
	}
	for _, cmd := range root.Commands() {
		if about := cmd.Annotations[overview]; about == "" || !strings.Contains(out.String(), fmt.Sprintf("%-8s %s", cmd.Name(), about)) {
			t.Errorf("%s is not in the screen with %q", cmd.Name(), about)
		}
	}
}
