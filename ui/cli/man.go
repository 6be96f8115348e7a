package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func manCommand(p *console) *cobra.Command {
	return &cobra.Command{
		Use:         "man DIR",
		Annotations: map[string]string{noJSON: always},
		Short:       "Write the manual pages to a folder",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			pages := 0
			var failed error
			each(cmd.Root(), func(c *cobra.Command) {
				if failed == nil && (c.IsAvailableCommand() || c.Name() == "help" || c == cmd.Root()) {
					pages++
					failed = os.WriteFile(filepath.Join(args[0], manName(c)+".1"), []byte(manPage(c)), 0o644)
				}
			})
			if failed != nil {
				return fmt.Errorf("write manual pages: %w", failed)
			}
			p.println("wrote %s to %s", plural(pages, "manual page"), p.safe(args[0]))
			return nil
		},
	}
}

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage returns the manual page of a command, in roff with the macros of man(7). cobra/doc would do it by way of
// Markdown, whose parser makes each start of the program 0.4 ms slower.
func manPage(c *cobra.Command) string {
	name := manName(c)
	addHelp(c)
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %q 1 \"\" %q memend\n", strings.ToUpper(name), "memend "+release().Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fP\n", roff(c.UseLine()))
	b.WriteString(".SH DESCRIPTION\n")
	about := c.Long
	if about == "" {
		about = c.Short + "."
	}
	if c.CommandPath() == "memend help keys" {
		about += keysPage()
	}
	b.WriteString(paragraphs(about))
	manFlags(&b, "OPTIONS", c.NonInheritedFlags())
	manFlags(&b, "GLOBAL OPTIONS", c.InheritedFlags())
	if c.HasExample() {
		b.WriteString(".SH EXAMPLES\n" + paragraphs(c.Example))
	}
	b.WriteString(manualSections(!c.HasParent()))
	manOthers(&b, c)
	return b.String()
}

// paragraphs sets a text, in which lines that begin with a space stay as they are.
func paragraphs(text string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(text, "\n\n") {
		b.WriteString(".PP\n")
		kept := false
		for line := range strings.SplitSeq(strings.Trim(part, "\n"), "\n") {
			if keep := strings.HasPrefix(line, " "); keep != kept {
				kept = keep
				b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[keep])
			}
			b.WriteString(roff(line) + "\n")
		}
		if kept {
			b.WriteString(".fi\n")
		}
	}
	return b.String()
}

func manFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		b.WriteString(".TP\n")
		if f.Shorthand != "" {
			fmt.Fprintf(b, "\\fB\\-%s\\fP, ", f.Shorthand)
		}
		fmt.Fprintf(b, "\\fB\\-\\-%s\\fP", roff(f.Name))
		if value != "" {
			fmt.Fprintf(b, " \\fI%s\\fP", roff(value))
		}
		fmt.Fprintf(b, "\n%s\n", roff(usage))
	})
}

// manOthers lists the pages of the command above and of those below.
func manOthers(b *strings.Builder, c *cobra.Command) {
	var others []string
	other := func(c *cobra.Command) { others = append(others, fmt.Sprintf("\\fB%s\\fP(1)", roff(manName(c)))) }
	if c.HasParent() {
		other(c.Parent())
	}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() || below.Name() == "help" {
			other(below)
		}
	}
	fmt.Fprintf(b, ".SH SEE ALSO\n%s\n", strings.Join(others, ",\n"))
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
