package policy

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// titles are the names of known agents for people, as their makers write them, by the names that are recorded.
var titles = map[string]string{
	"claude-code":           "Claude Code",
	"claude-desktop":        "Claude Desktop",
	"cline":                 "Cline",
	"codex":                 "Codex",
	"codex-mcp-client":      "Codex",
	"copilot":               "Copilot CLI",
	"cursor":                "Cursor",
	"gemini":                "Gemini CLI",
	"gemini-cli":            "Gemini CLI",
	"gemini-cli-mcp-client": "Gemini CLI",
	"opencode":              "OpenCode",
	"qwen":                  "Qwen Code",
	"vscode":                "VS Code",
}

// Titled returns the name of an agent for people: "Claude Code 2.1.330" for "claude-code 2.1.330", "Claude
// Code/reviewer" for its subagent. It returns other names unchanged.
func Titled(agent string) string {
	end := strings.IndexAny(agent, " /")
	if end < 0 {
		end = len(agent)
	}
	if title, ok := titles[agent[:end]]; ok {
		return title + agent[end:]
	}
	return agent
}

// Named reports whether a pattern names an actor that has these names, or the titles of these. Case, blanks, - and _ don't
// count; * stands for any characters. The version at the end of a name may be left out, and so may
// the subagent after a slash: "claude-code" names "claude-code 2.1.0" and "Claude Code/reviewer", "codex" "codex-mcp-client".
func Named(pattern string, names ...string) bool {
	pattern = Folded(pattern)
	return slices.ContainsFunc(names, func(name string) bool {
		return name != "" && (fitsName(pattern, name) || fitsName(pattern, Titled(name)))
	})
}

// fitsName reports whether a folded pattern names an actor that has a name.
func fitsName(pattern, name string) bool {
	agent, _, _ := strings.Cut(name, "/")
	return slices.ContainsFunc([]string{name, agent, version.ReplaceAllString(agent, "")}, func(s string) bool {
		ok, _ := path.Match(pattern, Folded(s))
		return ok || pattern == Folded(s)
	})
}

var (
	version = regexp.MustCompile(` v?[0-9]\S*$`)
	folded  = strings.NewReplacer(" ", "", "-", "", "_", "")
)

// Folded returns a name in the form in which names are compared.
func Folded(name string) string { return folded.Replace(strings.ToLower(name)) }
