package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func (p *program) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the manual pages into a folder",
		Example: `  memtrail man ~/.local/share/man/man1`,
		Args:    misused(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root := cmd.Root()
			for _, c := range root.Commands() {
				if c.Name() == "keys" {
					c.Long += keysPage()
				}
			}
			root.DisableAutoGenTag = true
			header := &doc.GenManHeader{Title: "MEMTRAIL", Section: "1", Source: "memtrail " + release().Version, Manual: "memtrail"}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fmt.Errorf("write manual pages: %w", err)
			}
			pages, err := filepath.Glob(filepath.Join(args[0], "memtrail*.1"))
			if err != nil {
				return err
			}
			p.println("wrote %s to %s", plural(len(pages), "manual page"), p.safe(args[0]))
			return nil
		},
	}
}
