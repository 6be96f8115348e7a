package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

// searchForm selects how a search matches and what it prints for each memory.
type searchForm struct {
	anyCase bool
	paths   bool // only the path
}

func (f *searchForm) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVarP(&f.anyCase, "ignore-case", "i", false, "ignore case, even if the query has a capital letter")
	flags.BoolVarP(&f.paths, "files-with-matches", "l", false, "print only the paths of the memories found")
}

// check refuses flags that contradict each other.
func (f *searchForm) check(cmd *cobra.Command, json bool) error {
	if f.paths && json {
		return &misuse{errors.New("-l and --json exclude each other"), cmd.CommandPath()}
	}
	return nil
}

// short prints a memory as a path, if that was asked for.
func (h *hitPrinter) short(name string) bool {
	if !h.form.paths {
		return false
	}
	h.p.println("%s", h.p.safe(name))
	h.n++
	return true
}
