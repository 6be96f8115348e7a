package cli

import (
	"fmt"
	"strings"
)

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
