package cli

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandTree lists all commands in their groups, with their subcommands. A command that comes in
// has to replace another: every command is one more that everybody reads past.
const commandTree = `
memories: cat cp edit ls merge mv rm search write
past: blame diff log redact redo restore show trace undo
trust: check guard pin policy(edit set show use) review(accept edit reject show) stale
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

// The screen of `memend help` fits a small terminal, with the prompt below it, and has every command
// in its group.
func TestTheHelpScreenListsEveryCommand(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSuffix(helpText("screen"), "\n"), "\n")
	if len(lines) > 23 {
		t.Errorf("it has %d lines", len(lines))
	}
	group, got := "", map[string]string{}
	titles := map[string]string{"memories": "memories", "the past": "past", "trust": "trust", "agents": "agents", "home": "home"}
	cells := regexp.MustCompile(`^(.{10})(.{24})?(.{24})?(.*)$`)
	for _, line := range lines[2 : len(lines)-2] {
		m := cells.FindStringSubmatch(fmt.Sprintf("%-58s", line))
		if m == nil || strings.TrimSpace(line) == "" {
			continue
		}
		if title := strings.TrimSpace(m[1]); title != "" {
			group = titles[title]
		}
		for _, cell := range m[2:] {
			if name, _, ok := strings.Cut(strings.TrimSpace(cell), " "); ok {
				got[name] = group
			}
		}
	}
	for _, cmd := range rootCommand((&program{})).Commands() {
		if got[cmd.Name()] != cmd.GroupID {
			t.Errorf("%s is in group %q of the screen, and in %q of the tree", cmd.Name(), got[cmd.Name()], cmd.GroupID)
		}
		delete(got, cmd.Name())
	}
	if len(got) > 0 {
		t.Errorf("these are no commands: %v", got)
	}
}
