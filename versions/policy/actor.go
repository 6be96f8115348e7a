package policy

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Named reports whether a pattern names an actor that has these names. Case, blanks, - and _ don't
// count; * stands for any characters. The version at the end of a name may be left out, and so may
// the subagent after a slash: "claude-code" names "claude-code 2.1.0" and "Claude Code/reviewer".
func Named(pattern string, names ...string) bool {
	pattern = Folded(pattern)
	return slices.ContainsFunc(names, func(name string) bool {
		agent, _, _ := strings.Cut(name, "/")
		return name != "" && slices.ContainsFunc([]string{name, agent, version.ReplaceAllString(agent, "")}, func(s string) bool {
			ok, _ := path.Match(pattern, Folded(s))
			return ok || pattern == Folded(s)
		})
	})
}

var (
	version = regexp.MustCompile(` v?[0-9]\S*$`)
	folded  = strings.NewReplacer(" ", "", "-", "", "_", "")
)

// Folded returns a name in the form in which names are compared.
func Folded(name string) string { return folded.Replace(strings.ToLower(name)) }
