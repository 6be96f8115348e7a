package places

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/memend/memend/agent/outside"
)

// row describes where one tool keeps one kind of memory. A new place is a row of rows, and a fixture in the tests.
type row struct {
	kind  Kind
	about string // what the folder contains
	short string // for the names of stores

	// Patterns of folders, with slashes. A name may be "*": any name that is not hidden.
	home    []string // below the base
	project []string // below each project that is known

	// The base is the person's home and this path in it; an environment variable may replace both, the first one that is set.
	base string
	env  []string

	agents bool                                 // "*" is the name of an agent, else the tool's name for a project
	of     func(*finder, string, string) string // the project of a folder below the base, by its path and what "*" matched
	state  func(*finder, string) string         // why memend knows less than the tool about a folder; "" if it knows its version
	find   func(*finder)                        // finds what no pattern describes
	findIn func(*finder, string)                // likewise in a project

	notes string // a folder of notes that the tool takes as authoritative, if it writes its memories anew
	keep  string // what a person should know before they change something there
	index bool   // agents get the beginning of its MEMORY.md at their start
	hooks bool   // each line of the index is a link to a memory with a short description
}

// rows are the known places, in display order.
var rows = []row{
	{kind: ClaudeAuto, about: "auto memory of Claude Code", short: "claude", find: (*finder).claude, findIn: (*finder).claudeIn, index: true, hooks: true},
	{kind: ClaudeAgent, about: "memory of an agent of Claude Code", short: "claude", index: true}, // found with the auto memory
	{kind: Serena, about: "memories of Serena", short: "serena", home: []string{".serena/memories/global"}, project: []string{".serena/memories"}},
	{kind: MemoryBank, about: "memory bank", short: "memory-bank", project: []string{"memory-bank", ".kilocode/rules/memory-bank", ".kilo/rules/memory-bank"}},
	{kind: Copilot, about: "memory of Copilot in VS Code", short: "copilot", find: (*finder).code},
	{kind: "codex", about: "memories of Codex", short: "codex", base: ".codex", env: []string{"CODEX_HOME"}, home: []string{"memories"}, state: codexState, notes: "extensions/ad_hoc/notes",
		keep: "Codex writes all files but its notes anew when it consolidates them: a correction also needs a note in extensions/ad_hoc/notes"},
	{kind: "gemini", about: "memory of Gemini CLI", short: "gemini", env: []string{"GEMINI_CLI_HOME"}, home: []string{".gemini/tmp/*/memory"}, of: geminiProject},
	{kind: "qwen", about: "auto memory of Qwen Code", short: "qwen", base: ".qwen", env: []string{"QWEN_RUNTIME_DIR", "QWEN_HOME"}, home: []string{"memories", "projects/*/memory"},
		project: []string{".qwen/memory", ".qwen/team-memory"}, of: slugProject, state: qwenState},
	{kind: "hermes", about: "memory of Hermes", short: "hermes", base: ".hermes", env: []string{"HERMES_HOME"}, home: []string{"memories", "profiles/*/memories"}, agents: true,
		keep: "Hermes separates entries by lines with § and limits a file to some thousand characters"},
	{kind: "openclaw", about: "daily notes of OpenClaw", short: "openclaw", base: ".openclaw", home: []string{"workspace/memory"}},
	{kind: "goose", about: "memories of goose", short: "goose", home: []string{".config/goose/memory", "AppData/Roaming/Block/goose/config/memory"}, project: []string{".goose/memory"},
		keep: "goose separates entries by empty lines"},
	{kind: "letta", about: "memory of an agent of Letta Code", short: "letta", base: ".letta", home: []string{"agents/*/memory", "lc-local-backend/memfs/*/memory"}, agents: true,
		keep: "Letta Code keeps it in a git repository: it sees a change when it is committed"},
	{kind: "deepagents", about: "memories of an agent of Deep Agents", short: "deepagents", base: ".deepagents", home: []string{"*/memories"}, agents: true},
	{kind: "basic-memory", about: "notes of Basic Memory", short: "basic-memory", find: (*finder).basicMemory},
	{kind: "kiro", about: "steering files of Kiro", short: "kiro", home: []string{".kiro/steering"}, project: []string{".kiro/steering"}},
	{kind: Instructions, about: "instruction files of agents", short: "instructions", find: (*finder).instructions, findIn: (*finder).instructionsIn,
		keep: "agents obey these files: a change has an effect in the next session"},
}

// rowOf returns the row of a kind; one without facts for an unknown kind. MEMORY.md suggests an index there.
func rowOf(k Kind) row {
	for _, r := range rows {
		if r.kind == k {
			return r
		}
	}
	return row{kind: k, about: string(k), short: string(k), index: true}
}

// found adds the folders that a row's patterns name below the base.
func (f *finder) found(r row) {
	if r.find != nil {
		r.find(f)
	}
	base := f.base(r.base, r.env...)
	if base == "" {
		return
	}
	for _, pattern := range r.home {
		for _, at := range f.matching(base, pattern) {
			p := Place{Kind: r.kind, Folder: at.folder, id: at.name, Shared: at.name == "" || r.of == nil}
			switch {
			case at.name == "":
			case r.agents:
				p.Agent = at.name
			case r.of != nil:
				p.Project = r.of(f, at.folder, at.name)
			}
			f.project(p.Project)
			f.add(p)
		}
	}
}

// base returns the folder that the first of the variables names, or else the path below the person's home; "" if there is
// neither.
func (f *finder) base(path string, env ...string) string {
	for _, name := range env {
		if f.roots.Getenv == nil {
			break
		}
		if at := strings.TrimSpace(f.roots.Getenv(name)); filepath.IsAbs(at) {
			return filepath.Clean(at)
		}
	}
	if f.roots.Home == "" {
		return ""
	}
	return filepath.Join(f.roots.Home, filepath.FromSlash(path))
}

// foundIn adds the folders that a row's patterns name in a project.
func (f *finder) foundIn(r row, dir string) {
	if r.findIn != nil {
		r.findIn(f, dir)
	}
	if dir == f.roots.Home && len(r.home) > 0 {
		return // the person's own, not a project's
	}
	for _, pattern := range r.project {
		f.add(Place{Kind: r.kind, Folder: f.folder(dir, filepath.FromSlash(pattern)), Project: dir})
	}
}

// matching returns the folders that a pattern names below a base, with what its "*" matched.
func (f *finder) matching(base, pattern string) (out []named) {
	before, after, wild := strings.Cut(pattern, "*")
	if !wild {
		if real := f.folder(base, filepath.FromSlash(pattern)); real != "" {
			return []named{{"", real}}
		}
		return nil
	}
	for _, sub := range f.folders(base, filepath.FromSlash(before)) {
		if real := f.folder(sub.folder, filepath.FromSlash(after)); real != "" && sub.name[0] != '.' {
			out = append(out, named{sub.name, real})
		}
	}
	return out
}

// geminiProject reads the marker that Gemini CLI leaves beside the memory of a project.
func geminiProject(f *finder, folder, _ string) string {
	dir := strings.TrimSpace(string(f.file(filepath.Dir(folder), ".project_root")))
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Clean(dir)
}

// slugProject finds the known project whose path has become a folder's name as in Claude Code.
func slugProject(f *finder, _, slug string) string {
	for _, dir := range f.projects {
		if outside.HasSlug(slug, dir) {
			return dir
		}
	}
	return ""
}

// codexState reads the version that Codex puts into the first line of its summary.
func codexState(f *finder, folder string) string {
	first, _, _ := strings.Cut(string(f.file(folder, "memory_summary.md")), "\n")
	if first = strings.TrimSpace(first); len(first) > 1 && first[0] == 'v' && strings.Trim(first[1:], "0123456789") == "" && first != "v1" {
		return fmt.Sprintf("its memory_summary.md has version %s, and memend knows v1", first[1:])
	}
	return ""
}

// qwenState reads the version of the file that Qwen Code keeps beside the memory of a project.
func qwenState(f *finder, folder string) string {
	var meta struct{ Version int }
	if b := f.file(filepath.Dir(folder), "meta.json"); filepath.Base(folder) == "memory" && b != nil && json.Unmarshal(b, &meta) == nil && meta.Version > 1 {
		return fmt.Sprintf("its meta.json has version %d, and memend knows 1", meta.Version)
	}
	return ""
}

// basicMemory finds the folders that Basic Memory's settings name. Without settings it uses one folder.
func (f *finder) basicMemory() {
	if f.roots.Home == "" {
		return
	}
	folders := map[string]json.RawMessage{}
	if b := f.file(f.roots.Home, ".basic-memory", "config.json"); b != nil {
		var settings struct{ Projects map[string]json.RawMessage }
		if err := json.Unmarshal(b, &settings); err != nil {
			f.fail(fmt.Errorf("%s: %w", filepath.Join(f.roots.Home, ".basic-memory", "config.json"), err))
		}
		folders = settings.Projects
	}
	at := filepath.Join(f.roots.Home, "basic-memory")
	if f.roots.Getenv != nil {
		if own := f.roots.Getenv("BASIC_MEMORY_HOME"); filepath.IsAbs(own) {
			at = own
		}
	}
	f.add(Place{Kind: "basic-memory", Folder: f.folder(at), Shared: true})
	for name, raw := range folders {
		var dir string
		var entry struct{ Path string }
		if json.Unmarshal(raw, &dir) != nil && json.Unmarshal(raw, &entry) == nil {
			dir = entry.Path
		}
		if filepath.IsAbs(dir) {
			f.add(Place{Kind: "basic-memory", Folder: f.folder(dir), Agent: name, Shared: true})
		}
	}
}
