package instructions

import "strings"

// row describes how one tool loads instructions.
type row struct {
	tool Tool
	name string
	used func(*finder) string // the tool's folder of the person, which exists if the tool is used; "" if unknown
	load func(*finder)

	imports importRule
	most    int64 // a larger file is not loaded; 0: any is

	indexBytes int64    // limit of the memory's index, beside IndexLines
	below      []string // names that are looked for below the directory
	later      string   // when those are loaded
}

// importRule says how a tool follows imports.
type importRule struct {
	hops   int  // how deep; 0: not at all
	claude bool // the syntax of Claude Code; else that of Gemini CLI
	once   bool // a file is imported once in a session, not once in a chain
	inside bool // only files of the repository, or of the importing file's folder
}

const whenRead = "when the agent works with files there"

// rows are the known tools, in the order of lists.
var rows = []row{
	{tool: ClaudeCode, name: "Claude Code", used: func(f *finder) string { return f.roots.Claude }, load: (*finder).claude, most: 4 << 20, indexBytes: IndexBytes,
		imports: importRule{hops: 4, claude: true, once: true}, below: []string{"CLAUDE.md", "CLAUDE.local.md"}, later: whenRead},
	{tool: "codex", name: "Codex", used: (*finder).codexHome, load: (*finder).codex,
		below: []string{"AGENTS.md", "AGENTS.override.md"}, later: "only for sessions in that directory"},
	{tool: "gemini", name: "Gemini CLI", used: (*finder).geminiHome, load: (*finder).gemini, imports: importRule{hops: 5, inside: true}, later: whenRead},
	{tool: "qwen", name: "Qwen Code", used: (*finder).qwenHome, load: (*finder).qwen, indexBytes: 25_000,
		imports: importRule{hops: 5, inside: true}, later: "only for sessions in that directory"},
	{tool: "opencode", name: "opencode", used: (*finder).openCodeConfig, load: (*finder).opencode, later: whenRead},
	{tool: "cursor", name: "Cursor", used: func(f *finder) string { return f.config("", ".cursor") }, load: (*finder).cursor, below: []string{"AGENTS.md"}, later: whenRead},
}

func rowOf(t Tool) *row {
	for i := range rows {
		if rows[i].tool == t {
			return &rows[i]
		}
	}
	return nil
}

// on reports whether an environment variable switches something on.
func on(value string) bool { return value == "1" || strings.EqualFold(value, "true") }
