package cli

import (
	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

func (p *program) storesUnarchiveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "unarchive STORE",
		Short: "Make an archived store writable again",
		Long: `Make an archived store of this home writable again. A hosted store stays
archived: its service archives for good.`,
		Example:           `  memend stores unarchive work`,
		Args:              misused(cobra.ExactArgs(1)),
		ValidArgsFunction: p.completeStores,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.administer(cmd, args[0], func(t *versions.Trail, info versions.StoreInfo) (err error) {
				if info, err = t.UnarchiveStore(cmd.Context(), p.caller, info.ID); err != nil {
					return err
				}
				p.storeTold(info, "store %s is not archived", info.Name)
				return nil
			})
		},
	}
}
