package clients

import (
	"fmt"
	"slices"
	"strings"
)

// Hook makes Claude Code run a command at an event, for the tools that match.
type Hook struct {
	Event   string
	Matcher string
	Command string
}

const writes = "Write|Edit|MultiEdit|NotebookEdit|Bash"

// inputs are the tools that bring something into a session from outside.
const inputs = "WebFetch|WebSearch|BashOutput|Grep|Glob|LS|mcp__.*"

// OwnTools is the prefix of the names of Program's MCP tools in Claude Code.
const OwnTools = "mcp__" + Program + "__"

// Hooks returns the hooks that report an agent's calls to Program, and of its other tools only which kind of source
// they read. PreToolUse also lets Program hold a write, reports a file's content before the agent changes it, and the session of the agent's calls to Program's MCP server; SessionStart reports when Claude
// Code creates the index of its memories.
func Hooks(command string) []Hook {
	return []Hook{{"PreToolUse", writes, command}, {"PreToolUse", OwnTools + ".*", command}, {"PostToolUse", writes + "|Read|" + inputs, command},
		{"PostToolUseFailure", writes + "|" + inputs, command}, {"SessionStart", "", command}}
}

const hookSeconds = 5 // timeout in Claude Code; the hook itself ends within 200 ms

func (h Hook) object() object {
	return object{{"matcher", h.Matcher}, {"hooks", []object{{{"type", "command"}, {"command", h.Command}, {"timeout", hookSeconds}}}}}
}

// HookSettings returns the text of a new settings file with the hooks.
func HookSettings(hooks []Hook) (string, error) {
	text, err := SetHooks(nil, hooks)
	return string(text), err
}

// SetHooks returns a file's text with the hooks in place of Program's earlier ones.
func SetHooks(text []byte, hooks []Hook) ([]byte, error) {
	if found, err := ReadHooks(text); err != nil || slices.Equal(found, hooks) {
		return text, err
	}
	text, err := RemoveHooks(text)
	if err != nil {
		return nil, err
	}
	d, err := newDocument(text)
	if err != nil {
		return nil, err
	}
	if err := d.object("hooks"); err != nil {
		return nil, err
	}
	for _, h := range hooks {
		switch list := d.at("hooks", h.Event); {
		case list == nil:
			d.add([]string{"hooks"}, h.Event, []object{h.object()})
		case !isArray(list):
			return nil, fmt.Errorf("hooks.%s is not an array", h.Event)
		default:
			d.add([]string{"hooks", h.Event}, "", h.object())
		}
	}
	return d.text(), nil
}

// RemoveHooks returns a file's text without Program's hooks.
func RemoveHooks(text []byte) ([]byte, error) {
	d, err := newDocument(text)
	if err != nil {
		return nil, err
	}
	all := d.ownHooks()
	if len(all) == 0 {
		return text, nil
	}
	for _, h := range slices.Backward(all) { // the positions of those before it stay
		d.dropHook(h)
	}
	return d.text(), nil
}

// dropHook removes one of Program's hooks, and the objects that this leaves empty.
func (d *document) dropHook(h foundHook) {
	list := d.at("hooks", h.Event)
	calls := get(parts(list)[h.matcher].value, "hooks")
	switch {
	case len(parts(calls)) > 1:
		drop(calls, h.call)
	case len(parts(list)) > 1:
		drop(list, h.matcher)
	default:
		d.dropKey([]string{"hooks"}, h.Event)
	}
}

// foundHook is one of Program's hooks and its position in its event.
type foundHook struct {
	Hook
	matcher, call int
}

func (d *document) ownHooks() (out []foundHook) {
	events := d.at("hooks")
	if !isObject(events) {
		return nil
	}
	for _, event := range parts(events) {
		for i, item := range parts(event.value) {
			calls := get(item.value, "hooks")
			if !isArray(calls) {
				continue
			}
			matcher, _ := decode(get(item.value, "matcher")).(string)
			for j, call := range parts(calls) {
				if command, ok := decode(get(call.value, "command")).(string); ok && ownHook(command) {
					out = append(out, foundHook{Hook{nameOf(event.name), matcher, command}, i, j})
				}
			}
		}
	}
	return out
}

// ReadHooks returns Program's hooks in a file's text.
func ReadHooks(text []byte) (out []Hook, err error) {
	d, err := newDocument(text)
	if err != nil {
		return nil, err
	}
	for _, h := range d.ownHooks() {
		out = append(out, h.Hook)
	}
	return out, nil
}

// ownHook reports whether a command calls Program's hook.
func ownHook(command string) bool {
	words := Words(command)
	if len(words) < 2 {
		return false
	}
	name := words[0][strings.LastIndexAny(words[0], `/\`)+1:]
	return strings.TrimSuffix(name, ".exe") == Program && slices.Contains(words[1:], "hook")
}

// Word quotes a text as one word of a shell command.
func Word(s string) string {
	const plain = "/._-+:@%"
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(plain, r)
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Words splits a command line into words. It handles a shell's quotes and nothing else.
func Words(line string) (out []string) {
	var word strings.Builder
	var quote rune
	open, escaped := false, false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, open = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, open = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if open {
				out = append(out, word.String())
				word.Reset()
			}
			open = false
		default:
			word.WriteRune(r)
			open = true
		}
	}
	if open {
		out = append(out, word.String())
	}
	return out
}
