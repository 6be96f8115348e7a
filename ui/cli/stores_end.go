package cli

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/replica"
	"github.com/memend/memend/versions/stores"
)

func storesArchiveCommand(p *program) *cobra.Command {
	var yes, undo bool
	cmd := &cobra.Command{
		Use:               "archive STORE",
		Annotations:       map[string]string{changes: always},
		Short:             "Make a store read-only",
		ValidArgsFunction: p.completeStores,
		RunE: func(cmd *cobra.Command, args []string) error {
			return onStore(&p.homeOpener, cmd, args[0], func(t *engine.Trail, info versions.StoreInfo) (err error) {
				if undo {
					if info, err = stores.Unarchive(cmd.Context(), t, p.by, info.ID); err != nil {
						return err
					}
					reportStore(&p.console, info, "store %s is not archived", info.Name)
					return nil
				}
				question := "Archive store " + info.Name + " at its service? It stays readable; nothing can be written to it any more, and this can't be undone."
				if ok, err := p.confirmIrreversible(cmd.CommandPath(), question, yes || !info.Hosted()); err != nil || !ok {
					return err
				}
				if info, err = stores.Archive(cmd.Context(), t, p.by, info.ID); err != nil {
					return err
				}
				reportStore(&p.console, info, "store %s is archived", info.Name)
				return nil
			})
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "don't ask")
	cmd.Flags().BoolVar(&undo, "undo", false, "make an archived store writable again")
	return cmd
}

func storesDeleteCommand(p *program) *cobra.Command {
	var yes, dryRun bool
	cmd := &cobra.Command{
		Use:               "delete STORE",
		Annotations:       map[string]string{changes: always},
		Short:             "Erase a store's history for good",
		ValidArgsFunction: p.completeStores,
		RunE: func(cmd *cobra.Command, args []string) error {
			if dryRun {
				return deletionPlan(&p.homeOpener, cmd, args[0])
			}
			return endStore(&p.homeOpener, cmd, args[0], yes, true, func(info versions.StoreInfo) (string, error) {
				if info.Hosted() {
					return "Delete store " + info.Name + " at its service (" + info.Upstream.URL + "), with all memories and versions, and here? This can't be undone.", nil
				}
				return "Erase the history of store " + info.Name + " (" + info.Folder + ")? This can't be undone.", nil
			})
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "don't ask")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only show what would be erased")
	return cmd
}

// deletionPlan shows what deleting a store would erase.
func deletionPlan(p *homeOpener, cmd *cobra.Command, ref string) error {
	return p.withTrail(cmd.Context(), func(t *engine.Trail) error {
		info, err := storeItself(cmd, t, ref)
		if err != nil {
			return err
		}
		sizes, err := history.Sizes(cmd.Context(), t)
		if err != nil {
			return err
		}
		size := sizes[info.ID]
		if p.json {
			p.emit(deletionJSON{string(info.ID), info.Name, size.Changes, size.Memories, info.Folder, stores.MadeFolder(t, info), info.Upstream.URL})
			return stores.MayDelete(cmd.Context(), t, p.by, info.ID)
		}
		p.println("would erase store %s: %s, %s", p.safe(info.Name), plural(int(size.Changes), "change"), plural(size.Memories, "memory"))
		if info.Hosted() {
			p.println("it is deleted at its service too: %s", p.safe(info.Upstream.URL))
		}
		if stores.MadeFolder(t, info) {
			p.println("its folder %s is removed, with everything in it", p.safe(info.Folder))
		} else {
			p.println("its folder %s is left as it is, with the memories in it", p.safe(info.Folder))
		}
		return stores.MayDelete(cmd.Context(), t, p.by, info.ID)
	})
}

// storeItself finds the store that a command line names by name, id or folder.
func storeItself(cmd *cobra.Command, t *engine.Trail, ref string) (versions.StoreInfo, error) {
	info, err := findStore(cmd.Context(), t, ref)
	if err == nil && !names(ref, info) {
		err = misusef(cmd.CommandPath(), "%s is in store %s: name the store to delete", ref, info.Name)
	}
	return info, err
}

// endStore deletes a store here after confirmation, and before that a hosted one also at its service, if upstream is set.
func endStore(p *homeOpener, cmd *cobra.Command, ref string, yes, upstream bool, question func(versions.StoreInfo) (string, error)) error {
	return p.withTrail(cmd.Context(), func(t *engine.Trail) error {
		info, err := storeItself(cmd, t, ref)
		if err != nil {
			return err
		}
		ask, err := question(info)
		if err != nil {
			return err
		}
		if ok, err := p.confirmIrreversible(cmd.CommandPath(), ask, yes); err != nil || !ok {
			return err
		}
		if upstream && info.Hosted() {
			if err := replica.DeleteUpstreamStore(cmd.Context(), t, p.by, info); err != nil {
				return err
			}
		}
		searching := p.progress("searching")
		scrub := versions.Scrub{Wait: readerWait, Progress: searching.bytes}
		r, err := stores.Delete(cmd.Context(), t, p.by, info.ID, scrub)
		searching.end()
		if err != nil {
			return err
		}
		return reportReceipt(&p.console, r)
	})
}

// names reports whether ref names the store itself, not something in its folder.
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
