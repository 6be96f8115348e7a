package cli

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/memend/memend/ui/config"
	"github.com/spf13/cobra"
)

// errReadOnlyMode refuses changes by a person in read-only mode. The --read-only flag also
// applies to the commands that serve agents, whose trail is then opened read-only. The
// environment and the settings file do not: they are settings of the TUI, and must not
// decide what an agent may do.
var errReadOnlyMode = errors.New("read-only: nothing is written")

// The annotations of a command.
const (
	changes  = "changes"  // memories or stores: always, or with one of these, separated by commas: withName, the name of a flag
	attaches = "attaches" // an agent to a store
	creates  = "creates"  // memend's home, if it doesn't exist and the command makes something in it
	filters  = "filters"  // its output by --actor and --session
	pages    = "pages"    // its output goes through a pager
	whole    = "whole"    // it may read all texts of a store
	noJSON   = "noJSON"   // it prints a text or serves, always or with this flag
	overview = "overview" // what it does, in a word or two for the list of all commands
)

// The values of changes that are no flag.
const (
	always   = ""
	withName = "NAME" // without an argument the command only prints
)

// printOnly lists the flags with which such a command changes nothing.
var printOnly = []string{"dry-run", "verify"}

// has reports whether a command has an annotation.
func has(cmd *cobra.Command, annotation string) bool {
	_, has := cmd.Annotations[annotation]
	return has
}

// writes reports whether a command line asks for a change of memories or stores.
func writes(cmd *cobra.Command) bool {
	asked := func(with string) bool {
		return with == always || with == withName && cmd.Flags().NArg() > 0 || cmd.Flags().Changed(with)
	}
	if !has(cmd, changes) || !slices.ContainsFunc(strings.Split(cmd.Annotations[changes], ","), asked) {
		return false
	}
	for _, name := range printOnly {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() != "false" {
			return false
		}
	}
	return true
}

// mayCreate reports whether a command line creates the home if it doesn't exist. A store that is
// named can't be in such a home, except one that is made for a folder.
func mayCreate(p *invocation, cmd *cobra.Command) bool {
	ref := p.requestedStore()
	attached := cmd.Flags().Lookup("attach")
	switch {
	case p.makes && isFolder(ref):
		return isDir(ref)
	case has(cmd, attaches) && ref != "" || attached != nil && attached.Changed:
		return false
	case has(cmd, changes) && !writes(cmd):
		return false
	}
	return has(cmd, creates)
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// refuseWrites refuses a command that would write if the flag, the environment or the
// settings file forbid it.
func refuseWrites(p *environment, cmd *cobra.Command) error {
	p.overrides.readOnlySet = cmd.Flags().Changed("read-only")
	if !writes(cmd) {
		return nil
	}
	conf, err := config.Load(p.configOptions())
	switch {
	case conf.ReadOnly:
		return &hinted{errReadOnlyMode, "--read-only=false, or read_only in `memend config`, allows writes"}
	case err != nil: // a setting that can't be read may forbid it
		_, err = p.settings()
	}
	return err
}
