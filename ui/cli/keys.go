package cli

import (
	"fmt"
	"strings"

	"github.com/memend/memend/ui"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/text"
	"github.com/spf13/cobra"
)

func keysCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "keys",
		Short: "Print every action of the TUI with its keys",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := p.settings()
			if err != nil {
				return err
			}
			for _, e := range ui.AllActions(c.Keys) {
				p.answer(keyJSON{e.ID, e.Name, append([]string{}, e.Keys...)}, "%s", fittedKeyLine(&p.console, e))
			}
			return nil
		},
	}
}

type keyJSON struct {
	Action string   `json:"action"`
	Does   string   `json:"does"`
	Keys   []string `json:"keys"`
}

// fittedKeyLine returns a line of the table of keys. On a terminal long names and keys push the
// description to a line of its own.
func fittedKeyLine(p *console, e keys.Entry) string {
	if !p.terminal {
		return keyLine(e)
	}
	columns := max(min(49, p.width()-1-text.Width(e.Name)), 0)
	left := fmt.Sprintf("%-26s %s", e.ID, strings.Join(e.Keys, ", "))
	if text.Width(left) > columns {
		return fmt.Sprintf("%s\n%*s %s", left, columns, "", e.Name)
	}
	return fmt.Sprintf("%s %s", text.Pad(nil, left, columns), e.Name)
}

func keyLine(e keys.Entry) string {
	return fmt.Sprintf("%-34s %-24s %s", e.ID, strings.Join(e.Keys, ", "), e.Name)
}

// keysPage returns what the manual adds to the help: the actions with their default keys.
// Lines indented by four spaces are preformatted.
func keysPage() string {
	var b strings.Builder
	b.WriteString("\n\nThe actions, and their keys where the settings say nothing else:\n\n")
	for _, e := range ui.AllActions(nil) {
		b.WriteString("    " + keyLine(e) + "\n")
	}
	return b.String()
}
