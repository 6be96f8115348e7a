package cli

import (
	"errors"
	"strings"

	"github.com/memend/memend/ui/config"
	"github.com/spf13/cobra"
)

// errLookOnly refuses changes by a person in read-only mode. The --read-only flag also
// applies to the commands that serve agents, whose trail is then opened read-only. The
// environment and the settings file do not: they are settings of the TUI, and must not
// decide what an agent may do.
var errLookOnly = errors.New("read-only: nothing is written")

// named, as a value in writers, marks a command that only lists without a name.
const named = "NAME"

// writers lists the commands that change memories or stores, without "memend". The value is
// the flag without which the command only reads, or named.
var writers = map[string]string{
	"write": "", "edit": "", "config init": "", "watch": named, "mv": "", "cp": "", "rm": "", "restore": "", "undo": "", "redo": "", "redact": "", "expire": "", "import": "", "agent": "",
	"search": "replace", "check": "repair", "backup": "restore",
	"stores create": "", "stores describe": "", "stores move": "", "stores archive": "", "stores unarchive": "", "stores rename": "", "stores delete": "",
	"setup": named, "tokens create": "", "tokens revoke": "",
	"stores connect": named, "stores mirror": "", "stores disconnect": "", "stores discover": "add",
}

// onlyShowing lists flags with which such a command writes nothing.
var onlyShowing = []string{"dry-run", "list", "verify"}

// agentsUse lists the commands that serve agents and need a store.
var agentsUse = map[string]bool{"tool": true, "mcp": true, "agent": true}

// writes reports whether a command line changes memories or stores.
func writes(cmd *cobra.Command) bool {
	with, known := writers[strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")]
	switch {
	case !known, with == named && cmd.Flags().NArg() == 0, with != "" && with != named && !cmd.Flags().Changed(with):
		return false
	}
	for _, name := range onlyShowing {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() != "false" {
			return false
		}
	}
	return true
}

// refuseWrites refuses a command that would write if the flag, the environment or the
// settings file forbid it.
func (p *program) refuseWrites(cmd *cobra.Command) error {
	p.wishes.looks = cmd.Flags().Changed("read-only")
	if !writes(cmd) {
		return nil
	}
	conf, err := config.Load(p.configOptions())
	switch {
	case conf.ReadOnly:
		return &hinted{errLookOnly, "--read-only=false, or read_only in `memend config`, lets it be written"}
	case err != nil: // a setting that can't be read may forbid it
		_, err = p.settings()
	}
	return err
}
