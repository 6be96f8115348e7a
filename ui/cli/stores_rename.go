package cli

import (
	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

func (p *program) storesRenameCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "rename STORE NAME",
		Annotations: map[string]string{changes: always},
		Short:       "Rename a store",
		Long: `Rename a store. Its folder, its id and its history stay; a hosted store keeps
its name at its service.`,
		Example:           `  memend stores rename work deploy`,
		Args:              misused(cobra.ExactArgs(2)),
		ValidArgsFunction: p.completeStores,
		RunE: func(cmd *cobra.Command, args []string) error {
			u := versions.StoreUpdate{Name: &args[1]}
			if err := u.Check(); err != nil {
				return &misuse{err, cmd.CommandPath()}
			}
			return p.onStore(cmd, args[0], func(t *versions.Trail, info versions.StoreInfo) (err error) {
				was := info.Name
				if info, err = t.UpdateStore(cmd.Context(), p.caller, info.ID, u); err != nil {
					return err
				}
				p.reportStore(info, "renamed store %s to %s", was, info.Name)
				return nil
			})
		},
	}
}
