package cli

import (
	"errors"
	"strings"

	"github.com/memend/memend/ui/config"
	"github.com/spf13/cobra"
)

// errLookOnly refuses what a person asks for where nothing is to be written. The flag also
// binds the commands that agents come in by: their trail is opened for reading only. The
// environment and the settings don't: what an agent may do is not for a setting of the
// screens to say.
var errLookOnly = errors.New("read-only: nothing is written")

// named stands in writers for what only shows what there is as long as nothing is named.
const named = "NAME"

// writers are the commands that change memories or stores, by what stands after
// "memend"; some only with a flag, which is named, or with a name.
var writers = map[string]string{
	"write": "", "edit": "", "config init": "", "watch": named, "mv": "", "cp": "", "rm": "", "restore": "", "undo": "", "redo": "", "redact": "", "expire": "", "import": "", "agent": "",
	"search": "replace", "check": "repair", "backup": "restore",
	"stores create": "", "stores describe": "", "stores move": "", "stores archive": "", "stores unarchive": "", "stores rename": "", "stores delete": "",
	"setup": named, "tokens create": "", "tokens revoke": "",
	"stores connect": named, "stores mirror": "", "stores disconnect": "", "stores discover": "add",
}

// onlyShowing are flags with which such a command writes nothing.
var onlyShowing = []string{"dry-run", "list", "verify"}

// agentsUse are the commands that agents come in by and that need a store.
var agentsUse = map[string]bool{"tool": true, "mcp": true, "agent": true}

// writes reports whether a command line asks for a change of memories or stores.
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

// refuseWrites refuses a command that would write where the flag, the environment or
// the settings' file says that nothing is to be written.
func (p *program) refuseWrites(cmd *cobra.Command) error {
	p.wishes.looks = cmd.Flags().Changed("read-only")
	if !writes(cmd) {
		return nil
	}
	conf, err := config.Load(p.configOptions())
	switch {
	case conf.ReadOnly:
		return &hinted{errLookOnly, "--read-only=false, or read_only in `memend config`, lets it be written"}
	case err != nil: // what can't be read may be what forbids it
		_, err = p.settings()
	}
	return err
}
