package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func manCommand(p *console) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages to a folder",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			header := &doc.GenManHeader{Title: "MEMEND", Section: "1", Source: "memend " + release().Version, Manual: "memend"}
			for _, c := range append(cmd.Parent().Commands(), root) { // help and what is below it is left out of the tree
				if c.Name() == "keys" {
					c.Long += keysPage()
				}
				if err := doc.GenManTree(c, header, args[0]); err != nil {
					return fmt.Errorf("write manual pages: %w", err)
				}
			}
			pages, err := filepath.Glob(filepath.Join(args[0], "memend*.1"))
			if err != nil {
				return err
			}
			for _, page := range pages {
				if err := addSections(page, filepath.Base(page) == root.Name()+".1"); err != nil {
					return fmt.Errorf("write manual pages: %w", err)
				}
			}
			p.println("wrote %s to %s", plural(len(pages), "manual page"), p.safe(args[0]))
			return nil
		},
	}
}

// addSections adds to a page what the help of its command does not have, before the list of
// other pages.
func addSections(page string, root bool) error {
	b, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, others, _ := strings.Cut(string(b), "\n.SH SEE ALSO")
	if others != "" {
		others = ".SH SEE ALSO" + others
	}
	return os.WriteFile(page, []byte(before+"\n"+manualSections(root)+others), 0o644)
}

// manualSections returns, in roff, what the page of a command has in addition to its help.
func manualSections(root bool) string {
	text := "EXIT STATUS\n"
	for code, means := range exitMeans {
		text += fmt.Sprintf("%d\t%s.\n", code, strings.ToUpper(means[:1])+means[1:])
	}
	if root {
		text += helpText("manual")
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line == "" {
			continue
		}
		if name, about, ok := strings.Cut(line, "\t"); ok {
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fP\n%s\n", roff(name), roff(about))
		} else {
			fmt.Fprintf(&b, ".SH %s\n", line)
		}
	}
	return b.String()
}

// roff escapes all markup in a text.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `~`, `\(ti`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
