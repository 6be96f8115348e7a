package cli

import (
	"strings"

	"github.com/memend/memend/agent/clients"
)

// hookLine returns the command line that a hook of Claude Code runs.
func hookLine(p *environment) (string, error) {
	file, err := programPath()
	if err != nil {
		return "", err
	}
	flags, err := homeFlags(p)
	if err != nil {
		return "", err
	}
	words := []string{shellWord(file), "hook"}
	for _, flag := range flags {
		words = append(words, shellWord(flag))
	}
	return strings.Join(words, " "), nil
}

// printHooks prints the Claude Code settings that call this program as a hook.
func printHooks(p *console, env *environment) error {
	line, err := hookLine(env)
	if err != nil {
		return err
	}
	settings, err := clients.HookSettings(clients.Hooks(line))
	_, _ = p.out.WriteString(settings)
	return err
}

// shellWord quotes a text as one word of a shell's command line.
func shellWord(s string) string { return clients.Word(s) }
