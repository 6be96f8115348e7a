package cli

import (
	"os"

	"github.com/memtrail/memtrail/versions"
	"github.com/spf13/cobra"
)

func (p *program) storesArchiveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "archive STORE",
		Short: "Make a store read-only, for good",
		Long: `Make a store read-only. It can be read, its memories deleted and its versions
redacted, but nothing is written to it through memtrail any more. What other
programs write to its folder is still recorded. There is no way back.`,
		Args:              misused(cobra.ExactArgs(1)),
		ValidArgsFunction: p.completeStores,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withTrail(cmd.Context(), func(t *versions.Trail) error {
				info, err := t.FindStore(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if info, err = t.ArchiveStore(cmd.Context(), info.ID); err != nil {
					return err
				}
				return p.storeTold(info, "store %s is archived", info.Name)
			})
		},
	}
}

func (p *program) storesDeleteCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete STORE",
		Short: "Erase a store's history for good",
		Long: `Erase a store's part of the trail: all versions of all its memories, and who
made them. Nothing brings it back. A folder that memtrail made goes with it; any
other is left as it is, with the memories in it.

Afterwards every file of memtrail's home is searched for what was erased. The
exit code is 0 only when none of it was found.`,
		Args:              misused(cobra.ExactArgs(1)),
		ValidArgsFunction: p.completeStores,
		RunE: func(cmd *cobra.Command, args []string) error {
			by, err := p.person()
			if err != nil {
				return err
			}
			return p.withTrail(cmd.Context(), func(t *versions.Trail) error {
				info, err := t.FindStore(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if !names(args[0], info) {
					return misusef(cmd.CommandPath(), "%s lies in store %s: name the store that is to go", args[0], info.Name)
				}
				question := "Erase the history of store " + p.safe(info.Name) + " (" + p.safe(info.Folder) + ")? Nothing brings it back."
				if ok, err := p.sure(cmd.CommandPath(), question, yes); err != nil || !ok {
					return err
				}
				searching := p.progress("searching")
				scrub := versions.Scrub{Wait: readerWait, Progress: func(done, total int64) { searching.bytes(p.now, done, total) }}
				r, err := t.DeleteStore(cmd.Context(), by, info.ID, scrub)
				searching.end()
				if err != nil {
					return err
				}
				return p.receipt(r)
			})
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "don't ask")
	return cmd
}

// names reports whether ref is the store itself, and not something in its folder.
func names(ref string, info versions.StoreInfo) bool {
	if ref == info.Name || ref == string(info.ID) {
		return true
	}
	a, err := os.Stat(ref)
	if err != nil {
		return false
	}
	b, err := os.Stat(info.Folder)
	return err == nil && os.SameFile(a, b)
}
