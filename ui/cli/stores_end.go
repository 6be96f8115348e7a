package cli

import (
	"errors"
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
other is left as it is, with the memories in it. A hosted store is deleted at
its service too; "stores disconnect" deletes only what is here.

Afterwards every file of memtrail's home is searched for what was erased. The
exit code is 0 only when none of it was found.`,
		Args:              misused(cobra.ExactArgs(1)),
		ValidArgsFunction: p.completeStores,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.endStore(cmd, args[0], yes, func(info versions.StoreInfo) (string, error) {
				if info.Hosted() {
					return "Delete store " + p.safe(info.Name) + " at its service (" + p.safe(info.Upstream.URL) + "), with all memories and versions, and here? Nothing brings it back.", nil
				}
				return "Erase the history of store " + p.safe(info.Name) + " (" + p.safe(info.Folder) + ")? Nothing brings it back.", nil
			}, func(t *versions.Trail, info versions.StoreInfo) error {
				if !info.Hosted() {
					return nil
				}
				up, err := t.Upstream(info)
				if err == nil {
					err = up.Drop(cmd.Context())
				}
				if errors.Is(err, versions.ErrNoStore) { // somebody was faster
					err = nil
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "don't ask")
	return cmd
}

// endStore deletes a store here, once somebody has agreed and first has done what comes
// before it.
func (p *program) endStore(cmd *cobra.Command, ref string, yes bool, question func(versions.StoreInfo) (string, error), first func(*versions.Trail, versions.StoreInfo) error) error {
	by, err := p.person()
	if err != nil {
		return err
	}
	return p.withTrail(cmd.Context(), func(t *versions.Trail) error {
		info, err := t.FindStore(cmd.Context(), ref)
		if err != nil {
			return err
		}
		if !names(ref, info) {
			return misusef(cmd.CommandPath(), "%s lies in store %s: name the store that is to go", ref, info.Name)
		}
		ask, err := question(info)
		if err != nil {
			return err
		}
		if ok, err := p.sure(cmd.CommandPath(), ask, yes); err != nil || !ok {
			return err
		}
		if first != nil {
			if err := first(t, info); err != nil {
				return err
			}
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
