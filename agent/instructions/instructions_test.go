package instructions

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/agent/outside"
	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// world is a machine with a person's home, an organization's folder and a repository.
type world struct {
	t         *testing.T
	top       string
	roots     places.Roots
	variables map[string]string
}

func newWorld(t *testing.T, files ...string) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, top: top, variables: map[string]string{}}
	w.roots = places.Roots{Home: w.at("home"), Claude: w.at("home/.claude"), Policy: []string{w.at("etc/managed-settings.json")},
		Getenv: func(name string) string { return w.variables[name] }}
	w.write(append(files, "home/app/.git/HEAD|x", "home/app/web/main.go|")...)
	return w
}

func (w *world) at(name string) string { return filepath.Join(w.top, filepath.FromSlash(name)) }

// write writes files: NAME|TEXT.
func (w *world) write(files ...string) {
	w.t.Helper()
	for _, f := range files {
		name, text, _ := strings.Cut(f, "|")
		if err := os.MkdirAll(filepath.Dir(w.at(name)), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(w.at(name), []byte(text), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) link(to, name string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.at(name)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Symlink(to, w.at(name)); err != nil {
		w.t.Skip(err)
	}
}

func (w *world) session(tool Tool, dir string) Session {
	w.t.Helper()
	s, err := Of(w.t.Context(), tool, w.at(dir), w.roots)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) rel(path string) string {
	rel, err := filepath.Rel(w.top, path)
	if err != nil {
		w.t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}

// listed describes a session: the scope and the path of each file, with its cut and the reason.
func (w *world) listed(s Session) (out []string) {
	about := func(f *File) string {
		text := string(f.Scope) + " " + w.rel(f.Path)
		if f.Line > 0 {
			text += fmt.Sprintf(" @%d", f.Line)
		}
		if f.Cut != "" {
			text += fmt.Sprintf(" %d of %d lines, %d of %d bytes: %s", f.LoadedLines, f.Lines, f.LoadedBytes, f.Bytes, f.Cut)
		}
		if f.Why != "" {
			text += " - " + strings.ReplaceAll(f.Why, w.top+"/", "")
		}
		return text
	}
	s.Each(func(f *File, depth int) { out = append(out, strings.Repeat("  ", depth)+about(f)) })
	for i := range s.Other {
		out = append(out, "not: "+about(&s.Other[i]))
	}
	return out
}

func (w *world) wants(tool Tool, dir string, want ...string) Session {
	w.t.Helper()
	s := w.session(tool, dir)
	if got := w.listed(s); !slices.Equal(got, want) {
		w.t.Errorf("%s in %s:\n%s\nwant\n%s", tool, dir, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	return s
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestClaude_LoadsFromTheBroadestToTheMostSpecific(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "etc/CLAUDE.md|a", "home/.claude/CLAUDE.md|b", "home/.claude/rules/style.md|c", "home/CLAUDE.md|d", "home/app/CLAUDE.md|e",
		"home/app/.claude/CLAUDE.md|f", "home/app/.claude/rules/go/tests.md|g", "home/app/CLAUDE.local.md|h", "home/app/web/CLAUDE.md|i",
		"home/app/.claude/rules/api.md|---\npaths:\n  - \"src/**/*.ts\"\n  - lib/*\n---\nj", "home/app/web/admin/CLAUDE.md|k", "home/app/web/node_modules/x/CLAUDE.md|l")
	w.write("home/.claude/projects/"+outside.Slug(w.at("home/app"))+"/memory/MEMORY.md|m\n", "home/.claude/projects/"+outside.Slug(w.at("home/app"))+"/memory/more.md|n")
	s := w.wants(ClaudeCode, "home/app/web",
		"managed etc/CLAUDE.md", "person home/.claude/CLAUDE.md", "rule home/.claude/rules/style.md", "parent home/CLAUDE.md", "parent home/app/CLAUDE.md",
		"parent home/app/.claude/CLAUDE.md", "rule home/app/.claude/rules/go/tests.md", "local home/app/CLAUDE.local.md", "project home/app/web/CLAUDE.md",
		"memory home/.claude/projects/"+outside.Slug(w.at("home/app"))+"/memory/MEMORY.md",
		"not: rule home/app/.claude/rules/api.md - only for files that match src/**/*.ts, lib/*",
		"not: project home/app/web/admin/CLAUDE.md - when the agent works with files there")
	if files, lines, bytes := s.Total(); files != 10 || lines != 10 || bytes != 11 {
		t.Errorf("%d files, %d lines, %d bytes", files, lines, bytes)
	}
	if len(s.Notes) != 1 || !strings.HasPrefix(s.Notes[0], "1 other memory in ") {
		t.Errorf("%q", s.Notes)
	}
}

func TestClaude_CutsTheIndexOfItsMemory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{numbered(200), ""},
		{numbered(201), " 200 of 201 lines, 1692 of 1701 bytes: 200 lines"},
		{strings.Repeat(strings.Repeat("x", 199)+"\n", 128), ""},
		{strings.Repeat(strings.Repeat("x", 199)+"\n", 130), " 128 of 130 lines, 25600 of 26000 bytes: 25 KB"},
		{strings.Repeat("x", 25<<10) + "\n", ""}, // the end of the last line does not count
		{strings.Repeat("x", 25<<10+1), " 0 of 1 lines, 0 of 25601 bytes: 25 KB"},
	} {
		w := newWorld(t)
		at := "home/.claude/projects/" + outside.Slug(w.at("home/app")) + "/memory/MEMORY.md"
		w.write(at + "|" + tt.text)
		w.wants(ClaudeCode, "home/app", "memory "+at+tt.want)
	}
}

func TestClaude_ReadsAgentsFilesOnlyWithoutItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "home/.claude/CLAUDE.md|a", "home/app/AGENTS.md|b", "home/app/web/.claude/AGENTS.md|c")
	w.wants(ClaudeCode, "home/app/web", "person home/.claude/CLAUDE.md", "parent home/app/AGENTS.md", "project home/app/web/.claude/AGENTS.md")
	w.write("home/app/CLAUDE.md|@AGENTS.md\n", "home/AGENTS.md|d")
	const why = " - there is a CLAUDE.md in the directory or above it"
	w.wants(ClaudeCode, "home/app", "person home/.claude/CLAUDE.md", "project home/app/CLAUDE.md", "  import home/app/AGENTS.md @1",
		"not: parent home/AGENTS.md"+why)
	w.write(`home/.claude/settings.json|{"pluginConfigs":{"agents-md@builtin":{"options":{"instructionFiles":"claude-md-and-agents-md"}}}}`)
	w.wants(ClaudeCode, "home/app", "person home/.claude/CLAUDE.md", "parent home/AGENTS.md", "project home/app/CLAUDE.md", "  import home/app/AGENTS.md @1",
		"not: project home/app/AGENTS.md - it is loaded above")
	w.write(`home/.claude/settings.json|{"pluginConfigs":{"agents-md@builtin":{"options":{"instructionFiles":"managed-only"}}}}`, "etc/CLAUDE.md|e")
	w.wants(ClaudeCode, "home/app", "managed etc/CLAUDE.md")
}

func TestClaude_FollowsImports(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "home/app/CLAUDE.md|See @docs/a.md and @README, `@docs/code.md`,\nmail a@b.md, @somebody and @scope/package\n\n- @docs/gone.md @big.bin @docs\n",
		"home/app/docs/a.md|@b.md\n@../docs/a.md", "home/app/docs/b.md|@c.md", "home/app/docs/c.md|@d.md", "home/app/docs/d.md|@e.md", "home/app/docs/e.md|@a.md",
		"home/app/docs/code.md|x", "home/app/README|r", "home/app/big.bin|\x00")
	w.wants(ClaudeCode, "home/app", "project home/app/CLAUDE.md",
		"  import home/app/docs/a.md @1",
		"    import home/app/docs/b.md @1",
		"      import home/app/docs/c.md @1",
		"        import home/app/docs/d.md @1",
		"          import home/app/docs/e.md @1 - imports are followed 4 deep",
		"    import home/app/docs/a.md @2 - it is loaded above",
		"  import home/app/docs/gone.md @4 - there is no such file",
		"  import home/app/big.bin @4 - it is not UTF-8 text")
}

func TestClaude_AsksBeforeImportsFromElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "home/app/CLAUDE.md|@~/mine.md\n@/etc/gone.md", "home/.claude/CLAUDE.md|@~/mine.md", "home/mine.md|x", "home/shared/team.md|y")
	w.link(w.at("home/shared"), "home/app/.claude/rules/shared")
	w.wants(ClaudeCode, "home/app", "person home/.claude/CLAUDE.md", "  import home/mine.md @1", "project home/app/CLAUDE.md",
		"  import home/mine.md @1 - "+externalWhy, "  import "+w.rel("/etc/gone.md")+" @2 - there is no such file",
		"not: rule home/app/.claude/rules/shared/team.md - "+externalWhy)
}

func TestClaude_AppliesItsSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "home/CLAUDE.md|a", "home/app/CLAUDE.md|b", "home/app/.claude/rules/x.md|c", "etc/CLAUDE.md|d",
		`home/app/.claude/settings.json|{"claudeMdExcludes":["**/home/CLAUDE.md","**/rules/**","**/etc/*"],"autoMemoryEnabled":false}`)
	index := "home/.claude/projects/" + outside.Slug(w.at("home/app")) + "/memory/MEMORY.md"
	w.write(index + "|x")
	w.wants(ClaudeCode, "home/app", "managed etc/CLAUDE.md", "project home/app/CLAUDE.md",
		"not: parent home/CLAUDE.md - claudeMdExcludes excludes it", "not: rule home/app/.claude/rules/x.md - claudeMdExcludes excludes it",
		"not: memory "+index+" - auto memory is off: home/app/.claude/settings.json")
	w.write(`home/app/.claude/settings.local.json|{"autoMemoryEnabled":true,"autoMemoryDirectory":"~/notes"}`, "home/notes/MEMORY.md|y", "home/app/.claude/settings.json|{")
	s := w.wants(ClaudeCode, "home/app", "managed etc/CLAUDE.md", "parent home/CLAUDE.md", "project home/app/CLAUDE.md", "rule home/app/.claude/rules/x.md", "memory home/notes/MEMORY.md")
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "settings.json can't be read: ") {
		t.Errorf("%q", s.Notes)
	}
}

func TestClaude_FindsTheMemoryOfAWorktreeInItsRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("home/tree/.git|gitdir: " + w.at("home/app/.git/worktrees/tree") + "\n")
	index := "home/.claude/projects/" + outside.Slug(w.at("home/app")) + "/memory/MEMORY.md"
	w.write(index+"|x", "home/tree/deep/x|")
	w.wants(ClaudeCode, "home/tree/deep", "memory "+index)
}

func TestCodex_LoadsOneFileADirectoryWithinItsLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "home/.codex/AGENTS.md|mine", "home/.codex/AGENTS.override.md| \n", "home/AGENTS.md|above the repository", "home/app/AGENTS.md|"+numbered(3000),
		"home/app/AGENTS.override.md|over\n", "home/app/web/AGENTS.md|"+numbered(4000), "home/app/web/x/AGENTS.md|below", "home/app/web/x/y/AGENTS.md|z")
	w.wants("codex", "home/app/web/x",
		"person home/.codex/AGENTS.md", "parent home/app/AGENTS.override.md", fmt.Sprintf("parent home/app/web/AGENTS.md %d of 4000 lines, %d of %d bytes: 32 KiB in total", 3387, 32<<10-5, len(numbered(4000))),
		"not: person home/.codex/AGENTS.override.md - it is empty", "not: parent home/app/AGENTS.md - AGENTS.override.md in this directory is loaded instead",
		"not: project home/app/web/x/AGENTS.md - the files before it have 32 KiB in total", "not: project home/app/web/x/y/AGENTS.md - only for sessions in that directory")
	w.variables["CODEX_HOME"] = w.at("other")
	w.write("other/config.toml|project_doc_max_bytes = 10\nproject_doc_fallback_filenames = [\"TEAM.md\"]\nproject_root_markers = [\"mark\"]\n", "home/app/web/x/TEAM.md|1\n2\n3\n4\n5\n6\n7\n", "home/app/web/x/AGENTS.md|", "home/app/web/x/mark|")
	w.wants("codex", "home/app/web/x", "not: project home/app/web/x/AGENTS.md - it is empty", "not: project home/app/web/x/TEAM.md - AGENTS.md in this directory is loaded instead", "not: project home/app/web/x/y/AGENTS.md - only for sessions in that directory")
	if err := os.Remove(w.at("home/app/web/x/AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	w.wants("codex", "home/app/web/x", "project home/app/web/x/TEAM.md 5 of 7 lines, 10 of 14 bytes: 0 KiB in total", "not: project home/app/web/x/y/AGENTS.md - only for sessions in that directory")
}

func TestGemini_LoadsFromTheRootOfTheRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "home/.gemini/GEMINI.md|a", "home/GEMINI.md|above", "home/app/GEMINI.md|@./docs/x.md @../mine.md @~/mine.md @web/GEMINI.md", "home/app/docs/x.md|x", "home/mine.md|m",
		"home/app/web/GEMINI.md|w", "home/app/web/in/GEMINI.md|i", "home/.gemini/tmp/app/memory/MEMORY.md|mem", "home/.gemini/tmp/other/memory/MEMORY.md|other")
	w.write("home/.gemini/tmp/app/.project_root|"+w.at("home/app/web"), "home/.gemini/tmp/other/.project_root|"+w.at("home"))
	w.wants("gemini", "home/app/web", "person home/.gemini/GEMINI.md", "memory home/.gemini/tmp/app/memory/MEMORY.md", "parent home/app/GEMINI.md",
		"  import home/app/docs/x.md @1", "  import home/mine.md @1 - outside of home/app", "  import home/app/web/GEMINI.md @1",
		"not: project home/app/web/GEMINI.md - it is loaded above", "not: project home/app/web/in/GEMINI.md - when the agent works with files there")
	w.write(`home/app/web/.gemini/settings.json|{"context":{"fileName":["AGENTS.md"],"memoryBoundaryMarkers":["x"]}}`, "home/app/AGENTS.md|y", "home/app/web/AGENTS.md|z")
	w.wants("gemini", "home/app/web", "memory home/.gemini/tmp/app/memory/MEMORY.md", "project home/app/web/AGENTS.md")
}

func TestQwen_LoadsEachNameFromThePersonDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "home/.qwen/QWEN.md|a", "home/.qwen/AGENTS.md|b", "home/QWEN.md|above the repository", "home/app/QWEN.md|c", "home/app/AGENTS.md|d", "home/app/.qwen/QWEN.local.md|e",
		"home/.qwen/rules/r.md|f", "home/app/.qwen/rules/s.md|---\npaths: \"*.go\"\n---\ng", "home/.qwen/memories/MEMORY.md|h")
	slug := "home/.qwen/projects/" + outside.Slug(w.at("home/app")) + "/memory/MEMORY.md"
	w.write(slug + "|" + numbered(250))
	w.wants("qwen", "home/app", "person home/.qwen/QWEN.md", "parent home/QWEN.md", "project home/app/QWEN.md", "person home/.qwen/AGENTS.md", "local home/app/.qwen/QWEN.local.md",
		"project home/app/AGENTS.md", "rule home/.qwen/rules/r.md", "memory home/.qwen/memories/MEMORY.md",
		fmt.Sprintf("memory %s 200 of 250 lines, 1692 of %d bytes: 200 lines", slug, len(numbered(250))),
		"not: rule home/app/.qwen/rules/s.md - only for files that match *.go")
	w.write(`home/.qwen/settings.json|{"memory":{"enableManagedAutoMemory":false},"context":{"fileName":"NOTES.md"}}`)
	w.wants("qwen", "home/app", "local home/app/.qwen/QWEN.local.md", "rule home/.qwen/rules/r.md",
		"not: rule home/app/.qwen/rules/s.md - only for files that match *.go",
		"not: memory home/.qwen/memories/MEMORY.md - memory.enableManagedAutoMemory is off", "not: memory "+slug+" - memory.enableManagedAutoMemory is off")
}

func TestOpencode_LoadsTheFirstNameThatIsFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "home/.claude/CLAUDE.md|a", "home/app/CLAUDE.md|b", "home/app/web/CLAUDE.md|c", "home/CLAUDE.md|above", `home/app/opencode.json|{"instructions":["x.md"]}`)
	s := w.wants("opencode", "home/app/web", "person home/.claude/CLAUDE.md", "project home/app/web/CLAUDE.md", "parent home/app/CLAUDE.md")
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "opencode.json names more") {
		t.Errorf("%q", s.Notes)
	}
	w.write("home/.config/opencode/AGENTS.md|d", "home/app/AGENTS.md|@CLAUDE.md")
	w.wants("opencode", "home/app/web", "person home/.config/opencode/AGENTS.md", "parent home/app/AGENTS.md", "not: person home/.claude/CLAUDE.md - home/.config/opencode/AGENTS.md is loaded instead",
		"not: project home/app/web/CLAUDE.md - AGENTS.md is loaded instead", "not: parent home/app/CLAUDE.md - AGENTS.md is loaded instead")
	w.variables["OPENCODE_DISABLE_CLAUDE_CODE"] = "1"
	w.wants("opencode", "home/app/web", "person home/.config/opencode/AGENTS.md", "parent home/app/AGENTS.md")
}

func TestCursor_LoadsRulesThatAlwaysApply(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "home/app/.cursor/rules/a.mdc|---\nalwaysApply: true\n---\na", "home/app/.cursor/rules/b.mdc|---\nglobs: \"*.ts, *.tsx\"\nalwaysApply: false\n---\nb",
		"home/app/.cursor/rules/in/c.mdc|---\ndescription: about c\n---\nc", "home/app/.cursor/rules/d.mdc|d", "home/app/.cursor/rules/e.md|e", "home/app/.cursor/rules/f.mdc|---\nalwaysApply: \"true\"\n---\nf", "home/app/AGENTS.md|g", "home/app/web/AGENTS.md|h")
	w.wants("cursor", "home/app", "rule home/app/.cursor/rules/a.mdc", "project home/app/AGENTS.md",
		"not: rule home/app/.cursor/rules/b.mdc - only for files that match *.ts, *.tsx", "not: rule home/app/.cursor/rules/d.mdc - only when it is mentioned",
		"not: rule home/app/.cursor/rules/e.md - rules must end in .mdc", "not: rule home/app/.cursor/rules/f.mdc - only when it is mentioned",
		"not: rule home/app/.cursor/rules/in/c.mdc - when the agent finds its description relevant", "not: project home/app/web/AGENTS.md - when the agent works with files there")
}

func TestHere_AnswersForToolsThatLoadOrAreUsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "home/app/AGENTS.md|a", "home/.gemini/settings.json|{}")
	all, err := Here(t.Context(), w.at("home/app"), w.roots)
	var got []string
	for _, s := range all {
		got = append(got, string(s.Tool))
	}
	if want := []string{"claude-code", "codex", "gemini", "qwen", "opencode", "cursor"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if all, err = Here(t.Context(), w.at("home"), w.roots); err != nil || len(all) != 1 || all[0].Tool != "gemini" {
		t.Errorf("%+v, %v", all, err)
	}
	for _, dir := range []string{"gone", "home/app/AGENTS.md"} {
		if _, err := Of(t.Context(), ClaudeCode, w.at(dir), w.roots); err == nil {
			t.Errorf("%s: no error", dir)
		}
	}
	if _, err := Of(t.Context(), "none", w.at("home"), w.roots); err == nil {
		t.Error("an unknown tool: no error")
	}
}

func TestHere_FollowsTheVariablesThatMoveAFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "mine/claude/CLAUDE.md|a", "mine/claude/rules/x.md|b", "mine/codex/AGENTS.md|c", "mine/.gemini/GEMINI.md|d", "mine/config/opencode/AGENTS.md|e", "mine/qwen/QWEN.md|j", "mine/qwen/rules/x.md|k", "mine/run/memories/MEMORY.md|l",
		"home/.claude/CLAUDE.md|f", "home/.codex/AGENTS.md|g", "home/.gemini/GEMINI.md|h", "home/.config/opencode/AGENTS.md|i", "home/.qwen/QWEN.md|m", "empty/qwen/x|", "empty/claude/x|", "empty/codex/x|", "empty/.gemini/x|", "empty/opencode/x|", "src/.git/HEAD|x") // not below the home, whose .claude would be a project's
	at := func(claude, codex, gemini, config, qwen string) {
		w.roots.Claude = w.at(claude)
		w.variables = map[string]string{"CODEX_HOME": w.at(codex), "GEMINI_CLI_HOME": w.at(gemini), "XDG_CONFIG_HOME": w.at(config), "QWEN_HOME": w.at(qwen)}
	}
	at("mine/claude", "mine/codex", "mine", "mine/config", "mine/qwen")
	w.wants(ClaudeCode, "src", "person mine/claude/CLAUDE.md", "rule mine/claude/rules/x.md")
	w.wants("codex", "src", "person mine/codex/AGENTS.md")
	w.wants("gemini", "src", "person mine/.gemini/GEMINI.md")
	w.wants("opencode", "src", "person mine/config/opencode/AGENTS.md", "not: person home/.claude/CLAUDE.md - mine/config/opencode/AGENTS.md is loaded instead") // it has no variable for that
	w.wants("qwen", "src", "person mine/qwen/QWEN.md", "rule mine/qwen/rules/x.md")
	w.variables["QWEN_RUNTIME_DIR"] = w.at("mine/run")
	w.wants("qwen", "src", "person mine/qwen/QWEN.md", "rule mine/qwen/rules/x.md", "memory mine/run/memories/MEMORY.md")
	used := func() (out []string) {
		all, err := Here(t.Context(), w.at("src"), w.roots)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			out = append(out, string(s.Tool))
		}
		return out
	}
	at("empty/claude", "empty/codex", "empty", "empty", "empty/qwen")
	w.variables["OPENCODE_DISABLE_CLAUDE_CODE"] = "1"
	if got := used(); !slices.Equal(got, []string{"claude-code", "codex", "gemini", "qwen", "opencode"}) {
		t.Errorf("with folders that hold no instructions: %q", got)
	}
	at("none", "none", "none", "none", "none")
	w.variables["OPENCODE_DISABLE_CLAUDE_CODE"] = "1"
	if got := used(); len(got) > 0 {
		t.Errorf("with folders that do not exist: %q", got)
	}
}

func TestHolder_IsTheInnermostStoreThatScansTheFile(t *testing.T) {
	t.Parallel()
	stores := []versions.StoreInfo{{ID: "c", Folder: "/home/me/src"}, {ID: "a", Folder: "/home/me"}, {ID: "b", Folder: "/home/me/.claude/projects/x/memory"}, {ID: "d"}}
	for file, want := range map[string]string{
		"/home/me/.claude/projects/x/memory/MEMORY.md": "b /MEMORY.md", "/home/me/src/a/CLAUDE.md": "c /a/CLAUDE.md", "/home/me/CLAUDE.md": "a /CLAUDE.md",
		"/home/me/.claude/CLAUDE.md": "", "/etc/CLAUDE.md": "",
	} {
		got := ""
		if s, at, ok := Holder(stores, file); ok {
			got = string(s.ID) + " " + at.String()
		} else if at != (memfs.Path{}) {
			t.Errorf("%s: %v", file, at)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}
