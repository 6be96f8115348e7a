package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// hookSettings are the settings of Claude Code that have it call a program.
type hookSettings struct {
	Hooks map[string][]hookMatcher `json:"hooks"`
}

type hookMatcher struct {
	Matcher string     `json:"matcher"`
	Hooks   []hookCall `json:"hooks"`
}

type hookCall struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"` // seconds
}

// printHooks prints the settings that have Claude Code call this program.
func (p *program) printHooks() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	command := shellWord(self) + " hook"
	if p.home != "" {
		home, err := filepath.Abs(p.home)
		if err != nil {
			return err
		}
		command += " --home " + shellWord(home)
	}
	call := []hookCall{{"command", command, 5}}
	const writes = "Write|Edit|MultiEdit|NotebookEdit|Bash"
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(hookSettings{map[string][]hookMatcher{
		"PreToolUse": {{writes, call}}, "PostToolUse": {{writes + "|Read", call}}, "PostToolUseFailure": {{writes, call}},
		"SessionStart": {{"", call}}, // when it makes the index of its memories
	}})
}

// shellWord is a text as one word of a shell's command line.
func shellWord(s string) string {
	const plain = "/._-+:@%"
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(plain, r)
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
